import { CPU_POD_BEHIND_BALANCER, edit, INGRESS } from '../examples';

/** INGRESS for the Internet, with TLS. */
export const PUBLIC_INGRESS = edit(
  INGRESS,
  ['scheme: internal', 'scheme: internet-facing'],
  ['    alb.ingress.kubernetes.io/inbound-cidrs: 10.0.0.0/8\n', ''],
  [
    `    alb.ingress.kubernetes.io/listen-ports: '[{"HTTP":80}]'\n`,
    `    alb.ingress.kubernetes.io/listen-ports: '[{"HTTPS":443}]'\n` +
      '    alb.ingress.kubernetes.io/certificate-arn: arn:aws:acm:eu-west-1:111122223333:certificate/00000000-0000-4000-8000-000000000000\n',
  ],
);

const THREADS = '            - { name: OMP_NUM_THREADS, value: "5" }\n';

/** CPU_POD behind a balancer, with a variable more. */
export function podWith(variable: string): string {
  return edit(CPU_POD_BEHIND_BALANCER, [THREADS, `${THREADS}            - ${variable}\n`]);
}

/** CPU_POD behind a balancer, with a key. */
export const GUARDED_POD = podWith(
  '{ name: VLLM_API_KEY, valueFrom: { secretKeyRef: { name: vllm-api-key, key: key } } }',
);
