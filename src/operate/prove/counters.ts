import { ClusterFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';
import type { LiveGroup, LivePod } from '../group/live';
import { pause } from '../pause';
import { parseExec, READ_COUNTERS } from './exec';
import { parseSummary, type SummaryPod } from './summary';

/** What a pod has done since it started. */
export interface Counters {
  readonly rank: number;
  /** Seconds since 1970, by the clock of who counted: only differences mean something. */
  readonly at: number;
  /** Nothing where nobody counts it. */
  readonly cpuSeconds?: number;
  /** Bytes from and to everybody but itself. */
  readonly received: number;
  readonly sent: number;
}

/** `summary`: the kubelet's own count; `exec`: read within the container. */
export type Way = 'summary' | 'exec';

/** Reads the counters of a group; what is read holds everything that happened before it was asked for. */
export interface Counting {
  readonly way: Way;
  readonly read: () => Promise<readonly Counters[]>;
}

/** The kubelet counts every ten to fifteen seconds. */
const MOST_STALE_SECONDS = 90;
const BETWEEN_LOOKS = 1;

/**
 * Finds a way to the counters: the kubelet's summary, which takes nothing of the container, else the container itself.
 * @param only one way, whatever the other could do
 */
export async function findCounting(
  kubectl: Kubectl,
  group: LiveGroup,
  say: (step: string) => void,
  only?: Way,
): Promise<Counting> {
  const whys: string[] = [];
  if (only !== 'exec') {
    try {
      await readSummaries(kubectl, group);
      return { way: 'summary', read: () => freshSummaries(kubectl, group, say) };
    } catch (error) {
      whys.push(`the kubelet's summary: ${whyNot(error)}`);
    }
  }
  if (only !== 'summary') {
    try {
      await readByExec(kubectl, group);
      return { way: 'exec', read: () => readByExec(kubectl, group) };
    } catch (error) {
      whys.push(`exec: ${whyNot(error)}`);
    }
  }
  throw new ClusterFailure('forbidden', `the counters of the pods cannot be read\n${whys.join('\n')}`);
}

/** Why one way is closed; what closes both is thrown on. */
function whyNot(error: unknown): string {
  if (error instanceof ClusterFailure && !['unreachable', 'credentials'].includes(error.kind)) {
    return error.message;
  }
  throw error;
}

/** A summary that was counted after now: the one that is there is awaited to be replaced. */
async function freshSummaries(
  kubectl: Kubectl,
  group: LiveGroup,
  say: (step: string) => void,
): Promise<readonly Counters[]> {
  // What was counted before now is published within this time.
  await pause(BETWEEN_LOOKS);
  const stale = await readSummaries(kubectl, group);
  const end = performance.now() + MOST_STALE_SECONDS * 1000;
  for (;;) {
    await pause(BETWEEN_LOOKS);
    const fresh = await readSummaries(kubectl, group);
    if (fresh.every((pod, i) => pod.networkTime > stale[i]!.networkTime && pod.cpuTime > stale[i]!.cpuTime)) {
      return fresh.map(({ rank, networkTime, cpuSeconds, received, sent }) => ({
        rank,
        at: networkTime,
        ...(cpuSeconds !== undefined && { cpuSeconds }),
        received,
        sent,
      }));
    }
    if (performance.now() > end) {
      throw new ClusterFailure(
        'late',
        `the kubelet has counted nothing for ${MOST_STALE_SECONDS} s; --counters exec reads within the containers`,
      );
    }
    say('waits for the kubelet to count again');
  }
}

async function readSummaries(kubectl: Kubectl, group: LiveGroup): Promise<readonly (SummaryPod & { rank: number })[]> {
  const nodes = [...new Set(group.pods.map(nodeOf))];
  const summaries = await Promise.all(
    nodes.map((node) => kubectl.get(`/api/v1/nodes/${encodeURIComponent(node)}/proxy/stats/summary`)),
  );
  return group.pods.map((pod) => {
    const found = parseSummary(summaries[nodes.indexOf(nodeOf(pod))], pod.uid);
    if (found === undefined) {
      throw new ClusterFailure('other', `the kubelet of ${nodeOf(pod)} counts no network bytes of ${pod.name}`);
    }
    return { rank: pod.rank, ...found };
  });
}

async function readByExec(kubectl: Kubectl, group: LiveGroup): Promise<readonly Counters[]> {
  return Promise.all(
    group.pods.map(async ({ rank, name, container }) => {
      const text = await kubectl.exec(name, container, READ_COUNTERS);
      const found = parseExec(text);
      if (found === undefined) {
        throw new ClusterFailure('other', `${name} shows no network counters: ${text.slice(0, 200)}`);
      }
      return { rank, at: Date.now() / 1000, ...found };
    }),
  );
}

function nodeOf({ node, name }: LivePod): string {
  if (node === undefined) {
    throw new ClusterFailure('other', `${name} has no node`);
  }
  return node;
}
