import { GIBI, sizeText } from '../../../fit/units';
import type { Rule } from '../../rule';
import { CACHE_VARIABLE, eachEngine, isCpu, pythonInteger, variableAt } from './engines';
import { withArguments } from './manifests';

const check = eachEngine(function* (at) {
  const flag = at.settings.kvCacheBytes;
  const variable = variableAt(at, CACHE_VARIABLE);
  const value = variable?.text.value;
  // What comes out of an envFrom that was not read may be there or not.
  const isThere = value !== undefined || at.engine.variable(CACHE_VARIABLE) !== undefined;
  // An empty flag, or None, leaves the size to the variable.
  const isLeftOpen = flag.text?.value === '' || flag.text?.value === 'None';
  if (!isThere || !flag.isGiven || isLeftOpen || value === '' || !isCpu(at)) {
    return;
  }
  const gibibytes = value === undefined ? undefined : pythonInteger(value);
  if (value !== undefined && gibibytes === undefined) {
    return;
  }
  const isSame = gibibytes !== undefined && gibibytes * GIBI === flag.value;
  const bytes = flag.value === undefined ? '' : ` of ${sizeText(flag.value)}`;
  yield {
    path: flag.path,
    what: `--kv-cache-memory-bytes${bytes} is ignored: ${CACHE_VARIABLE}${value === undefined ? '' : ` is ${value} GiB, and`} wins`,
    ...(isSame && { severity: 'note' as const }),
  };
});

export const kvSizeSetTwice: Rule = {
  id: 'vllm/kv-size-set-twice',
  severity: 'warning',
  title: 'the size of the KV cache is given by variable and by flag',
  why: 'the variable wins without a word in the log',
  fix: 'give one of them',
  holds: 'engines on CPU',
  source: 'platforms/cpu.py; run on 0.32.0',
  get bad() {
    return withArguments('--kv-cache-memory-bytes=2147483648');
  },
  get good() {
    return withArguments('--gpu-memory-utilization=0.9');
  },
  check,
};
