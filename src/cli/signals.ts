/** What ends whatever runs now. */
let endAll: (() => Promise<void>) | undefined;
let isOver = false;

/** Whether a signal has come. */
export function isEnding(): boolean {
  return isOver;
}

/** Ctrl-C and its like end what was started first, and then this program, as the signal would have. */
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
    process.once(signal, () => {
      isOver = true;
      void endAll!().finally(() => process.exit(128 + number));
    });
  }
}
