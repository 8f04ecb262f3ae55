import { diagnose, type Diagnosis } from '../engine/diagnose';
import type { EngineSettings } from '../manifest';

/** Lines that ranks do not agree on though they have to. */
export interface Disagreement {
  readonly flag: string;
  readonly leader: string;
  readonly rank: number;
  readonly value: string;
}

/** What broke, told from the rank where it broke. */
export interface Breakage {
  readonly rank: number;
  readonly podName: string;
  /** What happened: `ended with 1`, `waits for ever`. */
  readonly what: string;
  /** Its last lines; where the line that tells is further up, those that end with it. */
  readonly lastLines: readonly string[];
  /** The line that tells the cause, where one is known. */
  readonly line?: string;
  readonly symptom?: string;
  readonly cause: string;
  readonly remedy: string;
  readonly disagreements: readonly Disagreement[];
  /** What the other ranks did meanwhile: how they ended, and their last error, or else their last line. */
  readonly others: readonly { readonly rank: number; readonly what: string; readonly lastLine: string }[];
}

/** A rank, and what it is started with where that is read. */
export interface Member {
  readonly rank: number;
  readonly settings?: EngineSettings;
}

/** What is known of the whole when it broke. */
export interface Scene {
  /** What was seen from outside: `no rank moves any more`. */
  readonly happened: string;
  /** The release of vLLM, whose symptoms count; all of them where it is not known. */
  readonly release?: string;
  /** What to do where no line tells anything. */
  readonly otherwise: string;
}

/** A rank when it broke: what it wrote, and how it ended if it did. */
export interface RankState {
  readonly rank: number;
  readonly podName: string;
  readonly log: string;
  /** What the cluster says of its pod, a line each. */
  readonly cluster?: readonly string[];
  readonly exit?: { readonly code: number | null; readonly signal: string | null };
  /** What became of it, in words, where that says more. */
  readonly fate?: string;
  /** Place among the ends, the first one 0. */
  readonly endedAs?: number;
}

const LAST_LINES = 12;

/** What ranks have to agree on, by flag. Without it they wait for each other, and say nothing. */
const SHARED: readonly (readonly [string, (settings: EngineSettings) => string | number | undefined])[] = [
  ['--master-port', ({ masterPort }) => masterPort.value],
  ['--master-addr', ({ masterAddr }) => masterAddr.text?.toString()],
  ['--nnodes', ({ nnodes }) => nnodes.value],
  ['--pipeline-parallel-size', ({ pipelineParallelSize }) => pipelineParallelSize.value],
  ['--tensor-parallel-size', ({ tensorParallelSize }) => tensorParallelSize.value],
  ['--data-parallel-size', ({ dataParallelSize }) => dataParallelSize.value],
  ['--max-model-len', ({ maxModelLen }) => maxModelLen.value],
  ['--dtype', ({ dtype }) => dtype.value],
];

export function disagreementsOf(members: readonly Member[]): Disagreement[] {
  const [leader, ...others] = members;
  return others.flatMap(({ rank, settings }) =>
    SHARED.flatMap(([flag, of]) => {
      if (settings === undefined || leader?.settings === undefined) {
        return [];
      }
      const words = (from: EngineSettings): string => (of(from) ?? 'not set').toString();
      const [mine, theirs] = [words(settings), words(leader.settings)];
      return mine === theirs ? [] : [{ flag, leader: theirs, rank, value: mine }];
    }),
  );
}

/** Without colours and other orders to a terminal. */
export function linesOf(log: string): string[] {
  // eslint-disable-next-line no-control-regex
  const plain = (line: string): string => line.replace(/\u001b\[[\d;]*[A-Za-z]/g, '').trimEnd();
  // Of a bar of progress, what it said last.
  return log.split('\n').flatMap((line) => plain(line).replace(/^.*\r/, '') || []);
}

/**
 * Finds the rank where it began: the one whose own line names a cause, before the ones that show what followed from it.
 */
export function breakageOf(members: readonly Member[], states: readonly RankState[], scene: Scene): Breakage {
  const { happened, release } = scene;
  const disagreements = disagreementsOf(members);
  const known = states.map((state) => {
    const lines = linesOf(state.log);
    const context = { rank: state.rank, ...(release !== undefined && { version: release }) };
    const inLog = diagnose(lines, context);
    const all = [...diagnose(state.cluster ?? [], context), ...inLog];
    const found = all.find(({ symptom }) => symptom.role === 'cause') ?? all[0];
    // What the cluster says is no line of the log.
    const isCause = found?.symptom.role === 'cause' && inLog.includes(found);
    return { state, lines, found, ...(isCause && { toldAt: found.line - 1 }) };
  });
  const own = known.find(({ found }) => found?.symptom.role === 'cause' && !found.lookElsewhere);
  const odd = disagreements[0] && known.find(({ state }) => state.rank === disagreements[0]!.rank);
  const failed = known
    .filter(({ state: { exit }, lines }) => exit !== undefined || lines.some(isError))
    .sort((a, b) => (a.state.endedAs ?? Infinity) - (b.state.endedAs ?? Infinity));
  const broken = own ?? odd ?? known.find(({ found }) => found?.symptom.role === 'cause') ?? failed[0] ?? known[0]!;
  const { state, lines, found, toldAt } = broken;
  return {
    rank: state.rank,
    podName: state.podName,
    what: fateOf(state) ?? happened,
    lastLines: ownLines(lines, toldAt),
    ...explained(
      found,
      disagreements.find(({ rank }) => rank === state.rank),
      lines,
      scene,
      state.fate === undefined && state.exit?.signal === 'SIGKILL',
    ),
    disagreements,
    others: known
      .filter((each) => each !== broken)
      .map((each) => ({
        rank: each.state.rank,
        what: fateOf(each.state) ?? 'is still there',
        lastLine: each.lines.findLast(isError) ?? each.lines.at(-1) ?? 'it wrote nothing',
      })),
  };
}

/** The last lines, or those that end with the one that names the cause where others came behind it. */
function ownLines(lines: readonly string[], toldAt: number | undefined): string[] {
  const last = lines.filter(hasWords).slice(-LAST_LINES);
  return toldAt === undefined || last.includes(lines[toldAt]!)
    ? last
    : lines
        .slice(0, toldAt + 1)
        .filter(hasWords)
        .slice(-LAST_LINES);
}

function explained(
  found: Diagnosis | undefined,
  odd: Disagreement | undefined,
  lines: readonly string[],
  { happened, otherwise }: Scene,
  wasKilled: boolean,
): Pick<Breakage, 'line' | 'symptom' | 'cause' | 'remedy'> {
  if (found?.symptom.role === 'cause') {
    return { line: found.text, symptom: found.symptom.id, cause: found.symptom.cause, remedy: found.symptom.remedy };
  }
  if (odd !== undefined) {
    return {
      cause: `${odd.flag} is ${odd.value} here and ${odd.leader} on the leader; ranks that do not agree on it wait for each other, and vLLM says nothing.`,
      remedy: `Give every rank the same ${odd.flag}.`,
    };
  }
  if (found !== undefined) {
    return { line: found.text, symptom: found.symptom.id, cause: found.symptom.cause, remedy: found.symptom.remedy };
  }
  const line = lines.findLast(isError);
  if (wasKilled && line === undefined) {
    return {
      cause: 'It was killed from outside: nobody here did that, but the kernel does where memory runs out.',
      remedy: 'Look at `dmesg` for "Out of memory", and give the machine, or the container that this runs in, more.',
    };
  }
  return {
    ...(line !== undefined && { line }),
    cause:
      line === undefined
        ? `${happened}; no line of its log tells why.`
        : 'No symptom that is known here; the line is its own.',
    remedy: otherwise,
  };
}

/** What vLLM writes before each line: who, how bad, when and where. */
export const LOG_PREFIX = /^\([^()]*\) [A-Z]+ [\d-]+ [\d:]+ \[[^\]]*\]/;

/** Not a line of a trace that only underlines the one above, and not an empty one. */
function hasWords(line: string): boolean {
  return /\w/.test(line.replace(LOG_PREFIX, ''));
}

function isError(line: string): boolean {
  return /\b\w*(Error|Exception)\b: |: error: |\bAssertionError\b/.test(line);
}

function fateOf({ fate, exit }: RankState): string | undefined {
  return fate ?? (exit && endOf(exit));
}

function endOf({ code, signal }: { code: number | null; signal: string | null }): string {
  return signal === null ? `ended with ${code}` : `was ended by ${signal}`;
}
