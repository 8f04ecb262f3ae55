import type { Resource } from '../resource';
import type { Run } from '../run';
import { entryResource } from './access-entry';
import { addOnResource } from './add-on';
import { associationResource } from './association';
import { clusterResource } from './cluster';
import { templateResource } from './launch-template';
import { nodeGroupResource } from './node-group';
import { nodeTagsResource } from './node-tags';

/** Everything that a file asks for, in an order in which each stands behind what it needs. */
export function resourcesOf(run: Run): Resource<unknown>[] {
  const { file } = run;
  return [
    clusterResource(run),
    ...(file.nodeGroup.launchTemplate === undefined ? [templateResource(run)] : []),
    ...file.accessEntries.map((entry) => entryResource(run, entry)),
    ...file.podIdentities.map((wanted) => associationResource(run, wanted)),
    nodeGroupResource(run),
    nodeTagsResource(run),
    ...file.addOns.map((addOn) => addOnResource(run, addOn)),
  ] as Resource<unknown>[];
}
