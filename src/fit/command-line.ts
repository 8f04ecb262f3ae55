import { planGroup } from './plan';
import type { PlanInput } from './plan-input';
import type { Plan } from './plan-types';
import { vllmDefaults } from './defaults';

/**
 * The plan of a command line of `vllm serve`: what it does not say is planned, as a group would render it. But a cache of a
 * given size has to do with vLLM's own number of batched tokens as well, if the command line names none: that number is what
 * this very command line would run with, and vLLM would refuse to start.
 */
export function planCommandLine(input: PlanInput): Plan {
  const plan = planGroup(input);
  const { maxModelLen, maxNumBatchedTokens, planned } = plan.settings;
  if (!plan.fits || input.kvCacheMemory === undefined || !planned.includes('maxNumBatchedTokens')) {
    return plan;
  }
  const asItStands = planGroup({
    ...input,
    ...{ maxNumBatchedTokens: vllmDefaults(input, maxModelLen).maxNumBatchedTokens },
  });
  if (!asItStands.problems.some(({ id }) => id === 'fit/kv-cache-too-small')) {
    return plan;
  }
  const said = {
    change: `${maxNumBatchedTokens} batched tokens, which a VllmPipelineGroup renders`,
    flags: [`--max-num-batched-tokens=${maxNumBatchedTokens}`],
    without: [],
  };
  return { ...asItStands, nearest: [said, ...asItStands.nearest] };
}
