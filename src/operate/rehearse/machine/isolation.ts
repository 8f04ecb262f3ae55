import { spawnSync } from 'node:child_process';

/** How ranks are kept apart. */
export interface Isolation {
  /** `isolated`: each rank has network, host name, hosts file and /dev/shm of its own; `shared`: they share this machine's. */
  readonly kind: 'isolated' | 'shared';
  /** What the supervisor is started by. */
  readonly command: readonly string[];
}

/** All that the group has for itself goes away with its first process, and that with the one that started it. */
const NAMESPACES = ['--net', '--uts', '--mount', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc'];
/** As root of the machine, or as root of a user namespace, where the kernel allows these to everyone. */
const WAYS = [[], ['--user', '--map-root-user']];
const TRIAL = 'ip link add ranks type bridge && ip link add rank0 type veth peer name eth0 && command -v nsenter';

/** Namespaces where this user may make them, else the addresses of the loopback interface. */
export function findIsolation(): Isolation {
  for (const way of WAYS) {
    const command = ['unshare', ...way, ...NAMESPACES];
    const { status } = spawnSync(command[0]!, [...command.slice(1), 'sh', '-c', TRIAL], { stdio: 'ignore' });
    if (status === 0) {
      return { kind: 'isolated', command };
    }
  }
  return SHARED;
}

export const SHARED: Isolation = { kind: 'shared', command: [] };
