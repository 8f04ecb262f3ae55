import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { nodeOf } from '../../../src/hardware/nodes';
import { webhookConfigurations } from '../../cluster/harness/webhooks';
import { kubectl } from './kubectl';
import { type ImageNames, prepareShared, type Programs } from './shared';

/** All that a test needs to know of a running lab. */
export interface LabFacts {
  readonly folder: string;
  /** Network namespaces and cgroups begin with it. */
  readonly name: string;
  readonly startedAt: number;
}

export const NODES = ['n1', 'n2'] as const;
export type NodeName = (typeof NODES)[number];

/** What the nodes are shown as. Their processors cannot be faked: kubelet gives containers the numbers of real ones. */
export const INSTANCE_TYPE = 'm7i.2xlarge';
export const MACHINES = join(__dirname, '../machines');
const KIBI = 1024;

/** Two nodes and a control plane, each a machine of namespaces, with everything that runs on them. */
export class Lab {
  private constructor(
    public readonly facts: LabFacts,
    private readonly keeper: ChildProcess,
  ) {}

  /** Starts one and waits until it takes pods. */
  public static async start(programs: Programs, images: ImageNames): Promise<Lab> {
    const startedAt = Date.now();
    const keeper = spawn(join(MACHINES, 'keep.sh'), [tmpdir()], {
      // Out of reach of Ctrl-C: what the keeper listens to is the end of this process.
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...nodeSettings() },
    });
    const lines = createInterface(keeper.stdout)[Symbol.asyncIterator]();
    try {
      const folder = await wordAfter(lines, 'folder');
      const facts = { folder, name: folder.split('/').at(-1)!, startedAt };
      prepareShared(folder, programs, images);
      keeper.stdin.write('up\n');
      await Lab.follow(lines, facts);
      await kubectl(facts, ['apply', '-f', '-'], webhooks(folder));
      note(facts, 'LWS is there with its webhooks');
      return new Lab(facts, keeper);
    } catch (error) {
      await end(keeper);
      throw error;
    }
  }

  private static async follow(lines: AsyncIterator<string>, facts: LabFacts): Promise<void> {
    const before = Date.now() - facts.startedAt;
    for (let line = await lines.next(); line.done !== true && line.value !== 'up'; line = await lines.next()) {
      const [, milliseconds, what] = /^at (\d+) (.*)$/.exec(line.value) ?? [];
      if (what === undefined) {
        throw new Error(`the lab did not come up: ${line.value}\n${lastWords(facts)}`);
      }
      note(facts, what, before + Number(milliseconds));
    }
  }

  /** Ends all its processes and removes all that it has made. */
  public async stop(): Promise<void> {
    await end(this.keeper);
  }
}

async function wordAfter(lines: AsyncIterator<string>, word: string): Promise<string> {
  const { value } = (await lines.next()) as { value?: string };
  if (value?.startsWith(`${word} `) !== true) {
    throw new Error(`the keeper of the lab did not start: ${value ?? 'it ended'}`);
  }
  return value.slice(word.length + 1);
}

async function end(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode === null && keeper.signalCode === null) {
    const exit = once(keeper, 'exit');
    keeper.stdin!.end();
    await exit;
  }
}

/** An instance's memory, and of it what the kubelet of EKS keeps back. */
export function nodeSettings(): Record<string, string> {
  const { memory, allocatable } = nodeOf(INSTANCE_TYPE);
  const kibi = (bytes: number) => String(Math.floor(bytes / KIBI));
  const labels = {
    'node.kubernetes.io/instance-type': INSTANCE_TYPE,
    'topology.kubernetes.io/region': 'us-east-1',
    'topology.kubernetes.io/zone': 'us-east-1a',
    'eks.amazonaws.com/nodegroup': 'llm',
    'eks.amazonaws.com/capacityType': 'ON_DEMAND',
  };
  return {
    NODE_MEMORY_KIB: kibi(memory),
    NODE_RESERVED_KIB: kibi(memory - allocatable.memory),
    NODE_LABELS: Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(),
  };
}

function webhooks(folder: string): string {
  const ca = readFileSync(join(folder, 'keys/ca.crt'), 'utf8');
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: webhookConfigurations(9443, ca) });
}

/** A line of the timeline, which the run prints at its end. */
export function note(facts: LabFacts, what: string, milliseconds = Date.now() - facts.startedAt): void {
  const line = `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${what}`;
  appendFileSync(join(facts.folder, 'timeline'), `${line}\n`);
}

/** The ends of all logs. */
export function lastWords({ folder }: LabFacts): string {
  const logs = ['up', 'control-plane/init', 'control-plane/kube-apiserver', 'control-plane/crds', 'control-plane/lws'];
  const ofNodes = NODES.flatMap((node) =>
    ['init', 'containerd', 'images', 'kubelet', 'kube-proxy'].map((log) => `${node}/${log}`),
  );
  return [...logs, ...ofNodes]
    .map((log) => {
      try {
        return `--- ${log}\n${readFileSync(join(folder, `${log}.log`), 'utf8')
          .trimEnd()
          .split('\n')
          .slice(-8)
          .join('\n')}`;
      } catch {
        return `--- ${log}: not there`;
      }
    })
    .join('\n');
}
