import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lab } from './harness/given';
import { MACHINES, type NodeName, nodeSettings } from './harness/lab';
import type { Pod } from './live';

/** Of the pods that a node may have. */
const PODS: Readonly<Record<NodeName, string>> = { n1: '10.244.1.0/24', n2: '10.244.2.0/24' };
const TABLE = 'ip cut';

/** Drops everything between the pods of the two nodes. Both nodes keep their API server, kubelet reaches its pods. */
export function cutNetwork(): void {
  const rules = [
    'type filter hook forward priority -200',
    `ip saddr ${PODS.n1} ip daddr ${PODS.n2} drop`,
    `ip saddr ${PODS.n2} ip daddr ${PODS.n1} drop`,
  ];
  onNode('n2', ['nft', '-f', '-'], `table ${TABLE} {\n chain cut {\n${rules.join('\n')}\n }\n}\n`);
}

export function healNetwork(): void {
  onNode('n2', ['nft', 'delete', 'table', ...TABLE.split(' ')]);
}

/** Pulls the plug: all that runs on the node ends in one moment, and nobody is told. */
export function powerOff(node: NodeName): void {
  const pid = Number(readFileSync(join(lab().folder, node, 'pid'), 'utf8'));
  if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('init.sh')) {
    // A process of its own has come to have the number.
    throw new Error(`${node} is off already`);
  }
  process.kill(pid, 'SIGKILL');
}

/** Starts the node again, with the disk that it had. */
export function powerOn(node: NodeName): void {
  const env = { ...process.env, ...nodeSettings(), LAB: lab().folder };
  execFileSync(join(MACHINES, 'machine.sh'), [node, 'node.sh'], { env, stdio: 'ignore' });
}

/** Sends a signal to the processes of a pod: SIGSTOP makes them hang, SIGCONT go on, SIGKILL end. */
export function signalPod({ metadata: { name, uid } }: Pod, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  const pids = processesOf(uid);
  if (pids.length === 0) {
    throw new Error(`no process of pod ${name} runs here`);
  }
  pids.forEach((pid) => process.kill(pid, signal));
}

/** How many processes of a pod are stopped, looked at from outside: a stop would meet who looks within. */
export function stoppedIn({ metadata: { uid } }: Pod): number {
  return processesOf(uid).filter((pid) => {
    try {
      // Behind the name of the program, which may hold anything.
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.startsWith('T');
    } catch {
      return false;
    }
  }).length;
}

/** Those in the cgroups of a pod; the one that holds its namespaces, which is none of its containers, not. */
function processesOf(uid: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`pod${uid}`) && !words.startsWith('/busybox/sleep');
      } catch {
        // It has ended.
        return false;
      }
    });
}

function onNode(node: NodeName, argv: readonly string[], input = ''): void {
  execFileSync('nsenter', [`--net=/run/netns/${lab().name}-${node}`, ...argv], { input });
}
