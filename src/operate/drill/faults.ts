import type { Member } from '../group/members';
import type { Kubectl } from '../kubectl/kubectl';
import { cut, heal, type NodeShell } from './node-shell';
import type { DrillFault } from './report';

/** What a fault is made with. */
export interface Means {
  readonly kubectl: Kubectl;
  readonly shell?: NodeShell;
  readonly leader: Member;
  /** The last rank; the leader itself where there is no other. */
  readonly worker: Member;
}

/** A fault that was made. */
export interface Made {
  readonly did: string;
  /** UIDs of pods that it deleted. */
  readonly deleted: readonly string[];
  /** Puts right what stays broken otherwise, once the old pods are gone. */
  readonly repair?: () => Promise<string>;
}

interface Maker {
  /** What it does, for who is about to let it. */
  readonly does: string;
  /** Whether it takes a second rank. */
  readonly needsWorker: boolean;
  /** A hang ends by what the manifest says; a deletion is seen at once. */
  readonly isHang: boolean;
  /** Made while nothing runs; the request is sent afterwards. */
  readonly isIdle: boolean;
  readonly make: (means: Means) => Promise<Made>;
}

const stop: Maker['make'] = async ({ kubectl, worker: { name, container } }) => {
  // The first process of a container cannot be stopped from within; those that do its work can, all but the one that asks.
  await kubectl.exec(name, container, ['sh', '-c', 'kill -STOP -1']);
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

const severed: Maker['make'] = async ({ shell, leader, worker }) => {
  const addresses = [addressOf(leader), addressOf(worker)] as const;
  await cut(shell!, worker.node!, addresses);
  return {
    did: `every packet between ${leader.name} and ${worker.name} is dropped on ${worker.node!}`,
    deleted: [],
    repair: async () => {
      await heal(shell!, worker.node!, addresses[0]);
      return 'the network is whole again';
    },
  };
};

export const MAKERS: Readonly<Record<DrillFault, Maker>> = {
  'delete-worker': {
    does: 'deletes the pod of the last rank',
    needsWorker: true,
    isHang: false,
    isIdle: false,
    make: deletion('worker'),
  },
  'delete-leader': {
    does: 'deletes the pod of the leader',
    needsWorker: false,
    isHang: false,
    isIdle: false,
    make: deletion('leader'),
  },
  'stop-worker': {
    does: 'stops (SIGSTOP) the processes of the last rank in the middle of a request',
    needsWorker: true,
    isHang: true,
    isIdle: false,
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
    isIdle: false,
    make: severed,
  },
  'cut-idle': {
    does: 'drops all packets between leader and last rank at rest, then sends a request',
    needsWorker: true,
    isHang: true,
    isIdle: true,
    make: severed,
  },
  drain: {
    does: 'cordons the node of the last rank and evicts its pod, as kubectl drain does',
    needsWorker: false,
    isHang: false,
    isIdle: false,
    make: async ({ kubectl, worker: { name, uid, node } }) => {
      await kubectl.run(['cordon', node!]);
      const uncordon = async (): Promise<string> => {
        await kubectl.run(['uncordon', node!]);
        return `${node!} takes pods again`;
      };
      try {
        await evict(kubectl, name);
      } catch (error) {
        await uncordon();
        throw error;
      }
      return { did: `kubectl cordon ${node!}, and ${name} evicted`, deleted: [uid], repair: uncordon };
    },
  },
};

async function evict(kubectl: Kubectl, pod: string): Promise<void> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace: kubectl.namespace } };
  await kubectl.run(
    ['create', '--raw', kubectl.path(`pods/${encodeURIComponent(pod)}/eviction`), '-f', '-'],
    undefined,
    JSON.stringify(eviction),
  );
}

function addressOf({ object, name }: Member): string {
  const { podIP } = (object['status'] ?? {}) as { podIP?: string };
  if (podIP === undefined) {
    throw new Error(`${name} has no address`);
  }
  return podIP;
}
