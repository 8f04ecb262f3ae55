import type { KubernetesObject } from '../../src/manifest/object';
import { describe as describeFinding, runRules } from '../../src/rules/index';
import { admissionFaults } from './admission';
import { only } from './bundles';
import { client } from './harness/given';
import { Place } from './harness/place';
import { groupPath } from './live';
import { whyNotServing } from './serving';

/** All that is wrong with a bundle by every means that there is: rules, admission, and on two nodes what becomes of it. */
export async function faultsOf(objects: readonly KubernetesObject[]): Promise<string[]> {
  const rules = runRules(objects)
    .filter(({ severity }) => severity === 'error')
    .map(describeFinding);
  const place = await Place.make();
  try {
    await place.addNodes(2);
    const refused = await admissionFaults(objects, place, { dryRun: false });
    const name = only(objects, 'LeaderWorkerSet').metadata.name;
    const isThere = (await client().get(groupPath(place, name))).status === 200;
    return [...rules, ...refused, ...(isThere ? await whyNotServing(place, name) : [])];
  } finally {
    await place.leave();
  }
}
