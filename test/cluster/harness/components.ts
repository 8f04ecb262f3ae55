import { join } from 'node:path';

/** Where a cluster has its files, and which ports of the loopback interface are its own. */
export interface Layout {
  readonly folder: string;
  readonly keys: string;
  readonly api: number;
  readonly etcd: number;
  /** Of etcd's peers, of which there are none. */
  readonly peer: number;
  /** Of the webhooks of LWS. */
  readonly hook: number;
}

export type Component = keyof typeof COMPONENTS;

const STAGES = join(__dirname, '../stages.yaml');
/** Nodes with it are played by KWOK. */
export const FAKE_NODE = { 'kwok.x-k8s.io/node': 'fake' };

/** The components of test/programs/control-plane, and what each is told. */
export const COMPONENTS = {
  pki: ({ keys, api }) => [keys, `127.0.0.1:${api}`],

  etcd: ({ folder, etcd, peer }) => {
    const client = `http://127.0.0.1:${etcd}`;
    const between = `http://127.0.0.1:${peer}`;
    return [
      ...['--data-dir', join(folder, 'etcd'), '--log-level', 'warn', '--unsafe-no-fsync'],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', between, '--initial-advertise-peer-urls', between],
      ...['--initial-cluster', `default=${between}`],
    ];
  },

  'kube-apiserver': ({ keys, api, etcd }) => [
    ...['--etcd-servers', `http://127.0.0.1:${etcd}`, '--bind-address', '127.0.0.1', '--secure-port', String(api)],
    ...['--tls-cert-file', join(keys, 'tls.crt'), '--tls-private-key-file', join(keys, 'tls.key')],
    ...['--client-ca-file', join(keys, 'ca.crt'), '--service-account-issuer', 'https://kubernetes.default.svc'],
    ...['--service-account-key-file', join(keys, 'sa.key')],
    ...['--service-account-signing-key-file', join(keys, 'sa.key')],
    ...['--service-cluster-ip-range', '10.96.0.0/16', '--endpoint-reconciler-type', 'none'],
    // Privileged pods as on EKS; the node selector of a namespace keeps the pods of a test on its own nodes.
    ...['--allow-privileged=true', '--authorization-mode', 'Node,RBAC'],
    ...['--enable-admission-plugins', 'NodeRestriction,PodNodeSelector'],
  ],

  'kube-controller-manager': ({ keys }) => [
    ...['--kubeconfig', join(keys, 'kube-controller-manager.kubeconfig'), '--use-service-account-credentials'],
    ...['--service-account-private-key-file', join(keys, 'sa.key'), '--root-ca-file', join(keys, 'ca.crt')],
    ...['--leader-elect=false', '--secure-port', '0', '--kube-api-qps', '200', '--kube-api-burst', '400'],
  ],

  'kube-scheduler': ({ keys }) => [
    ...['--kubeconfig', join(keys, 'kube-scheduler.kubeconfig'), '--leader-elect=false', '--secure-port', '0'],
  ],

  kwok: ({ keys }) => [
    ...['--kubeconfig', join(keys, 'admin.kubeconfig'), '--config', STAGES, '--cidr', '10.244.0.0/16'],
    ...['--manage-all-nodes=false', '--manage-nodes-with-annotation-selector', Object.entries(FAKE_NODE)[0]!.join('=')],
    ...['--node-lease-duration-seconds', '40'],
  ],
} satisfies Record<string, (layout: Layout) => string[]>;

/** What the controller of LWS reads from a file. */
export function lwsConfiguration({ keys, hook }: Layout): object {
  return {
    apiVersion: 'config.lws.x-k8s.io/v1alpha1',
    kind: 'Configuration',
    webhook: { host: '127.0.0.1', port: hook, certDir: keys },
    leaderElection: { leaderElect: false },
    metrics: { bindAddress: '0' },
    health: { healthProbeBindAddress: '0' },
    internalCertManagement: { enable: false },
  };
}
