import { NEWEST_RELEASE } from '../../engine/releases';
import { DEFAULT_PORT } from '../../engine/server';
import { findGroup } from '../group/find';
import { type KeyGiven, keyOf, without } from '../group/key';
import { isWhole, leaderOf, type LiveGroup } from '../group/live';
import type { Member } from '../group/members';
import { ClusterFailure } from '../kubectl/failure';
import { portForward } from '../kubectl/forward';
import type { Kubectl } from '../kubectl/kubectl';
import { pause } from '../pause';
import type { Questions } from '../server/chat';
import { ask } from '../server/http';
import { versionOf } from '../server/release';
import { servedNames } from '../smoke/ask';
import { MAKERS, type Made } from './faults';
import type { NodeShell } from './node-shell';
import { boundOf, offersOf } from './offers';
import { Recorder } from './recorder';
import type { ClusterDrillReport, DrillFault, DrillFaultReport, DrillNotOffered } from './report';
import { Door, firstToken, InFlight, untilHealthy } from './requests';
import { costsOf, newestOf, type Seen, timelineOf } from './timeline';

/** What is drilled, and how. */
export interface DrillWanted {
  readonly kubectl: Kubectl;
  readonly group?: string;
  /** Empty for all that can be made. */
  readonly faults: readonly DrillFault[];
  /** Whether anything is done; else what would be is told. */
  readonly isMeant: boolean;
  readonly shell?: NodeShell;
  readonly model?: string;
  readonly key: KeyGiven;
  /** So long a group may take to come back. */
  readonly seconds: number;
  readonly say: (step: string) => void;
  /** Registers what puts right what a fault left, for signals. */
  readonly onFault?: (repair: () => Promise<void>) => void;
}

/** Tokens of the request in flight: more than come before the fault is seen, within what any model takes. */
const IN_FLIGHT_TOKENS = 1500;
/** Tokens that have to have come before a fault is made. */
const TOKENS_BEFORE = 5;
const REST_SECONDS = 5;
/** What is not part of any bound: the controllers, the scheduler, this measurement. */
const SLACK_SECONDS = 10;

/** Breaks a group that serves, fault by fault, and says how it came back. */
export async function drill(wanted: DrillWanted): Promise<ClusterDrillReport> {
  const { kubectl, isMeant } = wanted;
  const group = await wholeGroup(wanted);
  const { offered, notOffered } = await offersOf(kubectl, group, wanted.shell);
  const named = wanted.faults.filter((fault) => !offered.includes(fault));
  const chosen = wanted.faults.length === 0 ? offered : wanted.faults;
  const refused = notOffered.find(({ fault }) => named.includes(fault));
  if (refused !== undefined && isMeant) {
    throw new ClusterFailure('other', `${refused.fault} cannot be made here: ${refused.why}`);
  }
  const planned = chosen
    .filter((fault) => offered.includes(fault))
    .map((fault) => {
      const bound = boundOf(fault, group);
      return { fault, does: MAKERS[fault].does, ...(bound && { bound }) };
    });
  const { kind, name, namespace, size, pods } = group;
  const about = {
    group: { kind, name, namespace, size, nodes: pods.map(({ node }) => node ?? '') },
    isDryRun: !isMeant,
    planned,
    notOffered,
  };
  if (!isMeant) {
    return { ...about, faults: [], held: true };
  }
  const key = await keyOf(kubectl, leaderOf(group)!, wanted.key);
  const { questions, version } = await askingOf(wanted, group, key?.value);
  const faults: DrillFaultReport[] = [];
  const failed: DrillNotOffered[] = [];
  for (const { fault } of planned) {
    const whole = await wholeGroup(wanted);
    try {
      faults.push(await drillOne(wanted, whole, fault, questions));
    } catch (error) {
      // What the others showed is not lost for it.
      if (!(error instanceof ClusterFailure)) {
        throw error;
      }
      failed.push({ fault, why: error.message });
      continue;
    }
    if (faults.at(-1)!.steps.every(({ step }) => step !== 'first token')) {
      // There is nothing left to break.
      break;
    }
  }
  const report = {
    ...about,
    notOffered: [...notOffered, ...failed],
    ...(version !== undefined && { vllm: version }),
    faults,
  };
  return without(
    { ...report, held: faults.length === planned.length && faults.every(({ held }) => held === 'yes') },
    key,
  );
}

/** One fault, and the way back. */
async function drillOne(
  wanted: DrillWanted,
  group: LiveGroup,
  fault: DrillFault,
  questions: Questions,
): Promise<DrillFaultReport> {
  const { kubectl, shell, say, seconds } = wanted;
  const { isIdle, make } = MAKERS[fault];
  const bound = boundOf(fault, group);
  const recorder = await Recorder.open(kubectl, group);
  const forward = await portForward(kubectl, leaderOf(group)!.name, portOf(group));
  let request: InFlight | undefined;
  try {
    const base = `http://${forward.host}:${forward.port}`;
    if (isIdle) {
      await pause(REST_SECONDS);
    } else {
      request = await running(base, questions);
    }
    const members = recorder.present();
    say(`${fault}: ${MAKERS[fault].does}`);
    const made = await make({ kubectl, ...(shell && { shell }), leader: members[0]!, worker: members.at(-1)! });
    // A pod that goes was told to before `kubectl delete` returns.
    const faultAt = firstSign(recorder, made) ?? Date.now();
    if (made.repair !== undefined) {
      wanted.onFault?.(async () => void (await made.repair!()));
    }
    if (isIdle) {
      await pause(REST_SECONDS);
      request = new InFlight(base, { ...questions, outputTokens: 8 });
    }
    // A hang at rest costs nobody anything: what counts begins with the request that meets it.
    const countFrom = isIdle ? Date.now() : faultAt;
    const before = members.map(({ uid }) => uid);
    const seen = await recovery(wanted, recorder, { group, made, before, countFrom, questions, fault });
    const steps = timelineOf(seen);
    const { total, load, overhead } = costsOf(steps);
    const after = newestOf(seen).map((uid) => uid ?? '');
    const isWholeGroupNew = after.every((uid) => uid !== '' && !before.includes(uid));
    const limit = bound && bound.seconds + SLACK_SECONDS;
    const isHealed = total !== undefined && isWholeGroupNew;
    const held = isHealed && limit !== undefined && overhead !== undefined && overhead <= limit;
    return {
      fault,
      at: new Date(countFrom).toISOString(),
      did: made.did + (isIdle ? ', at rest; then a request was sent' : ''),
      request: await request!.report(countFrom),
      steps,
      isWholeGroupNew,
      before,
      after,
      ...(total !== undefined && { totalSeconds: total }),
      ...(load !== undefined && { loadSeconds: load }),
      ...(overhead !== undefined && { overheadSeconds: overhead }),
      ...(bound && { bound }),
      held: held ? 'yes' : 'no',
      said: saidOf({ total, overhead, isWholeGroupNew, limit, seconds, before, after }),
    };
  } finally {
    await forward.close();
    await recorder.close();
  }
}

interface Recovering {
  readonly group: LiveGroup;
  readonly made: Made;
  readonly before: readonly string[];
  readonly countFrom: number;
  readonly questions: Questions;
  readonly fault: DrillFault;
}

/** Looks on until a request is answered again, or the time is over. */
async function recovery(
  { kubectl, seconds, say }: DrillWanted,
  recorder: Recorder,
  { group, made, before, countFrom, questions, fault }: Recovering,
): Promise<Seen> {
  const end = Date.now() + seconds * 1000;
  const left = (): number => Math.max(0, (end - Date.now()) / 1000);
  const tell = (what: string): void => say(`${fault}: ${what}`);
  const isGone = (uid: string): boolean => recorder.last(uid)?.isGone === true;
  const newLeader = (): Member | undefined =>
    recorder
      .present()
      .find(({ uid, rank }) => rank === 0 && !before.includes(uid) && recorder.last(uid)?.startedAt !== undefined);
  let loadedAt: number | undefined;
  let tokenAt: number | undefined;
  try {
    if (await recorder.until(left(), () => before.every(isGone))) {
      tell('the old pods are gone');
    }
  } finally {
    if (made.repair !== undefined) {
      tell(await made.repair());
    }
  }
  while (left() > 0 && tokenAt === undefined) {
    if (!(await recorder.until(left(), () => newLeader() !== undefined))) {
      break;
    }
    const leader = newLeader()!;
    tell(`${leader.name} has started`);
    const isThere = (): boolean => left() > 0 && newLeader()?.uid === leader.uid;
    loadedAt = await untilHealthy(kubectl, leader, portOf(group), left());
    if (loadedAt !== undefined) {
      tell('/health is 200');
    }
    // The way there is opened meanwhile: what this program takes for it is no part of the recovery.
    const door = new Door(kubectl, leader, portOf(group));
    try {
      await door.open();
      // Who comes through the Service is let there when the pod is Ready, and not before.
      await recorder.until(left(), () => !isThere() || recorder.last(leader.uid)?.isReady === true);
      tokenAt = isThere() ? await firstToken(door, questions, isThere) : undefined;
    } finally {
      await door.close();
    }
    loadedAt = tokenAt === undefined ? undefined : (loadedAt ?? tokenAt);
  }
  tell(tokenAt === undefined ? `no answer within ${seconds} s` : 'a request is answered again');
  return {
    faultAt: countFrom,
    size: group.size,
    before,
    deleted: made.deleted,
    pods: recorder.seen,
    ...(loadedAt !== undefined && { loadedAt }),
    ...(tokenAt !== undefined && { tokenAt }),
  };
}

function saidOf(of: {
  readonly total: number | undefined;
  readonly overhead: number | undefined;
  readonly isWholeGroupNew: boolean;
  readonly limit: number | undefined;
  readonly seconds: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}): string {
  const { total, overhead, isWholeGroupNew, limit, seconds, before, after } = of;
  if (!isWholeGroupNew) {
    const old = after.flatMap((uid, rank) => (before.includes(uid) ? [rank] : []));
    return old.length === after.length
      ? `nothing ended it within ${seconds} s: every pod is still the one that it was`
      : `rank ${old.join(', ') || after.flatMap((uid, rank) => (uid === '' ? [rank] : [])).join(', ')} was not made anew with the others`;
  }
  if (total === undefined) {
    return `no request was answered within ${seconds} s`;
  }
  return limit === undefined
    ? 'it healed, though nothing in the manifest ends a hang: set stepTimeout (VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS)'
    : overhead !== undefined && overhead <= limit
      ? `it healed by itself, as one group`
      : `it healed, and took longer than the ${limit} s that the manifest allows`;
}

/** The moment when a pod was told to go, where the fault is that. */
function firstSign(recorder: Recorder, { deleted }: Made): number | undefined {
  return recorder.seen.find(({ uid, isGoing }) => isGoing && deleted.includes(uid))?.at;
}

async function running(base: string, questions: Questions): Promise<InFlight> {
  const request = new InFlight(base, questions);
  for (let tries = 0; tries < 600 && request.tokens < TOKENS_BEFORE && !request.isOver; tries++) {
    await pause(0.1);
  }
  if (request.isOver || request.tokens === 0) {
    const { status, text } = await request.ended;
    throw new ClusterFailure(
      'other',
      `there is nothing to break: a request is answered with ${status}: ${text.slice(0, 300)}`,
    );
  }
  return request;
}

async function wholeGroup({ kubectl, group: name, seconds, isMeant, say }: DrillWanted): Promise<LiveGroup> {
  const end = Date.now() + (isMeant ? seconds * 1000 : 0);
  for (;;) {
    const group = await findGroup(kubectl, name);
    if (isWhole(group) && leaderOf(group) !== undefined) {
      return group;
    }
    if (Date.now() >= end) {
      const why = group.pods.filter((pod) => pod.why !== '').map((pod) => `${pod.name} ${pod.why}`);
      throw new ClusterFailure(
        'other',
        `${group.kind} ${group.name} is not whole, so there is nothing to break: ${why.join('; ') || `ranks ${group.missing.join(', ')} have no pod`}`,
      );
    }
    say('waits for every pod to be Ready');
    await pause(1);
  }
}

async function askingOf(
  { kubectl, model: given }: DrillWanted,
  group: LiveGroup,
  key: string | undefined,
): Promise<{ questions: Questions; version: string | undefined }> {
  const leader = leaderOf(group)!;
  const forward = await portForward(kubectl, leader.name, portOf(group));
  try {
    const base = `http://${forward.host}:${forward.port}`;
    const version = await versionOf((what) => ask({ base }, what));
    const said = given ?? leader.settings?.servedModelNames.value?.[0] ?? leader.settings?.model.value;
    const model = said ?? (await servedNames((what) => ask({ base }, what), key)).names[0];
    if (model === undefined) {
      throw new ClusterFailure('other', 'which model? The server names none; --model names it');
    }
    const longest = leader.settings?.maxModelLen.value ?? 2048;
    const outputTokens = Math.max(16, Math.min(IN_FLIGHT_TOKENS, longest - 64));
    return { questions: { model, key, release: NEWEST_RELEASE, outputTokens }, version };
  } finally {
    await forward.close();
  }
}

function portOf(group: LiveGroup): number {
  return leaderOf(group)?.settings?.port.value ?? DEFAULT_PORT;
}
