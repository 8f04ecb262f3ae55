import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/**
 * Holds a program as long as its standard input is open. That is closed by the kernel when whoever opened it is gone, however
 * it went: so nothing goes on after a `kill -9`. The program has a group of its own and goes with all that it has started:
 * a `kubectl` may be a script around another.
 */
const LEASE = `
const [program, ...args] = process.argv.slice(1);
const child = require('node:child_process').spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true, detached: process.platform !== 'win32' });
const kill = (signal) => {
  try {
    process.platform === 'win32' ? child.kill(signal) : process.kill(-child.pid, signal);
  } catch {}
};
const end = () => {
  kill('SIGTERM');
  setTimeout(() => kill('SIGKILL'), 2000);
};
child.once('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.once('exit', (code) => {
  kill('SIGKILL');
  process.exit(code ?? 1);
});
process.stdin.once('close', end).resume();
`;

export interface Watcher {
  readonly onLine: (line: string) => void;
  readonly onError?: (line: string) => void;
}

/** A program that goes on until it is ended, or until this process is. */
export class Running {
  /** Its code when it has ended; nothing while it runs. */
  public code: number | undefined;
  /** The last words of its standard error. */
  public said = '';
  /** Its end, with its code. */
  public readonly ended: Promise<number>;
  private readonly child: ChildProcess;

  public constructor(program: string, args: readonly string[], { onLine, onError }: Watcher) {
    // A session of its own: Ctrl-C is for this process, which then lets go of it.
    this.child = spawn(process.execPath, ['-e', LEASE, '--', program, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    this.child.stdin!.on('error', () => undefined);
    const onWords = (line: string): void => {
      this.said = `${this.said}${line}\n`.slice(-4000);
      onError?.(line);
    };
    const restOfLines = eachLine(this.child.stdout!, onLine);
    const restOfWords = eachLine(this.child.stderr!, onWords);
    this.ended = new Promise((resolve) => {
      const end = (code: number | null): void => {
        this.code ??= code ?? 1;
        // Without its end a line is one only where the program has come to its own end; else it was cut off.
        if (this.code === 0 && restOfLines() !== '') {
          onLine(restOfLines());
        }
        if (restOfWords() !== '') {
          onWords(restOfWords());
        }
        resolve(this.code);
      };
      this.child.once('error', (error) => {
        this.said += `${error.message}\n`;
        end(127);
      });
      this.child.once('close', end);
    });
  }

  /** Ends it, and returns when it is gone. */
  public async close(): Promise<void> {
    this.child.stdin!.end();
    await this.ended;
  }
}

/** Calls for each whole line, and gives what has come of the next one. A carriage return is part of a line, as in a bar of progress. */
function eachLine(stream: Readable, onLine: (line: string) => void): () => string {
  let rest = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop()!;
    lines.forEach((line) => onLine(line.endsWith('\r') ? line.slice(0, -1) : line));
  });
  return () => rest;
}
