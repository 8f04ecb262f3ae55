import { kvCacheCapacity, longestModelLen } from '../../../fit/kv-cache';
import { countText, sizeText } from '../../../fit/units';
import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { CACHE_VARIABLE, cacheBytes, eachEngine, type EngineAt, isReadWhole, variableAt } from './engines';
import { planOf } from './plans';

/** Flags with which the formula was not compared. */
const UNKNOWN = [
  '--speculative-config',
  '--kv-transfer-config',
  '--num-gpu-blocks-override',
  '--decode-context-parallel-size',
  '--prefill-context-parallel-size',
  '--disable-sliding-window',
  '--kv-sharing-fast-prefill',
  '--kv-cache-dtype-skip-layers',
];

function isMeasured(at: EngineAt): boolean {
  const { command, image } = at.engine;
  return (
    image?.version !== undefined &&
    isReadWhole(at) &&
    UNKNOWN.every((name) => command.isSet(name) === false) &&
    command.flag('--enable-chunked-prefill')?.value !== 'false'
  );
}

const check = eachEngine(function* (at) {
  const cache = cacheBytes(at);
  const plan = cache === undefined || !isMeasured(at) ? undefined : planOf(at);
  if (cache === undefined || plan === undefined || plan.isLengthOpen || plan.model.latentSize !== undefined) {
    return;
  }
  const { kv, settings } = plan.settled;
  const { maxModelLen } = settings;
  if (
    kv === undefined ||
    maxModelLen > plan.model.contextLength ||
    kvCacheCapacity(kv.layout, maxModelLen, cache).fits
  ) {
    return;
  }
  const least = Math.max(...kv.layout.minimumBytes);
  const longest = longestModelLen(kv.input, cache, maxModelLen);
  const variable = variableAt(at, CACHE_VARIABLE);
  yield {
    path: (variable ?? at.settings.kvCacheBytes).path,
    what:
      `the KV cache of ${sizeText(cache)} does not hold one request of ${countText(maxModelLen)} tokens, ` +
      `which takes ${countText(least)} bytes (${sizeText(least)})`,
    fix: `give the cache ${sizeText(least)} or more${longest > 0 ? `, or take --max-model-len=${longest}` : ''}`,
  };
});

export const kvCacheTooSmall: Rule = {
  id: 'vllm/kv-cache-too-small',
  severity: 'error',
  title: 'the KV cache does not hold one request of full length',
  why: 'vLLM refuses to start: "To serve at least one request with the model\'s max seq len"',
  fix: 'give a larger cache, or a smaller --max-model-len',
  holds: 'engines on CPU: models of the catalogue, on 0.20.0 and since 0.31.0, where the formula was measured',
  source: 'v1/core/kv_cache_utils.py; exact to the byte on 0.31.0 and 0.32.0',
  get bad() {
    return edit(CPU_POD, ['--max-model-len=8192', '--max-model-len=40960']);
  },
  get good() {
    return edit(CPU_POD, ['--max-model-len=8192', '--max-model-len=32768']);
  },
  check,
};
