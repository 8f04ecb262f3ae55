import { didYouMean } from '../../common/nearest';
import { dig, get, listOf, textOf } from '../../manifest/json';
import type { KubernetesObject } from '../../manifest/object';
import { CPU_GROUP, edit } from '../examples';
import { listed } from '../words';
import { isPlaceholder } from './placeholder';
import type { Report, Rule, RuleInput } from '../rule';
import { eachPod } from './containers';

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { workload, pod } of eachPod(workloads)) {
    const written = get(pod.raw, 'volumes');
    if (written !== undefined && written !== null && !Array.isArray(written)) {
      continue;
    }
    const names = [...listOf(written), ...claimsOf(workload.object)].map(nameOf);
    // A volume whose name is not to be read may be any of them.
    if (names.some((name) => name === undefined || isPlaceholder(name))) {
      continue;
    }
    const known = new Set(names as string[]);
    for (const { mounts } of [...pod.initContainers, ...pod.containers]) {
      for (const { name, path } of mounts) {
        if (!known.has(name) && !isPlaceholder(name)) {
          yield {
            object: workload.object,
            path: `${path}.name`,
            what: `no volume of the pod is called '${name}'${didYouMean(name, known) || (known.size > 0 ? `; there is ${listed([...known])}` : '')}`,
          };
        }
      }
    }
  }
}

/** Claims that a controller makes a volume of each pod from. */
function claimsOf(object: KubernetesObject): readonly unknown[] {
  const path = object.kind === 'StatefulSet' ? [] : ['leaderWorkerTemplate'];
  return listOf(dig(object, 'spec', ...path, 'volumeClaimTemplates')).map((claim) => get(claim, 'metadata'));
}

function nameOf(named: unknown): string | undefined {
  return textOf(get(named, 'name'));
}

export const unknownVolume: Rule = {
  id: 'k8s/unknown-volume',
  severity: 'error',
  title: 'a container mounts a volume that the pod does not have',
  why: 'the API server refuses the pods; of a LeaderWorkerSet it takes the group, and then no pod is made',
  fix: 'add the volume to the pod, or name one that is there',
  source: 'validation of pods in the Kubernetes API; a group on a real controller',
  get bad() {
    return edit(CPU_GROUP, ['volumeMounts: [{ name: shm,', 'volumeMounts: [{ name: dshm,']);
  },
  good: CPU_GROUP,
  check,
};
