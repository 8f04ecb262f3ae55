import { pause } from '../../pause';
import type { Stage } from '../stage';
import type { Prepared } from '../prepare';
import { notReady } from '../rehearse';
import type { Breakage } from '../../breakage';
import { type Bound, hangBound, startBound } from '../../bounds';
import { Kubelet } from './kubelet';
import type { Fault, FaultReport } from './report';
import { send, Watch } from './watch';

/** How long something is looked at that nothing has to end. */
const LOOK_SECONDS = 20;
const LATE_SECONDS = 20;

type Outcome = Omit<FaultReport, 'fault' | 'kubelet'>;

/** A group that is about to be broken. */
interface Drilled {
  readonly stage: Stage;
  readonly kubelet: Kubelet;
  /** Longest time in seconds that is waited for anything; a bound behind it is said and not waited for. */
  readonly longest: number;
  /** Brings the group up, with its kubelet. */
  readonly start: () => Promise<void>;
}

/** A group that does not come up without a fault has nothing to break; what keeps it down is the finding. */
export class DidNotComeUp extends Error {
  public constructor(public readonly breakage: Breakage) {
    super(breakage.cause);
  }
}

/** What is done, and what is looked at then, fault by fault. */
const ACTIONS: Readonly<Record<Fault, (drilled: Drilled) => Promise<Outcome>>> = {
  'worker-killed': async (drilled) => {
    const { stage } = drilled;
    await drilled.start();
    const watch = new Watch(stage);
    await stage.ranks.signal(1, 'SIGKILL', 'all');
    return hang(drilled, watch, 'SIGKILL to every process of rank 1, no request running', 'Is a rank missing?');
  },
  'leader-killed': async ({ stage, start }) => {
    await start();
    const watch = new Watch(stage);
    await stage.ranks.signal(0, 'SIGKILL', 'all');
    const request = send(stage, 'Is there a leader?', 8, LOOK_SECONDS);
    await watch.until(LOOK_SECONDS);
    await request.answer;
    await pause(LOOK_SECONDS);
    const others = (await stage.sample()).filter(({ rank }) => rank > 0);
    const unaware = others.filter(({ isAlive }) => isAlive).length;
    const single = 'its container restarts, and no other rank is concerned';
    return {
      did: 'SIGKILL to every process of rank 0',
      health: watch.healthWords(),
      request: request.words(),
      otherRank: await ranksWords(stage, watch),
      ...leaderEnd(stage, watch),
      held: watch.leaderEnd === undefined ? 'no' : 'yes',
      said:
        others.length === 0
          ? single
          : `${unaware} of ${others.length} workers did not notice; the container of the leader restarts, and RecreateGroupOnPodRestart makes that the whole group`,
    };
  },
  'worker-stopped-idle': async (drilled) => {
    const { stage } = drilled;
    await drilled.start();
    await stage.ranks.signal(1, 'SIGSTOP', 'all');
    // Nothing shows it until a request comes: that is when the time begins.
    await pause(LOOK_SECONDS / 4);
    const watch = new Watch(stage);
    return hang(
      drilled,
      watch,
      'SIGSTOP to every process of rank 1 while no request ran, and then a request',
      'Does it answer?',
    );
  },
  'worker-stopped-under-load': async (drilled) => {
    const { stage } = drilled;
    await drilled.start();
    const bound = hangBound(stage.prepared.rehearsed.leader);
    const long = send(stage, 'Tell a long story.', 1000, (bound?.seconds ?? LOOK_SECONDS) + 10);
    await untilRunning(stage);
    const watch = new Watch(stage);
    await stage.ranks.signal(1, 'SIGSTOP', 'all');
    return hang(drilled, watch, 'SIGSTOP to every process of rank 1 while a request ran', 'And this one?', long);
  },
  'worker-late': async ({ stage, longest }) => {
    await stage.start(0);
    await pause(LATE_SECONDS);
    const watch = new Watch(stage);
    await stage.startOthers();
    const outcome = await stage.untilReady(longest, () => undefined);
    const request = send(stage, 'Is everyone there now?', 8, 60);
    await request.answer;
    const isGood = outcome.kind === 'ready' && request.words().startsWith('200');
    return {
      did: `rank 1 started ${LATE_SECONDS} s after rank 0`,
      health:
        outcome.kind === 'ready'
          ? `200 ${outcome.seconds.toFixed(0)} s after the last rank came`
          : `never: ${outcome.kind}`,
      request: request.words(),
      otherRank: await ranksWords(stage, watch),
      held: isGood ? 'yes' : 'no',
      said: isGood ? 'the leader waits for it, and then serves' : 'the group did not come up',
    };
  },
  'wrong-port': (drilled) => {
    const port = drilled.stage.prepared.rehearsed.leader.settings.masterPort.value ?? 29501;
    return never(drilled, `--master-port=${port < 60_000 ? port + 498 : port - 498}`);
  },
  'unequal-sizes': (drilled) => {
    const stages = drilled.stage.prepared.rehearsed.leader.settings.pipelineParallelSize.value ?? 1;
    return never(drilled, `--pipeline-parallel-size=${2 * stages}`);
  },
};

/** Faults that a group can have. */
export function faultsOf({ rehearsed }: Prepared, wanted: readonly Fault[]): Fault[] {
  return wanted.filter((fault) => rehearsed.members.length > 1 || fault === 'leader-killed');
}

/** Brings a group up, breaks it, and says what that did. */
export async function runFault(stage: Stage, fault: Fault, longest: number): Promise<FaultReport> {
  const kubelet = new Kubelet(stage);
  const start = async (): Promise<void> => {
    await stage.startAll();
    kubelet.watch();
    const outcome = await stage.untilReady(longest, () => undefined);
    if (outcome.kind !== 'ready') {
      throw new DidNotComeUp(notReady(stage, outcome).breakage);
    }
    await send(stage, 'Are you there?', 4, 120).answer;
  };
  try {
    const outcome = await ACTIONS[fault]({ stage, kubelet, longest, start });
    return { fault, ...outcome, kubelet: kubelet.events };
  } finally {
    kubelet.stop();
  }
}

/** A hang: whatever runs does not come back, and something has to end the leader. */
async function hang(
  { stage, longest }: Drilled,
  watch: Watch,
  did: string,
  content: string,
  running?: ReturnType<typeof send>,
): Promise<Outcome> {
  const bound = hangBound(stage.prepared.rehearsed.leader);
  const isBound = bound !== undefined && bound.seconds <= longest;
  const wait = isBound ? bound.seconds : LOOK_SECONDS;
  const request = running ?? send(stage, content, 8, wait + 10);
  await watch.until(wait);
  if (watch.leaderEnd !== undefined) {
    await request.answer;
  }
  const isEnded = watch.leaderEnd !== undefined && watch.leaderEnd <= wait;
  return {
    did,
    health: watch.healthWords(),
    request: request.words(),
    otherRank: await ranksWords(stage, watch),
    ...leaderEnd(stage, watch),
    ...(bound && { bound }),
    held: isBound ? (isEnded ? 'yes' : 'no') : bound === undefined ? 'no' : 'unproven',
    said:
      bound === undefined
        ? 'nothing ends this hang: set VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS, or a liveness probe that asks for progress'
        : isEnded
          ? `the leader left within ${bound.seconds} s; LeaderWorkerSet then recreates the group`
          : isBound
            ? `the leader is still there after ${bound.seconds} s`
            : notWaited(bound),
  };
}

function notWaited({ by, seconds }: Bound): string {
  return `${by} ends it after ${seconds} s, which was not waited for: --timeout ${seconds} would`;
}

/** Ranks that never meet. */
async function never({ stage, kubelet, longest }: Drilled, argument: string): Promise<Outcome> {
  const bound = startBound(stage.prepared.rehearsed.leader);
  const isBound = bound !== undefined && bound.seconds <= longest;
  const watch = new Watch(stage);
  await stage.start(0);
  kubelet.watch();
  await stage.startOthers(argument);
  const outcome = isBound
    ? (await watch.until(bound.seconds), undefined)
    : await stage.untilReady(longest, () => undefined);
  const isEnded = watch.leaderEnd !== undefined && (!isBound || watch.leaderEnd <= bound.seconds);
  const isStill = outcome?.kind === 'still' || outcome?.kind === 'late';
  return {
    did: `${argument} on rank 1 alone`,
    health: isBound ? watch.healthWords() : outcome?.kind === 'ready' ? '200' : 'no answer',
    request: 'none was sent: no port is open',
    otherRank: await ranksWords(stage, watch),
    ...leaderEnd(stage, watch),
    ...(bound && { bound }),
    held: outcome?.kind === 'ready' ? 'no' : isBound ? (isEnded ? 'yes' : 'no') : 'unproven',
    said:
      outcome?.kind === 'ended'
        ? 'a rank ended with an error of its own'
        : isBound
          ? isEnded
            ? `${bound.by} ended it within ${bound.seconds} s`
            : `the leader is still there after ${bound.seconds} s`
          : isStill
            ? `both wait, and say nothing; ${bound === undefined ? 'nothing ends that' : notWaited(bound)}`
            : 'it came up all the same',
  };
}

async function untilRunning(stage: Stage): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    const { text } = await stage.ask({ path: '/metrics', seconds: 10 });
    const running = /^vllm:num_requests_running\{[^}]*\} (\S+)/m.exec(text)?.[1];
    const tokens = /^vllm:iteration_tokens_total_count\{[^}]*\} (\S+)/m.exec(text)?.[1];
    // Some tokens in, so that it is in the middle of its answer.
    if (Number(running) > 0 && Number(tokens) > 10) {
      return;
    }
    await pause(0.25);
  }
}

function leaderEnd(stage: Stage, watch: Watch): Pick<FaultReport, 'leaderEnd'> {
  const exit = stage.ranks.exits.get(0);
  return watch.leaderEnd === undefined
    ? {}
    : {
        leaderEnd: {
          seconds: watch.leaderEnd,
          how: exit === undefined ? 'gone' : exit.signal === null ? `exit code ${exit.code}` : exit.signal,
        },
      };
}

/** What became of the ranks, the leader aside. */
async function ranksWords(stage: Stage, watch: Watch): Promise<string> {
  const samples = await stage.sample();
  return samples
    .map(({ rank, isAlive }) => {
      const exit = stage.ranks.exits.get(rank);
      const end =
        exit === undefined ? '' : exit.signal === null ? `ended with ${exit.code}` : `was ended by ${exit.signal}`;
      return `rank ${rank} ${isAlive ? `is still there after ${watch.seconds.toFixed(0)} s` : end || 'is gone'}`;
    })
    .join(', ');
}
