import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface Word {
  readonly folder?: string;
  readonly name?: string;
  readonly pid?: number;
  readonly exit?: string;
  readonly error?: string;
}

/**
 * Processes that end with this one, however it ends: test/programs/keeper starts them, and ends them and removes their folder
 * when the pipe to it closes.
 */
export class Keeper {
  /** A new folder, which goes with the processes. */
  public folder = '';
  private readonly pids = new Map<string, number>();
  private readonly ended = new Map<string, string>();

  private constructor(private readonly program: ChildProcess) {}

  public static async start(programs: string): Promise<Keeper> {
    const program = spawn(join(programs, 'keeper'), [tmpdir()], {
      // Out of reach of Ctrl-C: this process hears of it, and its end is what the keeper listens to.
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const keeper = new Keeper(program);
    const lines = createInterface(program.stdout);
    lines.on('line', (line) => keeper.hear(JSON.parse(line) as Word));
    await Promise.race([once(lines, 'line'), once(program, 'exit')]);
    if (keeper.folder === '') {
      throw new Error('the keeper of the processes did not start');
    }
    return keeper;
  }

  /** Ids of everything that was started, the keeper's own among them. */
  public get processIds(): number[] {
    return [this.program.pid!, ...this.pids.values()];
  }

  public run(name: string, argv: readonly string[], env: readonly string[] = []): void {
    this.program.stdin!.write(`${JSON.stringify({ name, argv, log: this.logOf(name), env })}\n`);
  }

  /** How a process ended, once it has. */
  public endOf(name: string): string | undefined {
    return this.ended.get(name);
  }

  /** @throws the last words of a process that has ended by a fault, or that was to stay */
  public checkAlive(): void {
    for (const [name, end] of this.ended) {
      if (end !== 'exit status 0') {
        throw new Error(`${name}: ${end}\n${this.lastWords(name)}`);
      }
    }
  }

  /** Ends all processes and removes the folder. */
  public async stop(): Promise<void> {
    if (this.program.exitCode === null && this.program.signalCode === null) {
      const end = once(this.program, 'exit');
      this.program.stdin!.end();
      await end;
    }
  }

  private hear({ folder, name = '', pid, exit, error }: Word): void {
    this.folder = folder ?? this.folder;
    if (pid !== undefined) {
      this.pids.set(name, pid);
    }
    const end = exit ?? error;
    if (end !== undefined) {
      this.ended.set(name, end);
    }
  }

  private lastWords(name: string): string {
    try {
      return readFileSync(this.logOf(name), 'utf8').trimEnd().split('\n').slice(-15).join('\n');
    } catch {
      return '(no log)';
    }
  }

  private logOf(name: string): string {
    return join(this.folder, `${name}.log`);
  }
}
