/** A namespace with groups of two pods, a template for each role. */
export function smallGroup(
  namespace: string,
  name: string,
  template: (role: string) => object,
  replicas = 1,
): object[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'leaderworkerset.x-k8s.io/v1',
      kind: 'LeaderWorkerSet',
      metadata: { name, namespace },
      spec: {
        replicas,
        leaderWorkerTemplate: {
          size: 2,
          restartPolicy: 'RecreateGroupOnPodRestart',
          leaderTemplate: template('leader'),
          workerTemplate: template('worker'),
        },
      },
    },
  ];
}
