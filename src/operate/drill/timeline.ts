import type { DrillStep, StepName } from './report';

/** What is seen of a pod at one moment. */
export interface PodSeen {
  /** Milliseconds since 1970, by the clock of this machine. */
  readonly at: number;
  readonly uid: string;
  readonly rank: number;
  readonly name: string;
  readonly isGone: boolean;
  readonly isGoing: boolean;
  readonly node?: string;
  /** Restarts and ends of the container that runs vLLM. */
  readonly ended: number;
  /** When its container started: milliseconds since 1970. */
  readonly startedAt?: number;
  readonly isReady: boolean;
}

/** A drill of one fault, as it was seen. */
export interface Seen {
  readonly faultAt: number;
  readonly size: number;
  /** UIDs that were there before, by rank. */
  readonly before: readonly string[];
  /** UIDs of pods that the fault itself deleted. */
  readonly deleted: readonly string[];
  readonly pods: readonly PodSeen[];
  /** First 200 of the new leader's /health, and the first token of a request to it. */
  readonly loadedAt?: number;
  readonly tokenAt?: number;
}

/** The moments of a recovery; those that did not come are left out. */
export function timelineOf(seen: Seen): DrillStep[] {
  const { faultAt, pods, before, deleted, size, loadedAt, tokenAt } = seen;
  const after = pods.filter(({ at }) => at >= faultAt);
  const isOld = ({ uid }: PodSeen): boolean => before.includes(uid);
  const detected = after.find(
    (pod) =>
      isOld(pod) && ((!deleted.includes(pod.uid) && (pod.isGoing || pod.isGone)) || pod.ended > endsBefore(seen, pod)),
  );
  // A worker that is deleted gets a successor which goes with the rest of its group.
  const gonePods = new Set(after.filter(({ isGone }) => isGone).map(({ uid }) => uid));
  const news = after.filter((pod) => !isOld(pod) && !gonePods.has(pod.uid));
  const all = (count: number, of: readonly PodSeen[], has: (pod: PodSeen) => boolean): PodSeen | undefined =>
    lastOfFirsts(count, of.filter(has));
  const gone = lastOfFirsts(
    before.length,
    after.filter((pod) => isOld(pod) && pod.isGone),
    ({ uid }) => uid,
  );
  const started = all(size, news, ({ startedAt }) => startedAt !== undefined);
  // The kubelet's second may end behind what was seen within it.
  const startedAt = started && Math.min(startOf(news, size), loadedAt ?? Infinity);
  const moments: [StepName, number | undefined, string][] = [
    ['detected', detected?.at, detected === undefined ? '' : detectedWords(detected, seen)],
    ['old pods gone', gone?.at, `${before.length} pods are gone`],
    ['recreated', all(size, news, () => true)?.at, `${size} new pods`],
    ['scheduled', all(size, news, ({ node }) => node !== undefined)?.at, nodesOf(news)],
    ['started', startedAt, 'the container of every rank runs'],
    ['loaded', loadedAt, '/health of the new leader is 200'],
    ['ready', all(size, news, ({ isReady }) => isReady)?.at, 'every pod is Ready: the Service leads there'],
    ['first token', tokenAt, 'a request to the new leader is answered'],
  ];
  return moments.flatMap(([step, at, what]) =>
    at === undefined ? [] : [{ step, seconds: Math.max(0, round((at - faultAt) / 1000)), what }],
  );
}

/** What recovery itself cost: all but the time from the start of the last container to the first 200. */
export function costsOf(steps: readonly DrillStep[]): { total?: number; load?: number; overhead?: number } {
  const at = (name: StepName): number | undefined => steps.find(({ step }) => step === name)?.seconds;
  const [started, loaded, token] = [at('started'), at('loaded'), at('first token')];
  const load = started === undefined || loaded === undefined ? undefined : round(Math.max(0, loaded - started));
  return {
    ...(token !== undefined && { total: token }),
    ...(load !== undefined && { load }),
    ...(token !== undefined && load !== undefined && { overhead: round(token - load) }),
  };
}

/** The newest pod of each rank, by rank; nothing where a rank has none. */
export function newestOf({ pods, size }: Seen): (string | undefined)[] {
  const gone = new Set(pods.filter(({ isGone }) => isGone).map(({ uid }) => uid));
  return Array.from(
    { length: size },
    (_, rank) => pods.findLast((each) => each.rank === rank && !gone.has(each.uid))?.uid,
  );
}

/** When the last rank was seen to have done something for the first time. A rank may have several pods one after another: the last one counts. */
function lastOfFirsts(
  count: number,
  pods: readonly PodSeen[],
  key: (pod: PodSeen) => string = ({ rank }) => String(rank),
): PodSeen | undefined {
  const firsts = new Map<string, PodSeen>();
  for (const pod of pods) {
    const known = firsts.get(key(pod));
    if (known === undefined || known.uid !== pod.uid) {
      firsts.set(key(pod), pod);
    }
  }
  return firsts.size < count ? undefined : [...firsts.values()].sort((a, b) => a.at - b.at).at(-1);
}

/** The start of the last container: the kubelet says when, to the second, and that it was before it was told. */
function startOf(news: readonly PodSeen[], size: number): number {
  const starts = Array.from({ length: size }, (_, rank) => {
    const seen = news.filter((pod) => pod.rank === rank && pod.startedAt !== undefined);
    const last = seen.findLast((pod) => pod.uid === seen.at(-1)!.uid)!;
    const first = seen.find(({ uid }) => uid === last.uid)!;
    const said = first.startedAt! + 1000;
    // A clock that goes wrong on the node is of no use.
    return said <= first.at && first.at - said < 5000 ? said : first.at;
  });
  return Math.max(...starts);
}

function endsBefore({ pods, faultAt }: Seen, { uid }: PodSeen): number {
  return pods.findLast((pod) => pod.uid === uid && pod.at < faultAt)?.ended ?? 0;
}

function detectedWords({ name, isGoing, isGone, ended, uid }: PodSeen, seen: Seen): string {
  const has = ended > endsBefore(seen, { uid } as PodSeen);
  return has
    ? `${name} ended${seen.deleted.includes(uid) ? '' : ' by itself'}`
    : isGoing || isGone
      ? `${name} is deleted as well`
      : name;
}

function nodesOf(pods: readonly PodSeen[]): string {
  const nodes = new Map(pods.flatMap(({ rank, node }) => (node === undefined ? [] : [[rank, node] as const])));
  return [...nodes]
    .sort(([a], [b]) => a - b)
    .map(([rank, node]) => `rank ${rank} on ${node}`)
    .join(', ');
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
