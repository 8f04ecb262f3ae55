import { spawn } from 'node:child_process';

/** How a program ended that was called once. */
export interface Called {
  /** Nothing when it did not end in time, or was ended. */
  readonly code?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Most that is kept of each stream; a list of thousands of pods takes some ten million. */
const MOST_TEXT = 2 ** 28;

/** Runs a program to its end. Nothing comes from its standard input, so that a question for a password fails at once. */
export function call(program: string, args: readonly string[], seconds: number): Promise<Called> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (part: string) => {
        if (texts[name].length < MOST_TEXT) {
          texts[name] += part;
        }
      });
    }
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, seconds * 1000);
    child.once('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(late);
      resolve({ ...texts, ...(code !== null && !isLate && { code }) });
    });
  });
}
