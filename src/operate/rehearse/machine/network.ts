import { execFileSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';

/** Where the ranks of an isolated rehearsal meet. It is a network of its own, so nothing else can have these addresses. */
const BRIDGE = 'ranks';
const PREFIX = 24;

/** The interface of the bridge that a rank is plugged into. */
export function plugOf(rank: number): string {
  return `rank${rank}`;
}

/** Takes over the empty network that this process was started in. */
export function openBridge(): void {
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', BRIDGE, 'type', 'bridge');
  ip('link', 'set', BRIDGE, 'up');
}

/** Plugs the network of a process into the bridge. */
export function plugIn(rank: number, pid: number): void {
  ip('link', 'add', plugOf(rank), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid));
  ip('link', 'set', plugOf(rank), 'master', BRIDGE);
  ip('link', 'set', plugOf(rank), 'up');
}

/** Whether a process has left the network that it was started in. */
export function hasOwnNetwork(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net');
  } catch {
    return false;
  }
}

/**
 * What a rank does in its new namespaces before it becomes the engine: address, host name, its own hosts file and shared
 * memory. All of it goes away with its last process.
 */
const SETUP = `
address=$1 name=$2 hosts=$3 shm=$4; shift 4
read -r plugged
ip link set lo up &&
ip addr add "$address/${PREFIX}" dev eth0 &&
ip link set eth0 up &&
hostname "$name" &&
mount --bind "$hosts" /etc/hosts &&
mount -t tmpfs -o "size=$shm" tmpfs /dev/shm || { echo 'rehearse: the network of this rank could not be made'; exit 97; }
exec "$@" </dev/null
`;

/** The command that starts a rank in namespaces of its own; it waits for a line before it goes on. */
export function isolated(
  command: readonly string[],
  address: string,
  name: string,
  hosts: string,
  shm: number,
): string[] {
  const setup = ['sh', '-c', SETUP, 'sh', address, name, hosts, String(shm)];
  return ['unshare', '--net', '--uts', '--mount', '--propagation', 'private', ...setup, ...command];
}

/** The command that enters the namespaces of a process. */
export function entering(pid: number, command: readonly string[]): string[] {
  return ['nsenter', '--target', String(pid), '--net', '--uts', '--mount', ...command];
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
