import { accessSync, constants, copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Breakage, breakageOf } from '../breakage';
import { CannotRehearse } from './cannot';
import { judge } from './judge';
import type { Questions } from '../server/chat';
import { type Observations, observe } from './observe';
import { prepare, type Prepared, type Wanted } from './prepare';
import type { Check, RankReport, RehearsalReport } from './report';
import { wireOf } from './numbers';
import { pause } from '../pause';
import { type Outcome, Stage } from './stage';
import type { RankSample } from './machine/protocol';

/** How a rehearsal is run. */
export interface Staging {
  /** The program that holds the ranks. */
  readonly supervisor: string;
  /** Seconds until the leader has to be ready. */
  readonly timeout: number;
  /** Tells how far it is. */
  readonly progress: (prepared: Prepared, samples: readonly RankSample[], logs: readonly string[]) => void;
  /** Folder that gets the logs. */
  readonly logs?: string;
  /** Called when all was looked at and the group is still up. */
  readonly meanwhile?: (stage: Stage, report: RehearsalReport) => Promise<void>;
  /** Registers what ends everything at once, for signals. */
  readonly onOpen?: (end: () => Promise<void>) => void;
}

const OUTPUT_TOKENS = 16;

/** Starts a group, asks it, ends it, and says what held. Everything that it started is gone when it returns or throws. */
export async function rehearse(wanted: Wanted, staging: Staging): Promise<RehearsalReport> {
  const { logs } = staging;
  if (logs !== undefined) {
    makeFolder(logs);
  }
  const prepared = await prepare(wanted);
  const stage = await Stage.open(prepared, staging.supervisor);
  const end = async (): Promise<void> => {
    try {
      keepLogs(prepared, logs);
    } finally {
      await stage.close();
    }
  };
  staging.onOpen?.(end);
  try {
    await stage.startAll();
    const outcome = await stage.untilReady(staging.timeout, (samples, logs) =>
      staging.progress(prepared, samples, logs),
    );
    const report = await look(stage, outcome);
    await staging.meanwhile?.(stage, report);
    return report;
  } finally {
    await end();
  }
}

async function look(stage: Stage, outcome: Outcome): Promise<RehearsalReport> {
  const { prepared } = stage;
  if (outcome.kind !== 'ready') {
    const { happened, breakage } = notReady(stage, outcome);
    return reportOf(
      stage,
      await stage.sample(true),
      [{ id: 'ready', held: 'no', said: happened }],
      undefined,
      breakage,
    );
  }
  const watched = { ask: stage.ask.bind(stage), sample: stage.sample.bind(stage), pause };
  const seen = await observe(watched, questionsOf(prepared));
  const checks: Check[] = [
    { id: 'ready', held: 'yes', said: `/health is 200 after ${outcome.seconds.toFixed(0)} s` },
    ...judgeAll(prepared, seen),
  ];
  const isBroken = ['chat', 'stream', 'alive'].some((id) => checks.find((each) => each.id === id)?.held === 'no');
  const happened = `is still there, but ${checks.find(({ held }) => held === 'no')?.said.replace(/\.$/, '')}`;
  const breakage = isBroken ? breakageIn(stage, happened) : undefined;
  return reportOf(stage, seen.later.ranks, checks, outcome.seconds, breakage);
}

/** Why a group did not come up. */
export function notReady(
  stage: Stage,
  { kind, seconds }: Outcome & { readonly kind: 'ended' | 'still' | 'late' },
): { readonly happened: string; readonly breakage: Breakage } {
  const happened = {
    ended: 'a rank ended before the leader was ready',
    still: 'the ranks wait for ever: none computes, and none writes anything',
    late: `the leader was not ready after ${seconds.toFixed(0)} s`,
  }[kind];
  return { happened, breakage: breakageIn(stage, happened) };
}

function breakageIn(stage: Stage, happened: string): Breakage {
  const { rehearsed, release } = stage.prepared;
  const otherwise = 'Read its whole log (--logs FOLDER keeps it); `cdk8s-vllm check` looks at the manifest itself.';
  return breakageOf(rehearsed.members, stage.states(), { happened, release, otherwise });
}

export function questionsOf({ served, key, release }: Prepared): Questions {
  return { model: served, key, release, outputTokens: OUTPUT_TOKENS };
}

function judgeAll(prepared: Prepared, seen: Observations): Check[] {
  const { rehearsed, numbers, engine } = prepared;
  const { settings } = rehearsed.leader;
  return judge(seen, {
    questions: questionsOf(prepared),
    ranks: rehearsed.members.length,
    pipelineParallelSize: settings.pipelineParallelSize.value ?? 1,
    tensorParallelSize: settings.tensorParallelSize.value ?? 1,
    wire: wireOf(rehearsed, prepared.model),
    ...(numbers && { cache: { ...numbers.capacity(engine.cacheBytes), blockSize: numbers.blockSize } }),
  });
}

function reportOf(
  { prepared }: Stage,
  samples: readonly RankSample[],
  checks: readonly Check[],
  readySeconds: number | undefined,
  breakage: Breakage | undefined,
): RehearsalReport {
  const { rehearsed, vllm, isolation, changes, places } = prepared;
  const { kind, name, namespace, size = 1 } = rehearsed.group;
  return {
    group: { kind, name, namespace, size },
    vllm: vllm.version,
    isolation: isolation.kind,
    changes,
    ranks: places.map(({ rank, podName, address }): RankReport => {
      const sample = samples.find((each) => each.rank === rank);
      return {
        rank,
        role: rehearsed.members[rank]!.pod.role,
        podName,
        address,
        cpuSeconds: sample?.cpuSeconds ?? 0,
        memoryBytes: sample?.memoryBytes ?? 0,
      };
    }),
    ...(readySeconds !== undefined && { readySeconds }),
    checks,
    ...(breakage && { breakage }),
    held: breakage === undefined && checks.every(({ held }) => held !== 'no'),
  };
}

/** Before anything is started: a folder that cannot be had is no reason to lose a rehearsal. */
function makeFolder(logs: string): void {
  try {
    makeWithParents(resolve(logs));
    accessSync(logs, constants.W_OK);
  } catch (error) {
    throw new CannotRehearse(`the logs cannot be kept in ${logs}: ${(error as Error).message}`);
  }
}

/** Node's own way to make parents as well does not end where the kernel has no such folder, as in /proc. */
function makeWithParents(path: string): void {
  if (!existsSync(path)) {
    makeWithParents(dirname(path));
    mkdirSync(path);
  }
}

function keepLogs({ launches }: Prepared, folder: string | undefined): void {
  for (const { log } of launches) {
    // A rank that was not started has none; the second time they are gone.
    if (folder !== undefined && existsSync(log)) {
      copyFileSync(log, join(folder, basename(log)));
    }
  }
}
