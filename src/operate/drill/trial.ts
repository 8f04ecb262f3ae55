import { leaderOf, type LiveGroup, portOf } from '../group/live';
import type { Member } from '../group/members';
import { ClusterFailure } from '../kubectl/failure';
import { portForward } from '../kubectl/forward';
import type { Kubectl } from '../kubectl/kubectl';
import { pause } from '../pause';
import type { Questions } from '../server/chat';
import { type Asking, running, streamed, tokensInFlight } from './asking';
import { Door, untilHealthy } from './door';
import { type Made, MAKERS } from './faults';
import { InFlight } from './in-flight';
import type { NodeShell } from './node-shell';
import { boundOf, drainSecondsOf } from './offers';
import { Recorder } from './recorder';
import { Repair, StillBroken } from './repair';
import type { DrillFault, DrillFaultReport } from './report';
import { costsOf, newestOf, type Seen, timelineOf } from './timeline';
import { verdictOf } from './verdict';

/** What a fault is made and watched with. */
export interface Tools {
  readonly kubectl: Kubectl;
  readonly shell?: NodeShell;
  /** So long a group may take to come back. */
  readonly seconds: number;
  readonly say: (step: string) => void;
  /** Told before each fault what puts right what it leaves, for signals. */
  readonly onFault?: (repair: Repair) => void;
  /** Whether a signal has come. */
  readonly isEnding?: () => boolean;
}

const REST_SECONDS = 5;
const TOKENS_AFTER_REST = 8;

/** What came of one fault. */
export interface Tried {
  readonly report: DrillFaultReport;
  /** The pod that leads now; nothing where there is none. */
  readonly leader?: string;
}

/** Makes one fault, and watches the way back. */
export async function trial(tools: Tools, group: LiveGroup, fault: DrillFault, asking: Asking): Promise<Tried> {
  const { kubectl } = tools;
  const repair = new Repair();
  tools.onFault?.(repair);
  const recorder = await Recorder.open(kubectl, group);
  let outcome: Tried | { readonly error: unknown };
  try {
    const forward = await portForward(kubectl, leaderOf(group)!.name, portOf(group));
    try {
      const base = `http://${forward.host}:${forward.port}`;
      outcome = await broken(tools, { group, fault, asking, recorder, repair, base });
    } finally {
      await forward.close();
    }
  } catch (error) {
    outcome = { error };
  }
  // Once more, where it failed before.
  const left = await leftBy(repair);
  await recorder.close();
  if ('report' in outcome) {
    return left === undefined ? outcome : { ...outcome, report: { ...outcome.report, held: 'no', stillBroken: left } };
  }
  throw left === undefined ? outcome.error : new StillBroken(`${(outcome.error as Error).message}; ${left}`);
}

/** Puts right what is to be, and says what could not be. */
async function leftBy(repair: Repair, say: (what: string) => void = () => undefined): Promise<string | undefined> {
  try {
    (await repair.run()).forEach(say);
    return undefined;
  } catch (error) {
    return (error as StillBroken).message;
  }
}

interface Stage {
  readonly group: LiveGroup;
  readonly fault: DrillFault;
  readonly asking: Asking;
  readonly recorder: Recorder;
  readonly repair: Repair;
  readonly base: string;
}

async function broken(tools: Tools, stage: Stage): Promise<Tried> {
  const { kubectl, shell, seconds, isEnding = () => false } = tools;
  const { group, fault, asking, recorder, repair, base } = stage;
  const { does, isHang = false, isIdle = false, isGraceful = false, make } = MAKERS[fault];
  const say = (what: string): void => tools.say(`${fault}: ${what}`);
  const outputTokens = tokensInFlight(asking, group, isGraceful);
  let request: InFlight | undefined;
  if (isIdle) {
    await pause(REST_SECONDS);
  } else {
    request = await running(base, { ...asking.questions, outputTokens });
  }
  try {
    const members = recorder.present();
    if (members.length !== group.size) {
      throw new ClusterFailure('other', `${group.kind} ${group.name} changed by itself before anything was broken`);
    }
    const before = members.map(({ uid }) => uid);
    say(does);
    const [leader, worker] = [members[0]!, members.at(-1)!];
    const means = { kubectl, leader, worker, needsRepair: repair.needs, say, isEnding, seconds };
    const made = await repair.after(make({ ...means, ...(shell && { shell }) }));
    // A pod that goes was told to before `kubectl delete` returns.
    const faultAt = made.at ?? firstSign(recorder, made) ?? Date.now();
    // What takes a while to make may come behind the end of the request, and then nobody meets the hang.
    const isLate = isHang && request?.isWhole === true;
    if (request === undefined || isLate) {
      await pause(REST_SECONDS);
      const questions = { ...asking.questions, outputTokens: TOKENS_AFTER_REST };
      request = new InFlight(base, streamed(questions, 'Is anybody there?'));
    }
    // A hang at rest costs nobody anything: what counts begins with the request that meets it.
    const countFrom = isIdle || isLate ? Date.now() : faultAt;
    const sent = request;
    const seen = await recovery(
      { ...tools, say },
      {
        ...{ recorder, repair, group, made, before, countFrom, questions: asking.questions },
        isInVain: () => isHang && sent.isWhole,
      },
    );
    const steps = timelineOf(seen);
    const { total, load, overhead } = costsOf(steps);
    const after = newestOf(seen).map((uid) => uid ?? '');
    const bound = boundOf(fault, group);
    const told = await request.report(countFrom);
    const report: DrillFaultReport = {
      fault,
      at: new Date(countFrom).toISOString(),
      did:
        made.did +
        (isIdle
          ? ', at rest; then a request was sent'
          : isLate
            ? ', when the request was over; then one was sent'
            : ''),
      request: told,
      steps,
      isWholeGroupNew: after.every((uid) => uid !== '' && !before.includes(uid)),
      before,
      after,
      ...(total !== undefined && { totalSeconds: total }),
      ...(load !== undefined && { loadSeconds: load }),
      ...(overhead !== undefined && { overheadSeconds: overhead }),
      ...(bound && { bound }),
      ...verdictOf({
        before,
        after,
        total,
        overhead,
        bound,
        isHang,
        seconds,
        drain: isGraceful ? drainSecondsOf(group) : 0,
        request: told,
      }),
    };
    const leads = recorder.last(after[0]!)?.name;
    return { report, ...(leads !== undefined && { leader: leads }) };
  } finally {
    request?.giveUp();
  }
}

interface Recovering {
  readonly recorder: Recorder;
  readonly repair: Repair;
  readonly group: LiveGroup;
  readonly made: Made;
  readonly before: readonly string[];
  readonly countFrom: number;
  readonly questions: Questions;
  /** Whether the fault has broken nothing, so that there is nothing to wait for. */
  readonly isInVain: () => boolean;
}

/** Looks on until a request is answered again, or the time is over. */
async function recovery(
  { kubectl, seconds, say }: Tools,
  { recorder, repair, group, made, before, countFrom, questions, isInVain }: Recovering,
): Promise<Seen> {
  const end = Date.now() + seconds * 1000;
  const left = (): number => Math.max(0, (end - Date.now()) / 1000);
  const isGone = (uid: string): boolean => recorder.last(uid)?.isGone === true;
  const newLeader = (): Member | undefined =>
    recorder
      .present()
      .find(({ uid, rank }) => rank === 0 && !before.includes(uid) && recorder.last(uid)?.startedAt !== undefined);
  await recorder.until(left(), () => before.every(isGone) || isInVain());
  say(before.every(isGone) ? 'the old pods are gone' : 'the old pods are still there');
  const still = await leftBy(repair, say);
  if (still !== undefined) {
    say(still);
  }
  let loadedAt: number | undefined;
  let tokenAt: number | undefined;
  while (left() > 0 && tokenAt === undefined && !isInVain()) {
    if (!(await recorder.until(left(), () => newLeader() !== undefined))) {
      break;
    }
    const leader = newLeader()!;
    say(`${leader.name} has started`);
    const isThere = (): boolean => left() > 0 && newLeader()?.uid === leader.uid;
    loadedAt = await untilHealthy(kubectl, leader, portOf(group), left());
    if (loadedAt !== undefined) {
      say('/health is 200');
    }
    // The way there is opened meanwhile: what this program takes for it is no part of the recovery.
    const door = new Door(kubectl, leader, portOf(group));
    try {
      await door.open();
      // Who comes through the Service is let there when the pod is Ready, and not before.
      await recorder.until(left(), () => !isThere() || recorder.last(leader.uid)?.isReady === true);
      tokenAt = isThere() ? await door.firstToken(questions, isThere) : undefined;
    } finally {
      await door.close();
    }
    loadedAt = tokenAt === undefined ? undefined : (loadedAt ?? tokenAt);
  }
  say(tokenAt === undefined ? 'no new group answers' : 'a request is answered again');
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

/** The moment when a pod was told to go, where the fault is that. */
function firstSign(recorder: Recorder, { deleted }: Made): number | undefined {
  return recorder.seen.find(({ uid, isGoing }) => isGoing && deleted.includes(uid))?.at;
}
