import { compareVersions } from '../common/versions';
import { FLAG_TABLE, READ_RELEASES } from './flag-table';

/** A flag of `vllm serve`. */
export interface ServeFlag {
  /** The long name first, then the short ones. */
  readonly names: readonly string[];
  /** `switch`: nothing, and `--no-` turns it off; `mark`: nothing; `optional`: a value may follow. */
  readonly takes: 'value' | 'switch' | 'mark' | 'optional';
  /** Whether the HTTP server alone reads it, so that ranks may differ in it. */
  readonly serverOnly: boolean;
  /** First release with it; none when the oldest has it. */
  readonly since?: string;
  /** Last release with it; none when the newest has it. */
  readonly until?: string;
}

/** What vLLM's command line makes of a name. */
export type FlagMatch =
  | { readonly kind: 'known'; readonly flag: ServeFlag }
  /** An abbreviation of several, which argparse refuses. */
  | { readonly kind: 'ambiguous'; readonly names: readonly string[] }
  /** Not in this release; `flag` when another one has it. */
  | { readonly kind: 'unknown'; readonly flag?: ServeFlag };

let byName: Map<string, ServeFlag> | undefined;

/** Every flag of every release by each of its names, the `--no-` form of switches included. */
export function serveFlags(): ReadonlyMap<string, ServeFlag> {
  if (byName === undefined) {
    byName = new Map();
    for (const line of FLAG_TABLE.trim().split('\n')) {
      const flag = readLine(line);
      for (const name of flag.names) {
        byName.set(name, flag);
        if (flag.takes === 'switch' && name.startsWith('--')) {
          byName.set(`--no-${name.slice(2)}`, flag);
        }
      }
    }
  }
  return byName;
}

function readLine(line: string): ServeFlag {
  const names: string[] = [];
  let takes: ServeFlag['takes'] = 'value';
  let serverOnly = false;
  let span: { since?: string; until?: string } = {};
  for (const word of line.split(' ')) {
    if (word.startsWith('-')) {
      names.push(word);
    } else if (word === 'server') {
      serverOnly = true;
    } else if (word.includes('..')) {
      const [since, until] = word.split('..');
      span = { ...(since && { since }), ...(until && { until }) };
    } else {
      takes = word as ServeFlag['takes'];
    }
  }
  return { names, takes, serverOnly, ...span };
}

/**
 * Whether a release has a flag. Not every release was read: between the last one without it and the first one with it,
 * the flag may be there, and what may be there is not refused.
 */
export function hasFlag(flag: ServeFlag, version: string): boolean {
  const before = flag.since === undefined ? undefined : READ_RELEASES[READ_RELEASES.indexOf(flag.since) - 1];
  const after = flag.until === undefined ? undefined : READ_RELEASES[READ_RELEASES.indexOf(flag.until) + 1];
  return (
    (before === undefined || compareVersions(version, before) > 0) &&
    (after === undefined || compareVersions(version, after) < 0)
  );
}

/**
 * The name of an argument as vLLM reads it: underscores of a long name are hyphens, and what stands behind a dot is a
 * key of the flag's JSON. Source: FlexibleArgumentParser.parse_args in vllm/utils/argparse_utils.py, 0.20 to 0.32.
 */
export function nameOfArgument(argument: string): string {
  const name = argument.split('=', 1)[0]!;
  if (name.startsWith('-O') && name !== '-O') {
    return '-O';
  }
  const key = name.split('.', 1)[0]!;
  return key.startsWith('--') ? `--${key.slice(2).replaceAll('_', '-')}` : key;
}

/** Finds the flag that a name (see `nameOfArgument`) means in a release, abbreviated or not, as argparse does. */
export function findFlag(name: string, version: string): FlagMatch {
  const all = serveFlags();
  const exact = all.get(name);
  if (exact !== undefined && hasFlag(exact, version)) {
    return { kind: 'known', flag: exact };
  }
  const isLong = name.startsWith('--');
  // A short flag of one letter takes its value without a space: -n2.
  const short = isLong ? undefined : all.get(name.slice(0, 2));
  if (short !== undefined && hasFlag(short, version)) {
    return { kind: 'known', flag: short };
  }
  const longer: string[] = [];
  const flags = new Set<ServeFlag>();
  for (const [other, flag] of all) {
    if (other.startsWith(name) && other.startsWith('--') === isLong && hasFlag(flag, version)) {
      longer.push(other);
      flags.add(flag);
    }
  }
  const [first] = flags;
  if (flags.size === 1) {
    return { kind: 'known', flag: first! };
  }
  return flags.size > 1 ? { kind: 'ambiguous', names: longer } : { kind: 'unknown', ...(exact && { flag: exact }) };
}
