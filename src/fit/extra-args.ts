import { checkInteger } from '../common/numbers';
import { findFlag, nameOfArgument } from '../engine/flags';
import { KV_CACHE_DTYPES } from './defaults';
import type { PlanInput } from './plan-input';

type Planned = Pick<PlanInput, 'blockSize' | 'kvCacheDtype' | 'maxNumSeqs' | 'hybridKvCacheManager' | 'notCounted'>;

/** Flags that change memory, cache or speed in ways that a plan does not know. */
const NOT_COUNTED: ReadonlySet<string> = new Set([
  '--cpu-offload-gb',
  '--data-parallel-size',
  '--enable-expert-parallel',
  '--enable-lora',
  '--hf-overrides',
  '--kv-transfer-config',
  '--load-format',
  '--quantization',
  '--speculative-config',
]);

/** Flags that a group has no prop for and a plan depends on, by what each does to the plan. */
const READERS: Readonly<Record<string, (value: string) => Planned>> = {
  '--block-size': (value) => ({ blockSize: wholeNumber('--block-size', value, 1, 8192) }),
  '--kv-cache-dtype': (value) => ({ kvCacheDtype: checkKvCacheDtype('extraArgs: --kv-cache-dtype', value) }),
  '--max-num-seqs': (value) => ({ maxNumSeqs: wholeNumber('--max-num-seqs', value, 1, 1_048_576) }),
  '--disable-hybrid-kv-cache-manager': () => ({ hybridKvCacheManager: false }),
  '--no-disable-hybrid-kv-cache-manager': () => ({ hybridKvCacheManager: true }),
};

/** What arguments of the user do to the plan. The last of several counts, as it does for vLLM. */
export function plannedByExtraArgs(args: readonly string[] = [], release: string): Planned {
  let planned: Planned = {};
  args.forEach((argument, index) => {
    const name = fullName(argument, release);
    if (name !== undefined && Object.hasOwn(READERS, name)) {
      const inline = argument.includes('=') ? argument.slice(argument.indexOf('=') + 1) : undefined;
      planned = { ...planned, ...READERS[name]!(inline ?? args[index + 1] ?? '') };
    } else if (name !== undefined && NOT_COUNTED.has(name)) {
      planned = { ...planned, notCounted: [...(planned.notCounted ?? []), argument] };
    }
  });
  return planned;
}

/** The long name that an argument means, abbreviated or not; `--no-` stays in front. */
function fullName(argument: string, release: string): string | undefined {
  if (!argument.startsWith('-')) {
    return undefined;
  }
  const name = nameOfArgument(argument);
  const match = findFlag(name, release);
  if (match.kind !== 'known') {
    return undefined;
  }
  const [long] = match.flag.names;
  return name.startsWith('--no-') && !long!.startsWith('--no-') ? `--no-${long!.slice(2)}` : long;
}

/** Checks the name of a number format for the cache. */
export function checkKvCacheDtype(what: string, value: string): string {
  if (!(KV_CACHE_DTYPES as readonly string[]).includes(value)) {
    throw new Error(`${what} is '${value}'; it takes ${KV_CACHE_DTYPES.join(', ')}`);
  }
  return value;
}

function wholeNumber(flag: string, value: string, min: number, max: number): number {
  if (!/^\d+$/.test(value)) {
    throw new Error(`extraArgs holds '${flag}=${value}'; it takes a whole number from ${min} to ${max}`);
  }
  return checkInteger(`extraArgs: ${flag}`, Number(value), min, max);
}
