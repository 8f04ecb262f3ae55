import { execFileSync } from 'node:child_process';

interface Socket {
  readonly local: string;
  readonly peer: string;
  readonly pid: number;
  readonly received: number;
  readonly sent: number;
}

/** The open TCP connections of this machine with their bytes; nothing where `ss` is missing or does not say them. */
function sockets(): Socket[] | undefined {
  let text: string;
  try {
    text = execFileSync('ss', ['-tinpOH', 'state', 'established'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
  return text.split('\n').flatMap((line) => {
    const [, , local, peer] = line.trim().split(/\s+/);
    const pid = Number(/pid=(\d+)/.exec(line)?.[1]);
    if (local === undefined || peer === undefined || !(pid > 0)) {
      return [];
    }
    const bytes = (name: string): number => Number(new RegExp(`\\b${name}:(\\d+)`).exec(line)?.[1] ?? 0);
    // A socket that takes both families writes addresses of the older one in its own way.
    const plain = (address: string): string => address.replace(/^\[::ffff:([\d.]+)\]/, '$1');
    return [
      { local: plain(local), peer: plain(peer), pid, received: bytes('bytes_received'), sent: bytes('bytes_sent') },
    ];
  });
}

/** Bytes on connections between processes of different ranks, by rank. Those of closed connections are gone. */
export function bytesBetween(ranks: readonly ReadonlySet<number>[]): { received: number; sent: number }[] | undefined {
  const all = sockets();
  if (all === undefined) {
    return undefined;
  }
  const rankOf = (pid: number): number => ranks.findIndex((pids) => pids.has(pid));
  const owner = new Map(all.map(({ local, peer, pid }) => [`${local} ${peer}`, rankOf(pid)]));
  const found = ranks.map((_, rank) => {
    const own = all.filter(({ local, peer, pid }) => {
      const other = owner.get(`${peer} ${local}`) ?? -1;
      return rankOf(pid) === rank && other >= 0 && other !== rank;
    });
    return {
      received: own.reduce((sum, each) => sum + each.received, 0),
      sent: own.reduce((sum, each) => sum + each.sent, 0),
      connections: own.length,
    };
  });
  // Ranks that are up have some: whoever sees none is not shown whose they are.
  return found.every(({ connections }) => connections === 0)
    ? undefined
    : found.map(({ received, sent }) => ({ received, sent }));
}
