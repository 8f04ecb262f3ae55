import { type ChildProcess, spawn } from 'node:child_process';

/** How a program ended that was called once. */
export interface Called {
  /** Nothing when it did not end in time, or was ended. */
  readonly code?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Most that is kept of each stream; a list of thousands of pods takes some ten million. */
const MOST_TEXT = 2 ** 28;

/** Calls that go on. */
const open = new Set<ChildProcess>();
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends a program and what it has started: a `kubectl` may be a script around another. */
function end(child: ChildProcess): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) {
      child.kill('SIGKILL');
    } else {
      process.kill(-child.pid, 'SIGKILL');
    }
  } catch {
    // It is gone.
  }
}

function endOpen(): void {
  open.forEach(end);
}

function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) {
    // Somebody else listens, who may call more to put things right, and ends this program afterwards.
    return;
  }
  endOpen();
  forgetAll();
  // Now it does what it does where nobody listens.
  process.kill(process.pid, signal);
}

function remember(child: ChildProcess): void {
  if (open.size === 0) {
    SIGNALS.forEach((signal) => process.on(signal, onSignal));
    process.on('exit', endOpen);
  }
  open.add(child);
}

function forget(child: ChildProcess): void {
  open.delete(child);
  if (open.size === 0) {
    forgetAll();
  }
}

function forgetAll(): void {
  SIGNALS.forEach((signal) => process.off(signal, onSignal));
  process.off('exit', endOpen);
}

/**
 * Runs a program to its end. Nothing comes from its standard input but what is given, so that a question for a password fails
 * at once.
 */
export function call(program: string, args: readonly string[], seconds: number, input?: string): Promise<Called> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
      // A group of its own, so that all of it can be ended.
      detached: process.platform !== 'win32',
    });
    remember(child);
    child.stdin?.on('error', () => undefined).end(input);
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]!.setEncoding('utf8');
      child[name]!.on('data', (part: string) => {
        if (texts[name].length < MOST_TEXT) {
          texts[name] += part;
        }
      });
    }
    const done = (): void => {
      clearTimeout(late);
      forget(child);
    };
    const late = setTimeout(() => {
      end(child);
      done();
      resolve(texts);
    }, seconds * 1000);
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('close', (code) => {
      done();
      // A signal that it did not get from here is a failure as any other.
      resolve({ ...texts, code: code ?? 1 });
    });
  });
}
