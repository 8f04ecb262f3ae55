/** What ends whatever runs now. */
let endAll: (() => Promise<void>) | undefined;
let isOver = false;

/** Whether a signal has come. */
export function isEnding(): boolean {
  return isOver;
}

/**
 * Ctrl-C and its like end what was started first, and then this program, as the signal would have. Whoever presses it again waits
 * as well: what was broken is put right meanwhile.
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
    process.on(signal, () => {
      if (!isOver) {
        isOver = true;
        void endAll!().finally(() => process.exit(128 + number));
      }
    });
  }
}
