import { PROGRESS_PROBE } from './progress';

/** Where the probe remembers what it saw last; a new container starts without it. */
const STATE_FILE = '/tmp/vllm-progress.json';
/** How long the probe waits for the answer to its own request before it calls the engine hung. */
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
