import { numberOf } from '../../../manifest';
import { NEWEST_RELEASE, OLDEST_RELEASE } from '../../../engine/releases';
import { compareVersions } from '../../../common/versions';
import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, pythonInteger } from './engines';

/** Whole numbers of 1 or more. */
const COUNTS = [
  '--pipeline-parallel-size',
  '--tensor-parallel-size',
  '--data-parallel-size',
  '--nnodes',
  '--max-num-seqs',
  '--block-size',
];
/** Whole numbers of 0 or more. */
const NUMBERS = ['--node-rank', '--master-port', '--port', '--data-parallel-size-local', '--shutdown-timeout'];
/** Whole numbers that may end in k, K, m, M, g, G, t or T. */
const SIZES = ['--max-model-len', '--max-num-batched-tokens', '--kv-cache-memory-bytes'];
/** Sizes that may be left to vLLM by an empty value, or by the word None. Seen in 0.32.0. */
const OPTIONAL = ['--kv-cache-memory-bytes'];
const DTYPES = ['auto', 'half', 'float16', 'bfloat16', 'float', 'float32'];

/** What a flag takes, when that is not what it got. */
function wanted(name: string, value: string): string | undefined {
  if (OPTIONAL.includes(name) && (value === '' || value === 'None')) {
    return undefined;
  }
  const integer = pythonInteger(value);
  if (COUNTS.includes(name)) {
    return integer !== undefined && integer >= 1 ? undefined : 'a whole number of 1 or more';
  }
  if (NUMBERS.includes(name)) {
    return integer !== undefined && integer >= 0 ? undefined : 'a whole number';
  }
  if (SIZES.includes(name)) {
    const isHuman = /[a-z]$/i.test(value) && numberOf(value, name) !== undefined;
    return integer !== undefined || isHuman ? undefined : "a whole number, or one with a unit such as '8k' or '8K'";
  }
  if (name === '--gpu-memory-utilization') {
    const share = numberOf(value, name);
    return share !== undefined && share > 0 && share <= 1 ? undefined : 'a share above 0 and up to 1';
  }
  return name === '--dtype' && !DTYPES.includes(value) ? DTYPES.join(', ') : undefined;
}

const check = eachEngine(function* ({ engine }) {
  const { image, command } = engine;
  const isKnown =
    image?.version !== undefined &&
    compareVersions(image.version, OLDEST_RELEASE) >= 0 &&
    compareVersions(image.version, NEWEST_RELEASE) <= 0;
  for (const { name, spelling, problem, value, path } of command.flags) {
    if (problem !== undefined) {
      // What takes a value differs between releases.
      if (isKnown) {
        yield {
          path,
          what:
            problem === 'no value'
              ? `${spelling} has no value behind it`
              : `${spelling} takes no value: it is a switch of its own`,
        };
      }
      continue;
    }
    // A reference that nothing defines, or a template that was not filled in, is for other rules.
    const takes = value === undefined || /[${}]/.test(value) ? undefined : wanted(name, value);
    if (takes !== undefined) {
      yield { path, what: `${spelling} is '${value}'; it takes ${takes}` };
    }
  }
});

export const flagValue: Rule = {
  id: 'vllm/flag-value',
  severity: 'error',
  title: 'a flag with a value that it does not take',
  why: 'vLLM refuses its command line and ends at once',
  fix: 'write what the flag takes',
  source: 'engine/arg_utils.py and utils/argparse_utils.py of vLLM',
  get bad() {
    return edit(CPU_POD, ['--max-model-len=8192', '--max-model-len=8Ki']);
  },
  get good() {
    return edit(CPU_POD, ['--max-model-len=8192', '--max-model-len=8K']);
  },
  check,
};
