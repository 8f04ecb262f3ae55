import { printable, type Terminal } from './terminal';

/** Says a step with the seconds since the start, and not twice in a row; on a terminal alone. */
export function steps({ error, isWatched }: Terminal, isQuiet: boolean): (step: string) => void {
  if (isQuiet || isWatched !== true) {
    return () => undefined;
  }
  const started = performance.now();
  let last = '';
  return (step) => {
    if (step !== last) {
      last = step;
      error(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${printable(step).slice(0, 200)}\n`);
    }
  };
}
