import { Duration } from 'cdk8s';
import { checkSeconds } from '../common/numbers';

/** Outlasts a balancer's idle timeout of five minutes. */
export const DEFAULT_KEEP_ALIVE = Duration.seconds(310);

/** Whole seconds of a keep-alive; a balancer's longest idle timeout is 4000 s, and more than that serves nobody. */
export function keepAliveSeconds(keepAlive: Duration): number {
  return checkSeconds('keepAliveTimeout', keepAlive, 1, 4100);
}
