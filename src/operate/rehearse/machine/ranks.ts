import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ExecResult, Launch, Order, RankSample, Word } from './protocol';
import type { Isolation } from './isolation';

export interface RankExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The ranks of a rehearsal on this machine, behind their supervisor. */
export class Ranks {
  /** Starts the supervisor; it ends with everything that it started when this process does, however that happens. */
  public static async open(isolation: Isolation, supervisor: string, folder: string): Promise<Ranks> {
    const own = [process.execPath, supervisor, isolation.kind, folder];
    const command = [...isolation.command, ...own];
    // A session of its own: Ctrl-C is for this process, which then lets go of it.
    const child = spawn(command[0]!, command.slice(1), { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const ranks = new Ranks(child, folder);
    await ranks.ready;
    return ranks;
  }

  /** How each rank ended. */
  public readonly exits = new Map<number, RankExit>();
  private readonly ready: Promise<void>;
  private readonly gone: Promise<void>;
  private readonly waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  private next = 0;
  private said = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    let resolveReady: () => void;
    this.ready = new Promise((resolve, reject) => {
      resolveReady = resolve;
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`the supervisor of the ranks did not start: ${this.said.trim()}`)));
    });
    this.gone = new Promise((resolve) => child.once('close', () => resolve()));
    child.stderr!.on('data', (part: Buffer) => (this.said = (this.said + part.toString()).slice(-2000)));
    child.stdin!.on('error', () => undefined);
    child.once('close', () => this.refuseAll());
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const word = JSON.parse(line) as Word;
      switch (word.word) {
        case 'ready':
          return resolveReady();
        case 'exit':
          return void this.exits.set(word.rank, { code: word.code, signal: word.signal });
        case 'answer':
          this.waiting.get(word.id)?.resolve(word.result);
          break;
        case 'refusal':
          this.waiting.get(word.id)?.reject(new Error(word.why));
      }
      this.waiting.delete(word.id);
    });
  }

  public async start(rank: number, launch: Launch): Promise<void> {
    this.exits.delete(rank);
    await this.order({ do: 'start', rank, launch });
  }

  /** `all`: every process of the rank, as when its container is killed; `main`: the first, as the kubelet asks it to end. */
  public async signal(rank: number, signal: NodeJS.Signals, to: 'main' | 'all'): Promise<void> {
    await this.order({ do: 'signal', rank, signal, to });
  }

  public async sample(withMemory = false): Promise<readonly RankSample[]> {
    return (await this.order({ do: 'sample', withMemory })) as RankSample[];
  }

  public async forward(rank: number, port: number, socket: string): Promise<void> {
    await this.order({ do: 'forward', rank, port, socket });
  }

  public async exec(rank: number, command: readonly string[], seconds: number): Promise<ExecResult> {
    return (await this.order({ do: 'exec', rank, command, seconds })) as ExecResult;
  }

  /** Ends everything, and returns when nothing of it is left. */
  public async close(): Promise<void> {
    this.child.stdin!.end();
    await this.gone;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private order(order: Order): Promise<unknown> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      if (this.child.exitCode !== null) {
        reject(new Error('the supervisor of the ranks is gone'));
        return;
      }
      this.waiting.set(id, { resolve, reject });
      this.child.stdin!.write(`${JSON.stringify({ id, ...order })}\n`);
    });
  }

  private refuseAll(): void {
    this.waiting.forEach(({ reject }) =>
      reject(new Error(`the supervisor of the ranks is gone ${this.said.trim()}`.trim())),
    );
    this.waiting.clear();
  }
}
