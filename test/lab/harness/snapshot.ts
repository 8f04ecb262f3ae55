import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { LabFacts } from './lab';

const SETTINGS = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'net/ipv4/ip_forward',
];
/** Where two daemons on one machine would have met. */
const USUAL_PLACES = [
  ...['/var/lib/kubelet', '/var/lib/containerd', '/run/containerd', '/var/log/pods', '/var/log/containers'],
  ...['/var/lib/cni', '/opt/containerd', '/opt/cni', '/etc/cni', '/etc/containerd', '/usr/libexec/kubernetes'],
];

/** What a lab shares with the machine that it runs on, a line for each thing: the same before it and after it. */
export function surroundings(): string[] {
  return [
    // Of other labs there may be more or less meanwhile; `leftOf` sees to those of this one.
    ...mounts()
      .map((line) => `mount ${line.split(' ')[4]}`)
      .filter((each) => !each.startsWith('mount /run/netns/')),
    ...lines(execFileSync('ip', ['-o', 'link'], { encoding: 'utf8' })).map((line) => `link ${line.split(' ')[1]}`),
    ...SETTINGS.map((name) => `setting ${name} ${read(`/proc/sys/${name}`).trim()}`),
    ...USUAL_PLACES.filter((path) => folder(path).length > 0).map((path) => `folder ${path}`),
  ];
}

/** Everything that bears the name of a lab. */
export function leftOf({ name, folder: data }: Pick<LabFacts, 'name' | 'folder'>): string[] {
  const own = (prefix: string, found: readonly string[]) =>
    found.filter((each) => each.includes(name)).map((each) => `${prefix} ${each}`);
  return [
    ...processesOf(name),
    ...own('mount', mounts()),
    ...own('network namespace', folder('/run/netns')),
    ...folder('/sys/fs/cgroup').flatMap((each) => own(`cgroup ${each}`, folder(`/sys/fs/cgroup/${each}`))),
    ...(existsSync(data) ? [`folder ${data}`] : []),
  ];
}

/** By their words, or by their mounts: every process of a machine, in a container or not, has some from the lab's folder. */
function processesOf(name: string): string[] {
  return folder('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      const words = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
      return words.includes(name) || read(`/proc/${pid}/mountinfo`).includes(`/${name}/`)
        ? [`process ${pid} ${words}`]
        : [];
    });
}

function mounts(): string[] {
  return lines(read('/proc/self/mountinfo'));
}

function folder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function lines(text: string): string[] {
  return text.trimEnd().split('\n');
}
