import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasGo } from '../../cluster/harness/programs';

/** Files that have to be there, and the Debian packages that bring them. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  iproute2: ['/usr/sbin/ip', '/sbin/ip', '/usr/bin/ip'],
  runc: ['/usr/sbin/runc', '/usr/bin/runc'],
  'containernetworking-plugins': ['/usr/lib/cni/bridge'],
  'busybox-static': ['/usr/bin/busybox', '/bin/busybox'],
  iptables: ['/usr/sbin/iptables', '/sbin/iptables'],
  nftables: ['/usr/sbin/nft', '/sbin/nft'],
  conntrack: ['/usr/sbin/conntrack'],
  gcc: ['/usr/bin/gcc'],
  'libc6-dev': ['/usr/include/stdio.h'],
};
/** Hierarchies of cgroup v1 that containers are put into. */
const CONTROLLERS = ['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'freezer', 'pids'];

/** Installs the packages that are missing, where that can be done, and says what keeps a lab from running here. */
export function missingForLab(): string[] {
  if (process.platform !== 'linux') {
    return [`Linux (this is ${process.platform})`];
  }
  if (process.getuid!() !== 0) {
    return ['root: it makes namespaces, mounts and cgroups'];
  }
  installPackages();
  const controllers = CONTROLLERS.filter((name) => !existsSync(`/sys/fs/cgroup/${name}/cgroup.procs`));
  return [
    ...missingPackages().map((name) => `the Debian package ${name}`),
    ...(hasGo() ? [] : ['Go 1.26 or newer']),
    ...(hasPython() ? [] : ['Python 3.11 or newer']),
    ...(controllers.length > 0
      ? [`cgroup v1 with ${controllers.join(', ')} in /sys/fs/cgroup (v2 was not tried)`]
      : []),
    ...(canOverlay() ? [] : [`a file system under ${tmpdir()} that overlayfs can lie on; TMPDIR names another folder`]),
  ];
}

function hasPython(): boolean {
  const script = 'import sys, venv; sys.exit(sys.version_info < (3, 11))';
  return spawnSync('python3', ['-c', script], { stdio: 'ignore' }).status === 0;
}

function missingPackages(): string[] {
  return Object.keys(PACKAGES).filter((name) => !PACKAGES[name]!.some(existsSync));
}

function installPackages(): void {
  const missing = missingPackages();
  if (missing.length === 0 || spawnSync('apt-get', ['--version']).status !== 0) {
    return;
  }
  console.log(`installing ${missing.join(', ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 'ignore', 'inherit'], env });
  const args = ['install', '-y', '-qq', '--no-install-recommends', ...missing];
  spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
}

/** Containers have a file system of layers; one of a container, where this may be running, takes no more of them. */
function canOverlay(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-'));
  const script = 'cd "$0" && mkdir a b c d && mount -t overlay overlay -o lowerdir=a,upperdir=b,workdir=c d';
  const { status } = spawnSync('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script, folder]);
  rmSync(folder, { recursive: true });
  return status === 0;
}
