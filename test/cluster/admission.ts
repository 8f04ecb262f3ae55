import type { KubernetesObject } from '../../src/manifest/object';
import { type Answer, messageOf } from './harness/client';
import { client } from './harness/given';
import type { Place } from './harness/place';
import { asLastPods, asPod, asStatefulSets, isWorkload } from './templates';

/** What the API server has against an object: its refusal, or each of its warnings. */
export function objections(answer: Answer): string[] {
  return answer.status >= 300 ? [messageOf(answer)] : [...answer.warnings];
}

/**
 * What a real API server has against a bundle, object by object. Of a LeaderWorkerSet it is asked about the StatefulSets and the pods
 * too that will be made of its templates, of another workload about its pod.
 * @param dryRun whether nothing is kept
 */
export async function admissionFaults(
  objects: readonly KubernetesObject[],
  place: Place,
  { dryRun = true } = {},
): Promise<string[]> {
  const faults: string[] = [];
  const ask = async (name: string, asked: () => Promise<Answer>) => {
    try {
      faults.push(...objections(await asked()).map((what) => `${name}: ${what}`));
    } catch (error) {
      // A kind that the API server does not know has nowhere to be sent to.
      faults.push(`${name}: ${(error as Error).message}`);
    }
  };
  for (const namespace of objects.filter(({ kind }) => kind === 'Namespace')) {
    // By its own name as well, which it does not have in the place.
    await ask(`Namespace/${namespace.metadata.name}`, async () => await client().apply(namespace, { dryRun: true }));
  }
  for (const object of place.move(objects)) {
    const name = `${object.kind}/${object.metadata.name}`;
    const isGroup = object.kind === 'LeaderWorkerSet';
    for (const probe of isGroup ? asStatefulSets(object) : []) {
      const template = probe.metadata.name.replace('probe-', '');
      await ask(`${name} ${template}Template`, async () => await client().apply(probe, { dryRun: true }));
    }
    for (const pod of isGroup ? asLastPods(object) : isWorkload(object) ? [asPod(object)] : []) {
      await ask(`${name} Pod/${pod.metadata.name}`, async () => await client().create(pod, { dryRun: true }));
    }
    // Last, since it may bring pods of the same names.
    await ask(name, async () => await client().apply(object, { dryRun }));
  }
  return faults;
}

/** Labels of a namespace that refuses pods above a Pod Security level, and warns of workloads that will make some. */
export function securityLevel(level: string): Record<string, string> {
  return Object.fromEntries(['enforce', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, level]));
}
