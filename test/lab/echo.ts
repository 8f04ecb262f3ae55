import { smallGroup } from './small-group';

const SCRIPT =
  'mkdir -p /tmp/web; echo "$(hostname) leader=$LWS_LEADER_ADDRESS index=$LWS_WORKER_INDEX" > /tmp/web/index.html; ' +
  'echo serving; exec httpd -f -p 8000 -h /tmp/web';

/** A group of two small pods, each of which says its name, and a Service that leads to the first. */
export function echoGroup(namespace: string): object[] {
  const template = (role: string) => ({
    metadata: { labels: { app: 'echo', role } },
    spec: {
      terminationGracePeriodSeconds: 1,
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { app: 'echo' } }, topologyKey: 'kubernetes.io/hostname' },
          ],
        },
      },
      containers: [
        {
          name: 'echo',
          image: 'docker.io/lab/base:1',
          command: ['sh', '-c', SCRIPT],
          readinessProbe: { httpGet: { path: '/', port: 8000 }, periodSeconds: 1 },
          resources: { requests: { cpu: '50m', memory: '16Mi' }, limits: { memory: '64Mi' } },
        },
      ],
    },
  });
  return [
    ...smallGroup(namespace, 'echo', template),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'echo-leader', namespace },
      spec: { selector: { app: 'echo', role: 'leader' }, ports: [{ port: 80, targetPort: 8000 }] },
    },
  ];
}
