import type { EventEmitter } from 'node:events';

/** Each command is a file of its own with a state of its own: what the program itself tells it, comes by an event. */
const END = 'cdk8s-vllm: end';

/** For what is neither an answer nor the fault of who typed it: a full disk, a fault in this program. */
export const OTHER_FAILURE = 70;

/** What ends whatever runs now. */
let endAll: (() => Promise<void>) | undefined;
let isOver = false;

/** Whether a signal has come, or nobody can be told anything any more. */
export function isEnding(): boolean {
  return isOver;
}

/** What runs comes to no end of its own once a signal has come, whether it breaks off or not: the handler has the last word. */
export async function unlessEnding<T>(running: Promise<T>): Promise<T> {
  const outcome = await running.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
  return isOver ? new Promise<T>(() => undefined) : outcome();
}

/**
 * Ctrl-C and its like end what was started first, and then this program, as the signal would have; a fault in this program does so as
 * well. Whoever presses it again waits: what was broken is put right meanwhile.
 */
export function endOnSignals(end: () => Promise<void>): void {
  const isFirst = endAll === undefined;
  endAll = end;
  if (!isFirst) {
    return;
  }
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    // Not once: as long as somebody listens, a call that the signal ends as well does not end this program.
    process.on(signal, () => endAs(128 + number));
  }
  (process as EventEmitter).on(END, endAs);
  process.on('uncaughtException', (error) => {
    tellFault(error);
    endAs(OTHER_FAILURE);
  });
}

export function tellFault(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`cdk8s-vllm: this is a fault in the program, please report it\n${text}\n`);
}

/** Ends the program, and before it what the command has started. */
export function endProgram(code: number): void {
  if (!(process as EventEmitter).emit(END, code)) {
    process.exit(code);
  }
}

/** Of several reasons to, the first one counts. */
function endAs(code: number): void {
  if (!isOver) {
    isOver = true;
    void endAll!().finally(() => {
      if (code === 128 + 1) {
        // Node breaks off in its own end where the terminal is gone; the signal itself does not.
        process.removeAllListeners('SIGHUP');
        process.kill(process.pid, 'SIGHUP');
        return;
      }
      process.exit(code);
    });
  }
}
