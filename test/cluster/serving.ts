import type { KubernetesObject } from '../../src/manifest/object';
import { only } from './bundles';
import { client } from './harness/given';
import type { Place } from './harness/place';
import { until } from './harness/wait';
import { complaints, conditionOf, type Group, groupPath, type Pod, untilAvailable } from './live';

/** So many looks in a row have to find a complaint: the scheduler may see a pod before a node, and a webhook be slow once. */
const LASTING = 120;

/** What keeps a group from serving; nothing once it serves. */
export async function whyNotServing(place: Place, name: string, looks = LASTING): Promise<string[]> {
  return await lastingReasons(place, 'LeaderWorkerSet', name, looks, async () => {
    const { body } = await client().get<Group>(groupPath(place, name));
    return isAvailable(body) ? await unresolvable(place, name) : undefined;
  });
}

/** What keeps a Deployment from having all its pods; nothing once it has them. */
export async function whyNotAvailable(place: Place, name: string, looks = LASTING): Promise<string[]> {
  const path = `${place.api('apps/v1')}/deployments/${name}`;
  return await lastingReasons(place, 'Deployment', name, looks, async () => {
    const { body } = await client().get<Group>(path);
    return isAvailable(body) ? [] : undefined;
  });
}

/** Waits until what is asked about is well, or there has been something against it for a while. */
async function lastingReasons(
  place: Place,
  kind: string,
  name: string,
  lasting: number,
  ask: () => Promise<string[] | undefined>,
): Promise<string[]> {
  let looks = 0;
  return await until(`${kind}/${name} to serve or to give a reason`, async () => {
    const answer = await ask();
    if (answer !== undefined) {
      return answer;
    }
    const found = await reasons(place, name);
    looks = found.length > 0 ? looks + 1 : 0;
    return looks >= lasting && found;
  });
}

function isAvailable(body: Group): boolean {
  const isCurrent = body.status?.observedGeneration === body.metadata.generation;
  return isCurrent && conditionOf(body, 'Available')?.status === 'True';
}

/** Pods that find no node, and those that cannot be made, of a workload by its name. */
async function reasons(place: Place, name: string): Promise<string[]> {
  const pods = (await client().list<Pod>(`${place.core}/pods`)).filter((pod) => pod.metadata.name.startsWith(name));
  const pending = pods.flatMap((pod) => {
    const scheduled = conditionOf(pod, 'PodScheduled');
    return scheduled?.status === 'False' ? [`Pod/${pod.metadata.name}: ${scheduled.message}`] : [];
  });
  const refused = (await complaints(place)).filter(
    (each) => each.includes(`/${name}`) && each.includes('FailedCreate'),
  );
  return [...pending, ...refused];
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
