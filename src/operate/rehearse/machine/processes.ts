import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of /proc/PID/stat in a second: the same on every Linux that Node runs on. */
const TICKS = 100;

interface Process {
  readonly pid: number;
  readonly state: string;
  readonly cpuSeconds: number;
}

/**
 * Processes of a session. Each rank is started in one of its own, and its processes stay in it even when their parent is
 * gone. Their environment would not tell: vLLM writes process titles over it.
 */
export function processesOf(session: number): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) {
      return [];
    }
    const stat = read(`/proc/${name}/stat`);
    // The name of a program may hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(fields[3]) !== session || fields[0] === 'Z') {
      return [];
    }
    // Its own time, and that of its children that have ended.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ pid: Number(name), state: fields[0]!, cpuSeconds: ticks / TICKS }];
  });
}

/** Files of shared memory that a process has mapped. They outlive whoever is killed. */
export function sharedFilesOf(pid: number): string[] {
  return [...read(`/proc/${pid}/maps`).matchAll(/ (\/dev\/shm\/[^\s/]+)$/gm)].map(([, path]) => path!);
}

export function memoryOf(pid: number): number {
  return 1024 * Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
}

/** Bytes of a network interface of this process' own network. */
export function bytesOf(device: string): { received: number; sent: number } | undefined {
  const line = read('/proc/net/dev')
    .split('\n')
    .find((each) => each.trim().startsWith(`${device}:`));
  const numbers = line
    ?.slice(line.indexOf(':') + 1)
    .trim()
    .split(/\s+/)
    .map(Number);
  return numbers && { received: numbers[0]!, sent: numbers[8]! };
}

/** Empty for what is gone meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
