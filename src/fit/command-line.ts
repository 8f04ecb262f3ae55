import { planGroup } from './plan';
import type { PlanInput } from './plan-input';
import type { Plan } from './plan-types';

/**
 * The plan of a command line of `vllm serve`: what it does not say is planned, as a group would render it. But with a cache of a
 * given size it is taken as it stands, since vLLM would refuse to start, or hold fewer requests, with its own number of
 * batched tokens.
 */
export function planCommandLine(input: PlanInput): Plan {
  return planGroup({ ...input, isCommandLine: true });
}
