import { get, dig, listOf, mapOf } from '../../src/manifest/json';
import type { KubernetesObject } from '../../src/manifest/object';

const PROBE_LABEL = { 'test.cdk8s-vllm/template': 'probe' };

/**
 * The pod templates of a LeaderWorkerSet, each in a StatefulSet, as LWS will make them. The API server judges a template there; in
 * a LeaderWorkerSet it does not look at one, and warns of nothing.
 */
export function asStatefulSets(lws: KubernetesObject): KubernetesObject[] {
  const spec = get(lws.spec, 'leaderWorkerTemplate');
  const claims = listOf(get(spec, 'volumeClaimTemplates'));
  const retention = get(spec, 'persistentVolumeClaimRetentionPolicy');
  return ['leader', 'worker'].flatMap((role) => {
    const template = mapOf(get(spec, `${role}Template`));
    if (template === undefined) {
      return [];
    }
    const metadata = mapOf(template.metadata);
    const labels = { ...mapOf(metadata?.labels), ...PROBE_LABEL };
    return {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: `probe-${role}`, namespace: lws.metadata.namespace },
      spec: {
        serviceName: 'probe',
        selector: { matchLabels: PROBE_LABEL },
        template: { ...template, metadata: { ...metadata, labels } },
        ...(claims.length > 0 && { volumeClaimTemplates: claims }),
        ...(retention !== undefined && { persistentVolumeClaimRetentionPolicy: retention }),
      },
    };
  });
}

/**
 * The last pods of a LeaderWorkerSet as its controllers make them: what they add to names and labels has to fit as well. A revision
 * hash has up to ten characters.
 */
export function asLastPods(lws: KubernetesObject): KubernetesObject[] {
  const template = get(lws.spec, 'leaderWorkerTemplate');
  const rollout = dig(lws.spec, 'rolloutStrategy', 'rollingUpdateConfiguration');
  const count = (value: unknown, unsaid: number) => (typeof value === 'number' ? value : unsaid);
  const group = Math.max(0, count(get(lws.spec, 'replicas'), 1) + count(get(rollout, 'maxSurge'), 0) - 1);
  const size = count(get(template, 'size'), 1);
  const { name, namespace } = lws.metadata;
  const leader = get(template, 'leaderTemplate') ?? get(template, 'workerTemplate');
  const pods = [
    { from: leader, made: `${name}-${group}`, by: name },
    ...(size > 1
      ? [{ from: get(template, 'workerTemplate'), made: `${name}-${group}-${size - 1}`, by: `${name}-${group}` }]
      : []),
  ];
  return pods.map(({ from, made, by }) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...mapOf(get(from, 'metadata')),
      name: made,
      namespace,
      labels: {
        ...mapOf(dig(from, 'metadata', 'labels')),
        'controller-revision-hash': `${by}-${'0'.repeat(10)}`,
        'statefulset.kubernetes.io/pod-name': made,
      },
    },
    spec: get(from, 'spec'),
  }));
}

/** What makes pods of a template, besides LeaderWorkerSets. */
export function isWorkload({ kind }: KubernetesObject): boolean {
  return ['Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet', 'Job'].includes(kind);
}

/** The pod that a workload's template describes. */
export function asPod({ spec, metadata }: KubernetesObject): KubernetesObject {
  const template = get(spec, 'template');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...mapOf(get(template, 'metadata')), name: 'probe', namespace: metadata.namespace },
    spec: dig(template, 'spec'),
  };
}
