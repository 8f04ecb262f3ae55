import { call } from '../kubectl/call';
import { ClusterFailure } from '../kubectl/failure';

/** How a shell on a node is had: `ssh root@{node}`. The script comes last, as one word. */
export interface NodeShell {
  readonly words: readonly string[];
}

/** Packets that are dropped on a node, until they are let through again or the time is over. */
export interface Dropped {
  readonly node: string;
  readonly table: string;
}

const SECONDS = 60;

/** Runs a script as root on a node. */
export async function onNode({ words }: NodeShell, node: string, script: string): Promise<string> {
  const [program, ...args] = words.map((word) => word.replaceAll('{node}', node));
  const { code, stdout, stderr } = await call(program!, [...args, script], SECONDS).catch((error: Error) => ({
    code: 127,
    stdout: '',
    stderr: error.message,
  }));
  if (code !== 0) {
    throw new ClusterFailure(
      'other',
      `the shell on ${node} (${[program, ...args].join(' ')}) ${code === undefined ? `did not end within ${SECONDS} s` : `ended with ${code}`}: ${stderr.trim().slice(0, 300)}`,
    );
  }
  return stdout;
}

/** Whether packets can be dropped on a node; else why not. */
export async function whyNoDrop(shell: NodeShell, node: string): Promise<string | undefined> {
  try {
    await onNode(shell, node, 'command -v nft >/dev/null && nft list tables >/dev/null');
    return undefined;
  } catch (error) {
    return `${(error as Error).message}; it takes root and the program nft there`;
  }
}

/** A table of nftables to be: its name tells it from those of earlier drills, whose time may not be over yet. */
export function tableFor(node: string): Dropped {
  return { node, table: `cdk8s_vllm_drill_${Date.now()}` };
}

/**
 * Drops every packet between two pods, silently, as a network that is cut. The rule names their addresses, so that it touches
 * nothing else.
 */
export async function dropBetween(
  shell: NodeShell,
  dropped: Dropped,
  [one, other]: readonly [string, string],
  seconds: number,
): Promise<void> {
  const family = one.includes(':') ? 'ip6' : 'ip';
  const rule = (from: string, to: string): string => `${family} saddr ${from} ${family} daddr ${to} drop;`;
  const chain = `chain cut { ${hook('forward')} ${rule(one, other)} ${rule(other, one)} }`;
  await drop(shell, dropped, [chain], seconds);
}

/** Drops every packet of a node and of its pods but those of this shell's own way there, when that is SSH. */
export async function dropAll(shell: NodeShell, dropped: Dropped, seconds: number): Promise<void> {
  const own = (side: 'iif' | 'oif', port: 'dport' | 'sport'): string => `${side} lo accept; tcp ${port} $port accept;`;
  const chains = [
    `chain in { ${hook('input')} ${own('iif', 'dport')} drop; }`,
    `chain out { ${hook('output')} ${own('oif', 'sport')} drop; }`,
    `chain through { ${hook('forward')} drop; }`,
  ];
  // SSH tells its server's port in the last of four words.
  await drop(shell, dropped, chains, seconds, 'set -- ${SSH_CONNECTION:-}; port=${4:-22}; ');
}

/** Lets packets through again. */
export async function letThrough(shell: NodeShell, { node, table }: Dropped): Promise<void> {
  await onNode(shell, node, `nft delete table inet ${table} 2>/dev/null || ! nft list table inet ${table} 2>/dev/null`);
}

function hook(name: 'input' | 'output' | 'forward'): string {
  return `type filter hook ${name} priority -200;`;
}

/** Makes a table that goes by itself when the time is over, whatever becomes of who made it. */
async function drop(
  shell: NodeShell,
  { node, table }: Dropped,
  chains: readonly string[],
  seconds: number,
  first = '',
): Promise<void> {
  // It looks every five seconds, so that nothing of it is left soon after the repair.
  const rounds = Math.ceil(seconds / 5);
  const wait = `i=0; while [ $i -lt ${rounds} ]; do sleep 5; nft list table inet ${table} || exit; i=$((i+1)); done`;
  const later = `setsid sh -c '${wait}; nft delete table inet ${table}' >/dev/null 2>&1 </dev/null &`;
  await onNode(shell, node, `${first}nft "table inet ${table} {\n${chains.join('\n')}\n}" && { ${later} }`);
}
