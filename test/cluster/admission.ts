import type { KubernetesObject } from '../../src/manifest/object';
import { type Answer, messageOf } from './harness/client';
import { client } from './harness/given';
import type { Place } from './harness/place';
import { asLastPods, asStatefulSets } from './templates';

/** What the API server has against an object: its refusal, or each of its warnings. */
export function objections(answer: Answer): string[] {
  return answer.status >= 300 ? [messageOf(answer)] : [...answer.warnings];
}

/**
 * What a real API server has against a bundle, object by object. Of a LeaderWorkerSet it is asked about the StatefulSets and the pods
 * too that will be made of its templates.
 * @param dryRun whether nothing is kept
 */
export async function admissionFaults(
  objects: readonly KubernetesObject[],
  place: Place,
  { dryRun = true } = {},
): Promise<string[]> {
  const faults: string[] = [];
  const ask = async (object: KubernetesObject, name: string, isDry: boolean) => {
    const answer = await client().apply(object, { dryRun: isDry });
    faults.push(...objections(answer).map((what) => `${name}: ${what}`));
  };
  for (const object of place.move(objects)) {
    const name = `${object.kind}/${object.metadata.name}`;
    if (object.kind === 'LeaderWorkerSet') {
      for (const probe of asStatefulSets(object)) {
        await ask(probe, `${name} ${probe.metadata.name.replace('probe-', '')}Template`, true);
      }
      for (const pod of asLastPods(object)) {
        const answer = await client().create(pod, { dryRun: true });
        faults.push(...objections(answer).map((what) => `${name} Pod/${pod.metadata.name}: ${what}`));
      }
    }
    // Last, since it may bring pods of the same names.
    await ask(object, name, dryRun);
  }
  return faults;
}

/** Labels of a namespace that refuses pods above a Pod Security level, and warns of workloads that will make some. */
export function securityLevel(level: string): Record<string, string> {
  return Object.fromEntries(['enforce', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, level]));
}
