import { client } from './harness/given';
import type { Answer } from './harness/client';
import type { Place } from './harness/place';
import { until } from './harness/wait';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly { readonly env: readonly { readonly name: string; readonly value?: string }[] }[];
  };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly qosClass: string;
    readonly conditions?: readonly Condition[];
  };
}

export interface Group {
  readonly metadata: { readonly generation: number; readonly uid: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

export const LWS_API = 'leaderworkerset.x-k8s.io/v1';

export function groupPath(place: Place, name: string): string {
  return `${place.api(LWS_API)}/leaderworkersets/${name}`;
}

/** The pods of a group by their names, without those that are going. */
export async function podsOf(place: Place, name: string): Promise<Map<string, Pod>> {
  const selector = encodeURIComponent(`leaderworkerset.sigs.k8s.io/name=${name}`);
  const pods = await client().list<Pod>(`${place.core}/pods?labelSelector=${selector}`);
  return new Map(
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map((pod) => [pod.metadata.name, pod]),
  );
}

export function conditionOf(
  { status }: { readonly status?: { readonly conditions?: readonly Condition[] } },
  type: string,
): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Waits until LWS says of the group as it was last applied that all of it serves. */
export async function untilAvailable(place: Place, name: string): Promise<Map<string, Pod>> {
  const path = groupPath(place, name);
  await until(
    `LeaderWorkerSet/${name} to be available`,
    async () => {
      const { body } = await client().get<Group>(path);
      return (
        body.status?.observedGeneration === body.metadata.generation &&
        conditionOf(body, 'Available')?.status === 'True' &&
        conditionOf(body, 'UpdateInProgress')?.status !== 'True'
      );
    },
    async () => [(await client().get<Group>(path)).body.status, await complaints(place)],
  );
  return await podsOf(place, name);
}

/** Why a pod is not bound to a node, once the scheduler has said so. */
export async function untilPending(place: Place, name: string, pod: string): Promise<string> {
  return await until(`Pod/${pod} to be refused by the scheduler`, async () => {
    const found = (await podsOf(place, name)).get(pod);
    const scheduled = found && conditionOf(found, 'PodScheduled');
    return scheduled?.status === 'False' && scheduled.message;
  });
}

/** What the scheduler says of nodes of other tests: they do not match, have been cordoned there, or are not ready yet. Ours have no taints. */
const OF_OTHERS =
  /^(\d+) node\(s\) (?:didn't match Pod's node affinity\/selector|were unschedulable|had untolerated taint.*)$/;

/** What the scheduler says of the nodes of this test; those of others are in its sum. */
export function ofOwnNodes(message: string): string {
  const sentence = message.slice(0, message.indexOf('. ') + 1);
  const [, all = '', reasons = ''] = /^0\/(\d+) nodes are available: (.*)\.$/.exec(sentence) ?? [];
  const told = reasons.split(', ').map((reason) => ({ reason, others: Number(OF_OTHERS.exec(reason)?.[1] ?? 0) }));
  const own = told.filter(({ others }) => others === 0).map(({ reason }) => reason);
  const count = Number(all) - told.reduce((sum, { others }) => sum + others, 0);
  return `0/${count} nodes are available: ${own.join(', ')}.`;
}

export interface HappenedEvent {
  readonly type: string;
  readonly reason: string;
  readonly note?: string;
  readonly regarding?: { readonly kind: string; readonly name: string };
}

export async function eventsOf(place: Place): Promise<readonly HappenedEvent[]> {
  return await client().list<HappenedEvent>(`${place.api('events.k8s.io/v1')}/events`);
}

/** The warnings among the events of a namespace. */
export async function complaints(place: Place): Promise<string[]> {
  return (await eventsOf(place))
    .filter(({ type }) => type === 'Warning')
    .map(({ reason, regarding, note }) => `${regarding?.kind}/${regarding?.name} ${reason}: ${note}`);
}

/** Addresses behind a Service, and whether requests may go there. */
export async function endpointsOf(place: Place, service: string): Promise<(readonly [string, boolean])[]> {
  const selector = encodeURIComponent(`kubernetes.io/service-name=${service}`);
  const path = `${place.api('discovery.k8s.io/v1')}/endpointslices?labelSelector=${selector}`;
  const slices = await client().list<Slice>(path);
  return slices.flatMap(({ endpoints }) =>
    (endpoints ?? []).map(({ addresses, conditions }) => [addresses[0]!, conditions.ready] as const),
  );
}

interface Slice {
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly conditions: { readonly ready: boolean };
  }[];
}

/** As the kubelet reports it. */
export async function restartContainer(place: Place, pod: string): Promise<Answer> {
  const change = { op: 'replace', path: '/status/containerStatuses/0/restartCount', value: 1 };
  return await client().jsonPatch(`${place.core}/pods/${pod}/status`, [change]);
}

/** As the drain of a node asks for it. */
export async function evict(place: Place, pod: string): Promise<Answer> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod } };
  return await client().send(
    'POST',
    `${place.core}/pods/${pod}/eviction`,
    JSON.stringify(eviction),
    'application/json',
  );
}

export function uidsOf(pods: ReadonlyMap<string, Pod>): string[] {
  return [...pods.values()].map(({ metadata }) => metadata.uid);
}
