import type { KubernetesObject } from '../../src/manifest/object';
import { only } from './bundles';
import { client } from './harness/given';
import type { Place } from './harness/place';
import { until } from './harness/wait';
import { complaints, conditionOf, type Group, groupPath, type Pod, podsOf, untilAvailable } from './live';

/** So many looks in a row have to find a complaint: the scheduler may see a pod before a node, and a webhook be slow once. */
const LASTING = 120;

/** What keeps a group from serving; nothing once it serves. */
export async function whyNotServing(place: Place, name: string): Promise<string[]> {
  let looks = 0;
  return await until(`LeaderWorkerSet/${name} to serve or to give a reason`, async () => {
    const { body } = await client().get<Group>(groupPath(place, name));
    const isCurrent = body.status?.observedGeneration === body.metadata.generation;
    if (isCurrent && conditionOf(body, 'Available')?.status === 'True') {
      return await unresolvable(place, name);
    }
    const found = await reasons(place, name);
    looks = found.length > 0 ? looks + 1 : 0;
    return looks >= LASTING && found;
  });
}

async function reasons(place: Place, name: string): Promise<string[]> {
  const pending = [...(await podsOf(place, name)).values()].flatMap((pod) => {
    const scheduled = conditionOf(pod, 'PodScheduled');
    return scheduled?.status === 'False' ? [`Pod/${pod.metadata.name}: ${scheduled.message}`] : [];
  });
  return [...pending, ...(await complaints(place)).filter((each) => each.includes('FailedCreate'))];
}

/**
 * The address that the ranks are given has to lead to the leader, ready or not: by the Service that LWS makes, as it makes it. A Service
 * of the same name keeps it from being made, or is merged into it when it comes later.
 */
async function unresolvable(place: Place, name: string): Promise<string[]> {
  const { body } = await client().get<{ spec?: ServiceSpec }>(`${place.core}/services/${name}`);
  const { clusterIP, publishNotReadyAddresses, selector, ports } = body.spec ?? {};
  const isOfLws =
    clusterIP === 'None' &&
    publishNotReadyAddresses === true &&
    ports === undefined &&
    Object.keys(selector ?? {}).join() === 'leaderworkerset.sigs.k8s.io/name';
  return isOfLws ? [] : [`Service/${name}: not the headless one of LWS, but ${JSON.stringify(body.spec)}`];
}

interface ServiceSpec {
  readonly clusterIP?: string;
  readonly publishNotReadyAddresses?: boolean;
  readonly selector?: Readonly<Record<string, string>>;
  readonly ports?: unknown;
}

/** A bundle on as many nodes, serving. */
export async function serving(
  place: Place,
  nodes: number,
  objects: readonly KubernetesObject[],
): Promise<Map<string, Pod>> {
  await place.addNodes(nodes);
  await client().applyAll(place.move(objects));
  const { name } = only(objects, 'LeaderWorkerSet').metadata;
  const reasons = await whyNotServing(place, name);
  if (reasons.length > 0) {
    throw new Error(`LeaderWorkerSet/${name} does not serve: ${reasons.join('; ')}`);
  }
  return await untilAvailable(place, name);
}
