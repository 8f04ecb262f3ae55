import type { Rule } from '../../rule';
import { eachEngine, type EngineAt, holds, isCpu, releaseWords } from './engines';
import { withArguments } from './manifests';
import { modelOf } from './models';

/** Numbers whose multiples the attention of a release takes; `undefined` when the image does not tell. */
function stepOf(at: EngineAt): number | undefined {
  const [by32, by16] = [holds('blockSize32', at), holds('blockSize16', at)];
  return by32 === undefined ? undefined : by32 ? 32 : by16 === true ? 16 : 1;
}

const check = eachEngine(function* (at) {
  const { value, path } = at.settings.blockSize;
  const model = modelOf(at);
  // Latent attention takes 16, whatever is asked for.
  if (value === undefined || !Number.isSafeInteger(value) || !isCpu(at) || model?.latentSize !== undefined) {
    return;
  }
  const step = stepOf(at);
  if (value % (step ?? 32) === 0 && value > 0) {
    return;
  }
  // Layers with a window get 32 where 16 is asked for, and the others follow.
  const isRounded = step === 32 && value === 16 && model?.layerKinds.includes('sliding') === true;
  yield {
    path,
    what:
      `block-size is ${value}; the CPU attention of ${releaseWords(at)} takes multiples of ${step ?? 32}` +
      (step === undefined ? ', if it is 0.29.0 or newer' : ''),
    ...(step === undefined && { severity: 'note' as const }),
    ...(isRounded && { severity: 'warning' as const, why: 'vLLM takes 32 in its place without a word' }),
  };
});

export const cpuBlockSize: Rule = {
  id: 'vllm/cpu-block-size',
  severity: 'error',
  title: 'a block size that the CPU attention does not take',
  why: 'vLLM ends at its start: "No common block size"',
  fix: 'leave --block-size out: the default of 128 suits every release',
  holds: 'engines on CPU: multiples of 32 since 0.29.0, of 16 from 0.21.0 to 0.28.0',
  source: 'v1/attention/backends/cpu_attn.py; run on 0.31.0 and 0.32.0',
  get bad() {
    return withArguments('--block-size=16');
  },
  get good() {
    return withArguments('--block-size=64');
  },
  check,
};
