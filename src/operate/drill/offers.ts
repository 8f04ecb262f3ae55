import { dig, type KubernetesObject } from '../../manifest';
import { type Bound, hangBound } from '../bounds';
import type { LiveGroup, LivePod } from '../group/live';
import { ClusterFailure, isFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';
import { evict, MAKERS, nodePath, whyNotCordoned, whyNotMarked } from './faults';
import { type NodeShell, whyNoDrop } from './node-shell';
import { type DrillFault, type DrillNotOffered, FAULTS } from './report';

/** Which faults can be made here. */
export async function offersOf(
  kubectl: Kubectl,
  group: LiveGroup,
  shell: NodeShell | undefined,
): Promise<{ readonly offered: readonly DrillFault[]; readonly notOffered: readonly DrillNotOffered[] }> {
  const last = group.pods.at(-1)!;
  const deletes = await mayNot(kubectl, 'delete', 'pods');
  const execs = await mayNot(kubectl, 'create', 'pods/exec');
  const nodes = (await mayNot(kubectl, 'get', 'nodes')) ?? (await mayNot(kubectl, 'patch', 'nodes'));
  const node = nodes === undefined ? await kubectl.get<KubernetesObject>(nodePath(last.node!)) : undefined;
  const drops =
    shell === undefined
      ? "it takes a shell of root on the node of the last rank: --node-shell 'ssh root@{node}'"
      : await whyNoDrop(shell, last.node!);
  const cuts = whyNoCut(group) ?? drops;
  const stops = whyNoStop(last) ?? execs;
  const goes = whyNotAgain(group);
  const hints: Readonly<Record<DrillFault, string | undefined>> = {
    'delete-worker': goes ?? deletes,
    'delete-leader': goes ?? deletes,
    'stop-worker': stops,
    'stop-worker-idle': stops,
    cut: cuts,
    'cut-idle': cuts,
    drain:
      goes ??
      (await mayNot(kubectl, 'create', 'pods/eviction')) ??
      nodes ??
      whyNotCordoned(node!, last.node!) ??
      (await whyNoEviction(kubectl, last)),
    'lose-node': goes ?? nodes ?? drops ?? whyNotMarked(node!, last.node!),
  };
  const why = (fault: DrillFault): string | undefined =>
    MAKERS[fault].needsWorker === true && group.size < 2 ? 'the group has one rank' : hints[fault];
  return {
    offered: FAULTS.filter((fault) => why(fault) === undefined),
    notOffered: FAULTS.flatMap((fault) => {
      const reason = why(fault);
      return reason === undefined ? [] : [{ fault, why: reason }];
    }),
  };
}

function whyNoCut({ pods }: LiveGroup): string | undefined {
  const [first, last] = [pods[0]!, pods.at(-1)!];
  return pods.length < 2
    ? undefined
    : last.hostNetwork
      ? 'the pods have the network of their nodes, and cutting that would cut off the nodes'
      : first.node === last.node
        ? `both pods are on ${last.node!}, and no network is between them`
        : undefined;
}

/** A signal to all processes goes as far as the pod sees. */
function whyNoStop({ name, object }: LivePod): string | undefined {
  return dig(object, 'spec', 'hostPID') === true
    ? `${name} sees all processes of its node (hostPID), and a stop would stop the node`
    : undefined;
}

/** What nobody makes anew must not be deleted. */
function whyNotAgain({ kind, name }: LiveGroup): string | undefined {
  return kind === 'Pod' ? `${name} has no controller, and nothing makes a pod anew in its place` : undefined;
}

/** Asks for the eviction without making it: a budget answers it as it would the real one. */
async function whyNoEviction(kubectl: Kubectl, { name }: LivePod): Promise<string | undefined> {
  try {
    await evict(kubectl, name, true);
    return undefined;
  } catch (error) {
    if (!(error instanceof ClusterFailure) || isUnasked(error)) {
      throw error;
    }
    return /disruption budget/i.test(error.message)
      ? 'a PodDisruptionBudget lets no pod of it be evicted, so a drain loses nothing and waits until you delete the group'
      : `${name} is not evicted: ${error.message}`;
  }
}

async function mayNot(kubectl: Kubectl, verb: string, resource: string): Promise<string | undefined> {
  const [name, subresource] = resource.split('/');
  const args = ['auth', 'can-i', verb, name!, ...(subresource === undefined ? [] : [`--subresource=${subresource}`])];
  try {
    await kubectl.run([...args, `--namespace=${kubectl.namespace}`]);
    return undefined;
  } catch (error) {
    // It ends with 1 for no, and has nothing to say then.
    if (isUnasked(error)) {
      throw error;
    }
    return `you may not ${verb} ${resource}`;
  }
}

/** Whether the cluster has not answered, be it yes or no. */
function isUnasked(error: unknown): boolean {
  return isFailure(error, 'no-kubectl', 'unreachable', 'credentials', 'late');
}

/** Within which time recovery itself has to be over, the start and load of the next pods aside. */
export function boundOf(fault: DrillFault, group: LiveGroup): Bound | undefined {
  const leader = group.pods.find(({ rank }) => rank === 0);
  const engine = leader?.engine;
  if (leader === undefined || engine === undefined) {
    return undefined;
  }
  const { isHang, found } = MAKERS[fault];
  const hang = isHang === true ? hangBound({ engine, pod: leader.pod }) : undefined;
  if (isHang === true && hang === undefined) {
    return undefined;
  }
  const grace = Math.max(...group.pods.map(({ pod }) => pod.terminationGracePeriodSeconds));
  // A healthy server is found so by the next round of the startup probe; the readiness probe follows at once.
  const probe = engine.startupProbe ?? engine.readinessProbe;
  const parts = [
    ...(found === undefined ? [] : [found]),
    ...(hang === undefined ? [] : [{ seconds: hang.seconds, by: `${hang.seconds} s (${hang.by})` }]),
    { seconds: grace, by: `${grace} s of grace` },
    ...(probe === undefined ? [] : [{ seconds: probe.periodSeconds, by: `${probe.periodSeconds} s between probes` }]),
  ];
  return {
    seconds: parts.reduce((sum, { seconds }) => sum + seconds, 0),
    by: parts.map(({ by }) => by).join(', '),
  };
}

/** Seconds that the leader gives its requests to come to their end when it is told to go. */
export function drainSecondsOf(group: LiveGroup): number {
  const leader = group.pods.find(({ rank }) => rank === 0);
  return leader?.engine?.command.number('--shutdown-timeout') ?? 0;
}
