import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogEntry } from '../../src/operate/logs/report';
import { PROGRAM } from './commands';
import { lab } from './harness/given';
import type { Pod } from './live';
import { until } from './wait';

/** `cdk8s-vllm logs --keep`, as it goes on beside a test. */
export class Following {
  /** What it keeps, over several runs. */
  public readonly folder = mkdtempSync(join(tmpdir(), 'logs-'));
  private run: ChildProcess | undefined;
  private out = '';

  public constructor(private readonly namespace: string) {}

  /** Starts it, and waits for lines of both ranks. */
  public async start(...args: string[]): Promise<void> {
    const { folder, name } = lab();
    const where = [`--kubectl=${join(folder, 'bin/kubectl')}`, `--kubeconfig=${join(folder, 'keys/admin.kubeconfig')}`];
    const argv = [process.execPath, PROGRAM, 'logs', '-n', this.namespace, ...where, '--keep', this.folder, ...args];
    this.run = spawn('nsenter', [`--net=/run/netns/${name}-control-plane`, ...argv], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.out = '';
    this.run.stdout!.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    await until('lines of both ranks', () =>
      Promise.resolve(this.out.includes('leader') && this.out.includes('worker')),
    );
  }

  /** What it printed so far, with `-o json`. */
  public entries(): LogEntry[] {
    return entriesIn(this.out);
  }

  /** What it keeps of a life of a container. */
  public kept({ metadata: { name, uid } }: Pod): string {
    return this.keptOf(name, uid);
  }

  public keptOf(name: string, uid: string, life = 0): string {
    const file = join(this.folder, `${name}_${uid}_${life}.log`);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** Ends it by a signal; its exit code. */
  public async end(signal: NodeJS.Signals): Promise<unknown> {
    const exit = once(this.run!, 'exit');
    this.run!.kill(signal);
    return (await exit)[0];
  }

  public leave(): void {
    this.run?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true });
  }
}

export function entriesIn(text: string): LogEntry[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LogEntry);
}
