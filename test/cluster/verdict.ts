import type { KubernetesObject } from '../../src/manifest/object';
import { describe as describeFinding, runRules } from '../../src/rules/index';
import { admissionFaults } from './admission';
import { client } from './harness/given';
import { Place } from './harness/place';
import { groupPath } from './live';
import { whyNotAvailable, whyNotServing } from './serving';

/** All that is wrong with a bundle by every means that there is: rules, admission, and on two nodes what becomes of it. */
export async function faultsOf(objects: readonly KubernetesObject[]): Promise<string[]> {
  const rules = runRules(objects)
    .filter(({ severity }) => severity !== 'note')
    .map(describeFinding);
  const place = await Place.make();
  try {
    await place.addNodes(2);
    const refused = await admissionFaults(objects, place, { dryRun: false });
    // What is refused has its reason already; what follows from it is not long in coming.
    const looks = refused.length > 0 ? 20 : undefined;
    const groups = objects.filter(({ kind }) => kind === 'LeaderWorkerSet').map(({ metadata }) => metadata.name);
    const deployments = objects.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
    const isThere = async (path: string): Promise<boolean> => (await client().get(path)).status === 200;
    const became: string[] = [];
    for (const name of groups) {
      became.push(...((await isThere(groupPath(place, name))) ? await whyNotServing(place, name, looks) : []));
    }
    for (const name of deployments) {
      const path = `${place.api('apps/v1')}/deployments/${name}`;
      became.push(...((await isThere(path)) ? await whyNotAvailable(place, name, looks) : []));
    }
    return [...new Set([...rules, ...refused, ...became])];
  } finally {
    await place.leave();
  }
}
