import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { entering, hasOwnNetwork, isolated, openBridge, plugIn, plugOf } from './network';
import { bytesOf, memoryOf, processesOf, sharedFilesOf } from './processes';
import type { ExecResult, Launch, Order, RankSample, Word } from './protocol';
import { bytesBetween } from './sockets';

/**
 * Holds the ranks of a rehearsal: `supervisor isolated|shared FOLDER`. It is a process of its own, so that nothing is left
 * when whoever started it is killed: its standard input then closes, and it ends all that it started and removes FOLDER.
 * Isolated, it is the first process of a PID namespace: the kernel then ends the others even if it is killed itself.
 */
const [mode, folder] = process.argv.slice(2) as ['isolated' | 'shared' | 'forward', string];

class Rank {
  public readonly process: ChildProcess;
  public readonly launch: Launch;
  /** What its processes took as far as was seen: those that are gone cannot be asked any more. */
  public cpuSeconds = 0;

  public constructor(
    public readonly rank: number,
    launch: Launch,
  ) {
    this.launch = launch;
    const { address, hostname, hosts, sharedMemory } = launch;
    const command =
      mode === 'isolated' ? isolated(launch.command, address, hostname, hosts, sharedMemory) : launch.command;
    const log = openSync(launch.log, 'a');
    this.process = spawn(command[0]!, command.slice(1), {
      cwd: launch.folder,
      env: launch.env,
      stdio: [mode === 'isolated' ? 'pipe' : 'ignore', log, log],
      // A session of its own: that is how its processes are found again.
      detached: true,
    });
    this.process.on('error', () => say({ word: 'exit', rank, code: 127, signal: null }));
    this.process.on('exit', (code, signal) => say({ word: 'exit', rank, code, signal }));
  }

  public get pid(): number {
    return this.process.pid ?? -1;
  }

  public async plug(): Promise<void> {
    while (!hasOwnNetwork(this.pid)) {
      if (this.process.exitCode !== null) {
        throw new Error(`rank ${this.rank} could not get a network of its own`);
      }
      await pause(10);
    }
    plugIn(this.rank, this.pid);
    this.process.stdin?.on('error', () => undefined);
    this.process.stdin?.end('plugged\n');
  }

  /** A process whose namespaces are those of the rank. */
  public get member(): number | undefined {
    return processesOf(this.pid)[0]?.pid;
  }

  public signal(signal: NodeJS.Signals, to: 'main' | 'all'): void {
    const pids = to === 'main' ? [this.pid] : processesOf(this.pid).map(({ pid }) => pid);
    pids.forEach((pid) => kill(pid, signal));
  }
}

const ranks = new Map<number, Rank>();
const helpers = new Set<ChildProcess>();
/** Shared memory of ranks that have no /dev/shm of their own. */
const sharedFiles = new Set<string>();

function say(word: Word): void {
  process.stdout.write(`${JSON.stringify(word)}\n`);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function obey(order: Order): Promise<unknown> {
  switch (order.do) {
    case 'start': {
      const rank = new Rank(order.rank, order.launch);
      ranks.set(order.rank, rank);
      if (mode === 'isolated') {
        await rank.plug();
      }
      return rank.pid;
    }
    case 'signal':
      return rankAt(order.rank).signal(order.signal, order.to);
    case 'sample':
      return sample(order.withMemory);
    case 'forward':
      return forward(rankAt(order.rank), order.port, order.socket);
    case 'exec':
      return exec(rankAt(order.rank), order.command, order.seconds);
  }
}

function rankAt(rank: number): Rank {
  const found = ranks.get(rank);
  if (found === undefined) {
    throw new Error(`rank ${rank} was not started`);
  }
  return found;
}

function sample(withMemory: boolean): RankSample[] {
  const all = [...ranks.values()].map((rank) => ({ rank, processes: processesOf(rank.pid) }));
  const shared =
    mode === 'shared' ? bytesBetween(all.map(({ processes }) => new Set(processes.map(({ pid }) => pid)))) : undefined;
  if (mode === 'shared') {
    all.forEach(({ processes }) => noteSharedFiles(processes));
  }
  return all.map(({ rank: own, processes }, at) => {
    const { rank, pid } = own;
    own.cpuSeconds = Math.max(
      own.cpuSeconds,
      processes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    );
    // What goes out at the plug comes in at the rank.
    const plug = mode === 'isolated' ? bytesOf(plugOf(rank)) : undefined;
    const bytes = plug ? { received: plug.sent, sent: plug.received } : shared?.[at];
    return {
      rank,
      isAlive: processes.some((each) => each.pid === pid),
      processes: processes.length,
      isBusy: processes.some(({ state }) => state === 'R' || state === 'D'),
      cpuSeconds: own.cpuSeconds,
      memoryBytes: withMemory ? processes.reduce((sum, each) => sum + memoryOf(each.pid), 0) : 0,
      ...bytes,
    };
  });
}

function noteSharedFiles(processes: readonly { readonly pid: number }[]): void {
  processes.forEach(({ pid }) => sharedFilesOf(pid).forEach((path) => sharedFiles.add(path)));
}

/** Within the network of the rank, so that what is asked there is not on the wire between ranks. */
function forward(rank: Rank, port: number, socket: string): Promise<void> {
  const own = [process.execPath, process.argv[1]!, 'forward', socket, rank.launch.address, String(port)];
  const command = mode === 'isolated' ? entering(rank.member ?? rank.pid, own) : own;
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'ignore'] });
  helpers.add(child);
  return new Promise((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the way to rank ${rank.rank} ended with ${code}`)));
  });
}

function exec(rank: Rank, command: readonly string[], seconds: number): Promise<ExecResult> {
  const member = rank.member;
  if (member === undefined) {
    return Promise.resolve({ code: 1, output: 'the container is gone' });
  }
  const whole = mode === 'isolated' ? entering(member, command) : command;
  const child = spawn(whole[0]!, whole.slice(1), { env: rank.launch.env, stdio: ['ignore', 'pipe', 'pipe'] });
  helpers.add(child);
  return new Promise((resolve) => {
    let output = '';
    const add = (part: Buffer): void => void (output = (output + part.toString()).slice(-4096));
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    const end = (code?: number): void => {
      clearTimeout(late);
      helpers.delete(child);
      resolve({ ...(code !== undefined && { code }), output: output.trim() });
    };
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      end();
    }, seconds * 1000);
    child.once('error', () => end(127));
    child.once('close', (code) => end(code ?? 1));
  });
}

/** Everything that was started, until nothing of it is left. */
async function endAll(): Promise<never> {
  helpers.forEach((child) => child.kill('SIGKILL'));
  for (let left = 1; left > 0;) {
    const pids = [...ranks.values()].flatMap((rank) => processesOf(rank.pid));
    if (mode === 'shared') {
      noteSharedFiles(pids);
    }
    pids.forEach(({ pid }) => kill(pid, 'SIGKILL'));
    left = pids.length;
    if (left > 0) {
      await pause(20);
    }
  }
  [folder, ...sharedFiles].forEach((path) => rmSync(path, { recursive: true, force: true }));
  process.exit(0);
}

function supervise(): void {
  // Whoever reads may be gone before the input closes.
  process.stdout.on('error', () => undefined);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void endAll());
  }
  if (mode === 'isolated') {
    openBridge();
  }
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { id, ...order } = JSON.parse(line) as Order & { id: number };
    obey(order).then(
      (result) => say({ word: 'answer', id, result: result ?? null }),
      (error: Error) => say({ word: 'refusal', id, why: error.message }),
    );
  });
  lines.on('close', () => void endAll());
  say({ word: 'ready' });
}

function openWay([socket, address, port]: string[]): void {
  createServer((client) => {
    const server = connect(Number(port), address);
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
    client.pipe(server).pipe(client);
  }).listen(socket, () => process.stdout.write('open\n'));
}

if (mode === 'forward') {
  openWay(process.argv.slice(3));
} else {
  supervise();
}
