import { dig, type KubernetesObject, listOf, textOf } from '../../manifest';
import { instancesOf } from '../group/instances';
import { isGoing } from '../group/live';
import type { Member } from '../group/members';
import { isReady, statusOf } from '../group/pod-state';
import { ClusterFailure, isFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';
import { pause } from '../pause';
import { dropAll, dropBetween, type Dropped, letThrough, type NodeShell, tableFor } from './node-shell';
import type { Repair } from './repair';
import type { DrillFault } from './report';

/** What a fault is made with. */
export interface Means {
  readonly kubectl: Kubectl;
  readonly shell?: NodeShell;
  readonly leader: Member;
  /** The last rank; the leader itself where there is no other. */
  readonly worker: Member;
  /** Takes what puts right what stays broken otherwise. It is run once the old pods are gone. */
  readonly needsRepair: Repair['needs'];
  readonly say: (step: string) => void;
  /** So long the group may take to come back. */
  readonly seconds: number;
  /** Whether the drill is to end. */
  readonly isEnding: () => boolean;
}

/** A fault that was made. */
export interface Made {
  readonly did: string;
  /** UIDs of pods that it deleted. */
  readonly deleted: readonly string[];
  /** When, where making it takes time: milliseconds since 1970. */
  readonly at?: number;
}

interface Maker {
  /** What it does, for who is about to let it. */
  readonly does: string;
  /** Whether it takes a second rank. */
  readonly needsWorker?: boolean;
  /** What is seen by nobody and has to be found by what the manifest says; a deletion is seen at once. */
  readonly isHang?: boolean;
  /** Made while nothing runs; the request is sent afterwards. */
  readonly isIdle?: boolean;
  /** The pods are told to go, and may let requests come to their end. */
  readonly isGraceful?: boolean;
  /** Seconds that the cluster takes to find it, whatever the manifest says, and what of it. */
  readonly found?: { readonly seconds: number; readonly by: string };
  readonly make: (means: Means) => Promise<Made>;
}

/** A cut ends by itself so long after the drill has given up, whatever becomes of who made it; a lost node in all. */
const AFTER_CUT_SECONDS = 60;
const LONGEST_LOSS_SECONDS = 600;
/** The node controller's default is 50 s (40 before Kubernetes 1.32), looked at every 5 s; a cluster may have another one. */
const NODE_LOST_SECONDS = 55;
/** A lost node is looked for so long. */
const LONGEST_UNTIL_LOST_SECONDS = 240;
/** The garbage collector of pods looks every 20 s, and once more for a node that it sees for the first time. */
const PODS_LOST_SECONDS = 40;
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

const stop: Maker['make'] = async ({ kubectl, worker, needsRepair }) => {
  const { name, container } = worker;
  // The first process of a container cannot be stopped from within; those that do its work can, all but the one that asks.
  const send = (signal: 'STOP' | 'CONT'): Promise<string> =>
    kubectl.exec(name, container, ['sh', '-c', `kill -${signal} -1`]);
  const life = newestLife(worker.object, container);
  needsRepair(async () => {
    // As a rule its group has been recreated, and it is gone with what was stopped in it.
    if (!(await isStopped(kubectl, worker, life))) {
      return undefined;
    }
    try {
      await send('CONT');
    } catch (error) {
      if (await isStopped(kubectl, worker, life)) {
        throw error;
      }
      return undefined;
    }
    return `the processes of ${name} go on`;
  }, `\`kubectl exec ${name} -n ${kubectl.namespace} -c ${container} -- sh -c 'kill -CONT -1'\``);
  await send('STOP');
  return { did: `SIGSTOP to the processes of ${name}`, deleted: [] };
};

const deletion =
  (which: 'leader' | 'worker'): Maker['make'] =>
  async (means) => {
    const { kubectl } = means;
    const { name, uid } = means[which];
    await kubectl.run(['delete', 'pod', name, '--wait=false', `--namespace=${kubectl.namespace}`]);
    return { did: `kubectl delete pod ${name}`, deleted: [uid] };
  };

const cut: Maker['make'] = async ({ shell, leader, worker, needsRepair, seconds }) => {
  const longest = seconds + AFTER_CUT_SECONDS;
  const dropped = tableFor(worker.node!);
  needsRepair(
    async () => {
      await letThrough(shell!, dropped);
      return 'the network is whole again';
    },
    `${byHandOf(dropped)}; it goes by itself after ${longest} s`,
  );
  await dropBetween(shell!, dropped, [addressOf(leader), addressOf(worker)], longest);
  return { did: `every packet between ${leader.name} and ${worker.name} is dropped on ${worker.node!}`, deleted: [] };
};

const lose: Maker['make'] = async ({ kubectl, shell, worker, needsRepair, say, isEnding }) => {
  const node = worker.node!;
  refuse(whyNotMarked(await kubectl.get(nodePath(node)), node) ?? whyNotNow(isEnding));
  const dropped = tableFor(node);
  needsRepair(
    async () => {
      await letThrough(shell!, dropped);
      return `${node} has its network again`;
    },
    `${byHandOf(dropped)}; it goes by itself after ${LONGEST_LOSS_SECONDS / 60} minutes`,
  );
  await dropAll(shell!, dropped, LONGEST_LOSS_SECONDS);
  const at = Date.now();
  await untilLost(kubectl, node, isEnding);
  const seconds = Math.round((Date.now() - at) / 1000);
  say(`${node} is not Ready after ${seconds} s; it is marked as out of service`);
  needsRepair(async () => {
    const isThere = await unlessGone(kubectl.run(['taint', 'nodes', node, `${OUT_OF_SERVICE}:NoExecute-`]));
    return isThere ? `${node} is marked no more` : undefined;
  }, `\`kubectl taint nodes ${node} ${OUT_OF_SERVICE}:NoExecute-\``);
  await kubectl.run(['taint', 'nodes', node, `${OUT_OF_SERVICE}=cdk8s-vllm-drill:NoExecute`, '--overwrite']);
  return { did: `every packet of ${node} is dropped; not Ready after ${seconds} s, then marked`, deleted: [], at };
};

const drain: Maker['make'] = async ({ kubectl, worker: { name, uid, node }, needsRepair, isEnding }) => {
  refuse(whyNotCordoned(await kubectl.get(nodePath(node!)), node!) ?? whyNotNow(isEnding));
  needsRepair(async () => {
    const isThere = await unlessGone(kubectl.run(['uncordon', node!]));
    return isThere ? `${node!} takes pods again` : undefined;
  }, `\`kubectl uncordon ${node!}\``);
  await kubectl.run(['cordon', node!]);
  await evict(kubectl, name);
  return { did: `kubectl cordon ${node!}, and ${name} evicted`, deleted: [uid] };
};

export const MAKERS: Readonly<Record<DrillFault, Maker>> = {
  'delete-worker': {
    does: 'deletes the pod of the last rank',
    needsWorker: true,
    isGraceful: true,
    make: deletion('worker'),
  },
  'delete-leader': { does: 'deletes the pod of the leader', isGraceful: true, make: deletion('leader') },
  'stop-worker': {
    does: 'stops (SIGSTOP) the processes of the last rank in the middle of a request',
    needsWorker: true,
    isHang: true,
    make: stop,
  },
  'stop-worker-idle': {
    does: 'stops (SIGSTOP) the processes of the last rank at rest, then sends a request',
    needsWorker: true,
    isHang: true,
    isIdle: true,
    make: stop,
  },
  cut: {
    does: 'drops all packets between leader and last rank in the middle of a request',
    needsWorker: true,
    isHang: true,
    make: cut,
  },
  'cut-idle': {
    does: 'drops all packets between leader and last rank at rest, then sends a request',
    needsWorker: true,
    isHang: true,
    isIdle: true,
    make: cut,
  },
  drain: {
    does: 'cordons the node of the last rank and evicts its pod, as kubectl drain does',
    isGraceful: true,
    make: drain,
  },
  'lose-node': {
    does: 'drops all packets of the node of the last rank, and marks it as out of service once it is not Ready',
    found: {
      seconds: NODE_LOST_SECONDS + PODS_LOST_SECONDS,
      by: `${NODE_LOST_SECONDS} s until a node counts as lost, ${PODS_LOST_SECONDS} s until its pods do`,
    },
    make: lose,
  },
};

/** Evicts a pod, or asks whether that would be let. */
export async function evict(kubectl: Kubectl, pod: string, isDryRun = false): Promise<void> {
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: pod, namespace: kubectl.namespace },
    ...(isDryRun && { deleteOptions: { dryRun: ['All'] } }),
  };
  await kubectl.run(
    ['create', '--raw', kubectl.path(`pods/${encodeURIComponent(pod)}/eviction`), '-f', '-'],
    undefined,
    JSON.stringify(eviction),
  );
}

export function nodePath(node: string): string {
  return `/api/v1/nodes/${encodeURIComponent(node)}`;
}

/** Why a drain must not cordon a node: its end would undo what somebody else did. */
export function whyNotCordoned(node: KubernetesObject, name: string): string | undefined {
  return dig(node, 'spec', 'unschedulable') === true
    ? `${name} is cordoned already, and would be uncordoned in the end: uncordon it first, if that is right`
    : undefined;
}

/** The same of a mark. */
export function whyNotMarked(node: KubernetesObject, name: string): string | undefined {
  return listOf(dig(node, 'spec', 'taints')).some((taint) => dig(taint, 'key') === OUT_OF_SERVICE)
    ? `${name} is marked as out of service already, and would not be in the end`
    : undefined;
}

/** Whoever ends the drill before anything is broken wants nothing to be. */
function whyNotNow(isEnding: () => boolean): string | undefined {
  return isEnding() ? 'the drill was ended before' : undefined;
}

function refuse(why: string | undefined): void {
  if (why !== undefined) {
    throw new ClusterFailure('other', why);
  }
}

/** Whether what is to be put right is still there: a node that is gone needs nothing. */
async function unlessGone(done: Promise<unknown>): Promise<boolean> {
  try {
    await done;
    return true;
  } catch (error) {
    if (isFailure(error, 'not-found')) {
      return false;
    }
    throw error;
  }
}

function newestLife(pod: KubernetesObject, container: string): number {
  return Math.max(0, ...instancesOf(pod, container).map(({ restart }) => restart));
}

/** Whether a pod is as it was when it was stopped: there, not told to go, and in the same life of its container. */
async function isStopped(kubectl: Kubectl, { name, uid, container }: Member, life: number): Promise<boolean> {
  const pod = await kubectl.find<KubernetesObject>(kubectl.path(`pods/${encodeURIComponent(name)}`));
  return (
    pod !== undefined &&
    textOf(dig(pod, 'metadata', 'uid')) === uid &&
    !isGoing(pod) &&
    instancesOf(pod, container).some(({ restart, state }) => restart === life && state === 'running')
  );
}

function byHandOf({ node, table }: Dropped): string {
  return `\`nft delete table inet ${table}\` as root on ${node}`;
}

async function untilLost(kubectl: Kubectl, node: string, isEnding: () => boolean): Promise<void> {
  const end = Date.now() + LONGEST_UNTIL_LOST_SECONDS * 1000;
  while (isReady(await kubectl.get(nodePath(node)))) {
    if (isEnding()) {
      throw new ClusterFailure('other', `${node} was not marked, since the drill was ended before it counted as lost`);
    }
    if (Date.now() > end) {
      throw new ClusterFailure(
        'other',
        `${node} is still Ready ${LONGEST_UNTIL_LOST_SECONDS} s after all its packets were dropped; is the shell that of the node itself?`,
      );
    }
    await pause(1);
  }
}

function addressOf({ object, name }: Member): string {
  const { podIP } = statusOf(object);
  if (podIP === undefined) {
    throw new ClusterFailure('other', `${name} has no address`);
  }
  return podIP;
}
