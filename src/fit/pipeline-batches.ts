import type { PipelineBatches } from './plan-types';

/**
 * Milliseconds between two tokens, measured on a pipeline of two stages without a CPU limit: all running requests in one batch,
 * and in two. A step costs nearly the same for one request as for eight, so two batches pay off only where steps are large.
 */
const MEASURED = [
  { users: 1, one: 46, two: 46 },
  { users: 2, one: 49, two: 51 },
  { users: 4, one: 43, two: 56 },
  { users: 8, one: 51, two: 52 },
  { users: 32, one: 92, two: 69 },
] as const;
const ALONE = 46;
/** Nearer than this is no difference. */
const EQUAL = 1.06;

/** What both do here, by the shape of the measured curve and the speed of one stream. */
export function pipelineBatches(decodeTokensPerSecond: number): PipelineBatches[] {
  return MEASURED.map(({ users, one, two }) => {
    const total = (milliseconds: number): number => (users * decodeTokensPerSecond * ALONE) / milliseconds;
    return {
      users,
      oneBatchTokensPerSecond: total(one),
      twoBatchTokensPerSecond: total(two),
      better: two > one * EQUAL ? 'one' : one > two * EQUAL ? 'two' : 'equal',
    };
  });
}
