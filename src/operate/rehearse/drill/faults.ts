import { pause } from '../../pause';
import type { Stage } from '../stage';
import type { Prepared } from '../prepare';
import { hangBound, startBound } from '../../bounds';
import { Kubelet } from './kubelet';
import type { Fault, FaultReport } from './report';
import { send, Watch } from './watch';

/** Longest time that a drill waits for a bound; what is longer is said and not waited for. */
const LONGEST_WAIT = 400;
/** How long something is looked at that nothing has to end. */
const LOOK_SECONDS = 20;
const LATE_SECONDS = 20;

type Outcome = Omit<FaultReport, 'fault' | 'kubelet'>;

/** What is done, and what is looked at then, fault by fault. `start` brings the group up with its kubelet. */
const ACTIONS: Readonly<Record<Fault, (stage: Stage, start: () => Promise<void>) => Promise<Outcome>>> = {
  'worker-killed': async (stage, start) => {
    await start();
    const watch = new Watch(stage);
    await stage.ranks.signal(1, 'SIGKILL', 'all');
    return hang(stage, watch, 'SIGKILL to every process of rank 1, no request running', 'Is a rank missing?');
  },
  'leader-killed': async (stage, start) => {
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
  'worker-stopped-idle': async (stage, start) => {
    await start();
    await stage.ranks.signal(1, 'SIGSTOP', 'all');
    // Nothing shows it until a request comes: that is when the time begins.
    await pause(LOOK_SECONDS / 4);
    const watch = new Watch(stage);
    return hang(
      stage,
      watch,
      'SIGSTOP to every process of rank 1 while no request ran, and then a request',
      'Does it answer?',
    );
  },
  'worker-stopped-under-load': async (stage, start) => {
    await start();
    const bound = hangBound(stage.prepared.rehearsed.leader);
    const long = send(stage, 'Tell a long story.', 1000, (bound?.seconds ?? LOOK_SECONDS) + 10);
    await untilRunning(stage);
    const watch = new Watch(stage);
    await stage.ranks.signal(1, 'SIGSTOP', 'all');
    return hang(stage, watch, 'SIGSTOP to every process of rank 1 while a request ran', 'And this one?', long);
  },
  'worker-late': async (stage) => {
    await stage.start(0);
    await pause(LATE_SECONDS);
    const watch = new Watch(stage);
    await stage.startOthers();
    const outcome = await stage.untilReady(600, () => undefined);
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
  'wrong-port': (stage) => {
    const port = stage.prepared.rehearsed.leader.settings.masterPort.value ?? 29501;
    return never(stage, `--master-port=${port + 498}`);
  },
  'unequal-sizes': (stage) => {
    const stages = stage.prepared.rehearsed.leader.settings.pipelineParallelSize.value ?? 1;
    return never(stage, `--pipeline-parallel-size=${2 * stages}`);
  },
};

/** Faults that a group can have. */
export function faultsOf({ rehearsed }: Prepared, wanted: readonly Fault[]): Fault[] {
  return wanted.filter((fault) => rehearsed.members.length > 1 || fault === 'leader-killed');
}

/** Brings a group up, breaks it, and says what that did. */
export async function runFault(stage: Stage, fault: Fault, timeout: number): Promise<FaultReport> {
  const kubelet = new Kubelet(stage);
  const start = async (): Promise<void> => {
    await stage.startAll();
    kubelet.watch();
    const outcome = await stage.untilReady(timeout, () => undefined);
    if (outcome.kind !== 'ready') {
      throw new Error(
        `the group did not come up (${outcome.kind}), so there is nothing to break; run it without --drill first`,
      );
    }
    await send(stage, 'Are you there?', 4, 120).answer;
  };
  try {
    const outcome = await ACTIONS[fault](stage, start);
    return { fault, ...outcome, kubelet: kubelet.events };
  } finally {
    kubelet.stop();
  }
}

/** A hang: whatever runs does not come back, and something has to end the leader. */
async function hang(
  stage: Stage,
  watch: Watch,
  did: string,
  content: string,
  running?: ReturnType<typeof send>,
): Promise<Outcome> {
  const bound = hangBound(stage.prepared.rehearsed.leader);
  const wait = bound !== undefined && bound.seconds <= LONGEST_WAIT ? bound.seconds : LOOK_SECONDS;
  const request = running ?? send(stage, content, 8, wait + 10);
  await watch.until(wait);
  if (watch.leaderEnd !== undefined) {
    await request.answer;
  }
  const isBound = bound !== undefined && bound.seconds <= LONGEST_WAIT;
  const isEnded = watch.leaderEnd !== undefined;
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
            : `${bound.by} ends it after ${bound.seconds} s; that was not waited for`,
  };
}

/** Ranks that never meet. */
async function never(stage: Stage, argument: string): Promise<Outcome> {
  const bound = startBound(stage.prepared.rehearsed.leader);
  const isBound = bound !== undefined && bound.seconds <= LONGEST_WAIT;
  const kubelet = new Kubelet(stage);
  const watch = new Watch(stage);
  await stage.start(0);
  kubelet.watch();
  await stage.startOthers(argument);
  const outcome = isBound
    ? (await watch.until(bound.seconds), undefined)
    : await stage.untilReady(LONGEST_WAIT, () => undefined);
  kubelet.stop();
  const isEnded = watch.leaderEnd !== undefined;
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
          : `${isStill ? 'both wait, and say nothing' : 'it came up all the same'}; ${bound === undefined ? 'nothing ends that' : `${bound.by} ends it after ${bound.seconds} s, which was not waited for`}`,
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
