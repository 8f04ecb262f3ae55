import { readdirSync, readFileSync } from 'node:fs';

/** The command lines of all processes that hold a text, such as the path of a folder; arguments end with a NUL. */
export function processesNaming(text: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        // It has just ended.
        return '';
      }
    })
    .filter((words) => words.includes(text));
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie has ended, and waits for its parent to notice.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
