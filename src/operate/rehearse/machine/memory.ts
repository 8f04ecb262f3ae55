import { readFileSync } from 'node:fs';

/** Bytes that can still be had: of the machine, and of the container where this runs in one. */
export function freeMemory(read: (path: string) => string = readOrNothing): number {
  const machine = 1024 * Number(/^MemAvailable:\s+(\d+)/m.exec(read('/proc/meminfo'))?.[1] ?? 0);
  const [limit, used] = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory.current'].map((path) =>
    Number.parseInt(read(path), 10),
  );
  // Pages of files count as used there, and can be had all the same.
  const files = Number(/^inactive_file (\d+)/m.exec(read('/sys/fs/cgroup/memory.stat'))?.[1] ?? 0);
  const container = limit! - used! + files;
  return Number.isFinite(container) ? Math.min(machine, Math.max(0, container)) : machine;
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
