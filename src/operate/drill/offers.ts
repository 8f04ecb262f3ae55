import { type Bound, hangBound } from '../bounds';
import type { LiveGroup, LivePod } from '../group/live';
import type { Kubectl } from '../kubectl/kubectl';
import { MAKERS } from './faults';
import { type NodeShell, whyNoCut } from './node-shell';
import { type DrillFault, type DrillNotOffered, FAULTS } from './report';

/** Which faults can be made here. */
export async function offersOf(
  kubectl: Kubectl,
  group: LiveGroup,
  shell: NodeShell | undefined,
): Promise<{ readonly offered: readonly DrillFault[]; readonly notOffered: readonly DrillNotOffered[] }> {
  const last = group.pods.at(-1)!;
  const hints: Partial<Record<DrillFault, string | undefined>> = {};
  hints.cut =
    shell === undefined
      ? "it takes a shell of root on the node of the last rank: --node-shell 'ssh root@{node}'"
      : group.size < 2
        ? undefined
        : last.hostNetwork
          ? 'the pods have the network of their nodes, and cutting that would cut off the nodes'
          : await whyNoCut(shell, last.node!);
  hints['cut-idle'] = hints.cut;
  const execs = await mayNot(kubectl, 'create', 'pods/exec');
  hints['stop-worker'] = hints['stop-worker-idle'] = execs;
  hints['delete-worker'] = hints['delete-leader'] = await mayNot(kubectl, 'delete', 'pods');
  hints.drain = (await mayNot(kubectl, 'create', 'pods/eviction')) ?? (await mayNot(kubectl, 'patch', 'nodes'));
  const why = (fault: DrillFault): string | undefined =>
    MAKERS[fault].needsWorker && group.size < 2 ? 'the group has one rank' : hints[fault];
  return {
    offered: FAULTS.filter((fault) => why(fault) === undefined),
    notOffered: FAULTS.flatMap((fault) => {
      const reason = why(fault);
      return reason === undefined ? [] : [{ fault, why: reason }];
    }),
  };
}

async function mayNot(kubectl: Kubectl, verb: string, resource: string): Promise<string | undefined> {
  const [name, subresource] = resource.split('/');
  const args = ['auth', 'can-i', verb, name!, ...(subresource === undefined ? [] : [`--subresource=${subresource}`])];
  try {
    await kubectl.run([...args, `--namespace=${kubectl.namespace}`]);
    return undefined;
  } catch {
    return `you may not ${verb} ${resource}`;
  }
}

/** Within which time recovery itself has to be over, the start and load of the next pods aside. */
export function boundOf(fault: DrillFault, { pods }: LiveGroup): Bound | undefined {
  const leader = pods.find(({ rank }) => rank === 0);
  const engine = leader?.engine;
  if (leader === undefined || engine === undefined) {
    return undefined;
  }
  const hang = MAKERS[fault].isHang ? hangBound({ engine, pod: leader.pod }) : undefined;
  if (MAKERS[fault].isHang && hang === undefined) {
    return undefined;
  }
  const grace = Math.max(...pods.map(graceOf));
  // A healthy server is found so by the next round of the startup probe; the readiness probe follows at once.
  const probe = engine.startupProbe ?? engine.readinessProbe;
  const by = [
    ...(hang === undefined ? [] : [`${hang.seconds} s (${hang.by})`]),
    `${grace} s of grace`,
    ...(probe === undefined ? [] : [`${probe.periodSeconds} s between probes`]),
  ];
  return { seconds: (hang?.seconds ?? 0) + grace + (probe?.periodSeconds ?? 0), by: by.join(', ') };
}

function graceOf({ pod }: LivePod): number {
  return pod.terminationGracePeriodSeconds;
}
