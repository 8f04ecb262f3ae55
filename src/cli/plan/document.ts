import type { Explanation } from '../../fit/explanation';
import type { Plan } from '../../fit/plan-types';

/** What `cdk8s-vllm plan -o json` prints: the plan, and with `--explain` how its numbers come about. */
export interface PlanDocument extends Plan {
  /** With `--explain` alone. */
  readonly explanation?: readonly Explanation[];
}
