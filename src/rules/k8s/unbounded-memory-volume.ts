import type { RolePod } from '../../manifest/groups';
import { dig, get, listOf } from '../../manifest/json';
import { edit, GPU_GROUP } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { eachPod } from './containers';

function* check({ set, manifests: { workloads } }: RuleInput): Iterable<Report> {
  // A default limit of the namespace bounds it.
  const limited = new Set(
    set
      .ofKind('LimitRange')
      .filter(({ spec }) => listOf(get(spec, 'limits')).some((limit) => dig(limit, 'default', 'memory') !== undefined))
      .map(({ metadata }) => metadata.namespace ?? ''),
  );
  for (const { workload, pod } of eachPod(workloads)) {
    if (limited.has(workload.namespace) || dig(pod.raw, 'resources', 'limits', 'memory') !== undefined) {
      continue;
    }
    for (const volume of pod.volumes) {
      const isUnbounded =
        volume.kind === 'emptyDir' &&
        volume.medium === 'Memory' &&
        (dig(volume.raw, 'emptyDir', 'sizeLimit') ?? undefined) === undefined &&
        isWrittenWithoutLimit(pod, volume.name);
      if (isUnbounded) {
        yield {
          object: workload.object,
          path: volume.path,
          // Not what this is about: the database beside the engine.
          ...(pod.engines.length === 0 && { severity: 'note' }),
          what: `the memory volume '${volume.name}' has no sizeLimit, and a container that mounts it no memory limit`,
        };
      }
    }
  }
}

function isWrittenWithoutLimit(pod: RolePod, volume: string): boolean {
  return pod.containers.some(
    ({ mounts, raw }) =>
      mounts.some(({ name, isReadOnly }) => name === volume && !isReadOnly) &&
      (dig(raw, 'resources', 'limits', 'memory') ?? undefined) === undefined,
  );
}

export const unboundedMemoryVolume: Rule = {
  id: 'k8s/unbounded-memory-volume',
  severity: 'warning',
  title: 'a memory volume without any bound',
  why: 'it may grow to the memory of the node, and other pods are ended for it',
  fix: 'give the volume a sizeLimit, and the container a memory limit',
  source: 'kubernetes/website#44949',
  get bad() {
    return edit(GPU_GROUP, [', sizeLimit: 16Gi', ''], ['limits: { memory: 512Gi, ', 'limits: { ']);
  },
  get good() {
    return edit(GPU_GROUP, [', sizeLimit: 16Gi', '']);
  },
  check,
};
