import type { Estimate, PipelineBatches } from './plan-types';

/**
 * Time of a step against that of a single stream, two stages. In one batch: the article's nodes for 4 and 8 users, a 12-layer
 * shape for 2 and 32. In two batches: between a shape and Gemma 3 1B without a CPU limit, and the article's slow mode, where
 * the pods were at their limit. A step costs nearly the same for one request as for eight, so two batches, each of which
 * reads all weights, pay off only where steps are large.
 */
const MEASURED = [
  { users: 1, one: 1, two: { best: 1, usual: 1, worst: 1 } },
  { users: 2, one: 1.07, two: { best: 1.11, usual: 1.46, worst: 3 } },
  { users: 4, one: 1.24, two: { best: 1.3, usual: 1.95, worst: 3 } },
  { users: 8, one: 1.41, two: { best: 1.43, usual: 1.52, worst: 3 } },
  { users: 32, one: 2, two: { best: 1.5, usual: 1.5, worst: 3 } },
] as const;
/** Nearer than this is no difference. */
const EQUAL = 1.1;

/** What both do here, by the measured curves and the speed of one stream. */
export function pipelineBatches({ low, estimate, high }: Estimate): PipelineBatches[] {
  return MEASURED.map(({ users, one, two }) => ({
    users,
    oneBatchTokensPerSecond: {
      low: (users * low) / one,
      estimate: (users * estimate) / one,
      high: (users * high) / one,
    },
    twoBatchTokensPerSecond: {
      low: (users * low) / two.worst,
      estimate: (users * estimate) / two.usual,
      high: (users * high) / two.best,
    },
    better: two.usual > one * EQUAL ? 'one' : one > two.usual * EQUAL ? 'two' : 'equal',
  }));
}
