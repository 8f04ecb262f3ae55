/** What a container shows of itself. */
export interface ExecPod {
  readonly cpuSeconds?: number;
  readonly received: number;
  readonly sent: number;
}

const MARK = '--- cpu';

/**
 * Shows network and CPU counters of a container, with what every image has. The first file is of cgroup v2, the others are of
 * v1, where distributions name the folder differently.
 */
export const READ_COUNTERS: readonly string[] = [
  'sh',
  '-c',
  `cat /proc/net/dev && echo '${MARK}' && cd /sys/fs/cgroup && ` +
    'for file in cpu.stat cpuacct/cpuacct.usage cpu,cpuacct/cpuacct.usage cpuacct,cpu/cpuacct.usage; do ' +
    'if grep -q -e ^usage_usec -e "^[0-9]*$" "$file" 2>/dev/null; then cat "$file"; break; fi; done; true',
];

/** Reads what it shows; nothing when there is no network. */
export function parseExec(text: string): ExecPod | undefined {
  const [network = '', cpu = ''] = text.split(`${MARK}\n`);
  const interfaces = network.split('\n').flatMap((line) => {
    const [, name, counters] = /^\s*([^\s:|]+):\s*(.*)$/.exec(line) ?? [];
    const numbers = (counters ?? '').trim().split(/\s+/).map(Number);
    return name === undefined || name === 'lo' || numbers.length < 9 || !numbers.every(Number.isFinite)
      ? []
      : [{ received: numbers[0]!, sent: numbers[8]! }];
  });
  const cpuSeconds = cpuOf(cpu);
  return interfaces.length === 0
    ? undefined
    : {
        ...(cpuSeconds !== undefined && { cpuSeconds }),
        received: interfaces.reduce((sum, { received }) => sum + received, 0),
        sent: interfaces.reduce((sum, { sent }) => sum + sent, 0),
      };
}

/** Microseconds in `cpu.stat` of cgroup v2, nanoseconds in v1. */
function cpuOf(text: string): number | undefined {
  const second = /^usage_usec (\d+)$/m.exec(text)?.[1];
  const first = /^(\d+)\s*$/.exec(text.trim())?.[1];
  return second !== undefined ? Number(second) / 1e6 : first !== undefined ? Number(first) / 1e9 : undefined;
}
