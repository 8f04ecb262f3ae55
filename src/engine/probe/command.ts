import { PROGRESS_PROBE } from './progress';
import { SHARED_MEMORY_PATH } from '../server';

/** Where the probe remembers what it saw: the Memory volume of every rank, writable even if the root is not. */
const STATE_FILE = `${SHARED_MEMORY_PATH}/vllm-progress.json`;
/**
 * How long the probe waits for the answer to its own request before it calls the engine hung. A whole run ends within
 * 1.7 times this (34 s): the `timeoutSeconds` of the probe must be above that.
 */
const CANARY_SECONDS = 20;

/** Command of the liveness probe that tells a hung engine from a busy and an idle one. */
export function progressProbeCommand(port: number, stallSeconds: number): string[] {
  return [
    'python3',
    '-I',
    '-S',
    '-c',
    PROGRESS_PROBE,
    String(port),
    String(stallSeconds),
    STATE_FILE,
    String(CANARY_SECONDS),
  ];
}
