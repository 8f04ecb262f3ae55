import { CLUSTER_FLAGS, type ClusterOptions, clusterOptions, sayFlags } from '../cluster';
import { Flags, type OptionGroups } from '../flags';
import { WrongInput } from '../terminal';

export const OPTIONS: OptionGroups = {
  'Whose logs': [...CLUSTER_FLAGS, { name: '--rank', value: 'N', help: 'this one alone; 0 leads; repeatable' }],
  'Which lines': [
    { name: '--follow', alias: '-f', help: 'go on, over restarts and recreations, to Ctrl-C' },
    { name: '--keep', value: 'FOLDER', help: 'follow, and write the log of each pod to a file' },
    { name: '--previous', alias: '-p', help: 'those of before the last restart of a container' },
    { name: '--since', value: 'TIME', help: 'of the last 30s, 10m or 2h' },
    { name: '--tail', value: 'N', help: 'the last ones of each pod (all)' },
  ],
  'How to say it': sayFlags('text (default) or json, an object a line', 'lines and failures alone; nothing about pods'),
};

/** What the command line asks for. */
export interface Options extends ClusterOptions {
  /** Empty for all of them. */
  readonly ranks: readonly number[];
  readonly isFollowed: boolean;
  readonly keep?: string;
  readonly isPrevious: boolean;
  readonly sinceSeconds?: number;
  readonly tail?: number;
  readonly format: 'text' | 'json';
}

const FLAGS = new Flags(OPTIONS);

export function readOptions(args: readonly string[]): Options {
  const given = FLAGS.read(args);
  const common = clusterOptions(given);
  const [keep, since] = ['--keep', '--since'].map((name) => given.last(name));
  const isPrevious = given.has('--previous');
  const isFollowed = given.has('--follow') || keep !== undefined;
  if (isPrevious && isFollowed) {
    throw new WrongInput(
      `--previous and ${keep === undefined ? '--follow' : '--keep'} exclude each other: what a container wrote before its restart grows no more`,
    );
  }
  const narrow = ['--since', '--tail'].find((name) => given.has(name));
  if (keep !== undefined && narrow !== undefined) {
    throw new WrongInput(`${narrow} and --keep exclude each other: what is kept is all that there is`);
  }
  return {
    ...common,
    ranks: given.all('--rank').map(rankOf),
    isFollowed,
    ...(keep !== undefined && { keep }),
    isPrevious,
    ...(since !== undefined && { sinceSeconds: secondsOf(since) }),
    ...(given.has('--tail') && { tail: given.number('--tail', 0, 0, 1_000_000) }),
    format: given.oneOf('--output', ['text', 'json']),
  };
}

function rankOf(text: string): number {
  if (!/^\d{1,4}$/.test(text)) {
    throw new WrongInput(`--rank is '${text}'; it takes a whole number from 0, the leader`);
  }
  return Number(text);
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

function secondsOf(text: string): number {
  const [, number, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  if (number === undefined || Number(number) === 0) {
    throw new WrongInput(`--since is '${text}'; it takes a time as 30s, 10m or 2h`);
  }
  return Number(number) * UNITS[unit!]!;
}

export function usage(): string {
  return [
    'usage: cdk8s-vllm logs [FLAGS]',
    '',
    'The logs of all ranks of a group, in the order of time. Of a rank that has ended',
    'by itself its last lines come first, with what they mean. LeaderWorkerSet makes',
    'new pods after a failure, and the logs of the old ones go with them: --keep has',
    'them written to files before. kubectl is the way there.',
    'Exit code 0: told, 2: they cannot be read, 130 or 143: ended by Ctrl-C, SIGTERM.',
    ...FLAGS.help(),
    '',
    'for example',
    '  cdk8s-vllm logs -n vllm --since 10m',
    '  cdk8s-vllm logs -n vllm --keep vllm-logs',
    '',
  ].join('\n');
}
