import { call } from '../kubectl/call';
import { ClusterFailure } from '../kubectl/failure';

/** How a shell on a node is had: `ssh ec2-user@{node}`. The script comes last, as one word. */
export interface NodeShell {
  readonly words: readonly string[];
}

const SECONDS = 60;
const TABLE = 'cdk8s_vllm_drill';
/** A cut ends by itself after that, whatever becomes of who made it. */
const LONGEST_CUT_SECONDS = 900;

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

/** Whether a node can drop packets; else why not. */
export async function whyNoCut(shell: NodeShell, node: string): Promise<string | undefined> {
  try {
    await onNode(shell, node, 'command -v nft >/dev/null && nft list tables >/dev/null');
    return undefined;
  } catch (error) {
    return `${(error as Error).message}; it takes root and the program nft there`;
  }
}

/**
 * Drops every packet between two pods, silently, as a network that is cut. The rule names their addresses, so that it touches
 * nothing else, and ends with them.
 */
export async function cut(shell: NodeShell, node: string, [one, other]: readonly [string, string]): Promise<void> {
  const family = one.includes(':') ? 'ip6' : 'ip';
  const rule = (from: string, to: string): string => `${family} saddr ${from} ${family} daddr ${to} drop;`;
  const chain = `type filter hook forward priority -200; ${rule(one, other)} ${rule(other, one)}`;
  const remove = `nft delete table ${family} ${TABLE}`;
  await onNode(
    shell,
    node,
    `nft 'table ${family} ${TABLE} { chain cut { ${chain} }; }' && ` +
      `{ (sleep ${LONGEST_CUT_SECONDS}; ${remove}) >/dev/null 2>&1 </dev/null & }`,
  );
}

/** Ends the cut. */
export async function heal(shell: NodeShell, node: string, address: string): Promise<void> {
  const family = address.includes(':') ? 'ip6' : 'ip';
  await onNode(shell, node, `nft delete table ${family} ${TABLE} 2>/dev/null || true`);
}
