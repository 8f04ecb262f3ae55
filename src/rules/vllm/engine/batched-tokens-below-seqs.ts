import type { Rule } from '../../rule';
import { eachEngine } from './engines';
import { withArguments } from './manifests';

const check = eachEngine(function* ({ settings: { maxNumBatchedTokens: tokens, maxNumSeqs: seqs } }) {
  // A number that is not given adapts itself to the other.
  if (tokens.isGiven && seqs.isGiven && tokens.value !== undefined && seqs.value !== undefined) {
    if (tokens.value >= 1 && tokens.value < seqs.value) {
      yield {
        path: tokens.path,
        what: `max-num-batched-tokens is ${tokens.value}, less than the max-num-seqs of ${seqs.value}`,
      };
    }
  }
});

export const batchedTokensBelowSeqs: Rule = {
  id: 'vllm/batched-tokens-below-seqs',
  severity: 'error',
  title: 'fewer tokens in a step than requests',
  why: 'a step holds a token of every running request: vLLM refuses to start',
  fix: 'take at least as many batched tokens as sequences',
  source: 'config/scheduler.py of vLLM',
  get bad() {
    return withArguments('--max-num-batched-tokens=64', '--max-num-seqs=128');
  },
  get good() {
    return withArguments('--max-num-batched-tokens=256', '--max-num-seqs=128');
  },
  check,
};
