import { LWS_PREFIX } from '../../engine/lws';
import type { RolePod, Workload } from '../../manifest/groups';
import { dig, get, listOf, textMapOf, textOf } from '../../manifest/json';
import { readVolumeClaim } from '../../manifest/others';
import { matchesSelector } from '../../manifest/selector';
import { CPU_GROUP, edit, together } from '../examples';
import { nameOf, placeOf, type Severity } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';

const HOST = 'kubernetes.io/hostname';
/** No node of today has more devices, so two such pods are on two nodes. */
const WHOLE_NODE = 8;

function* check({ set, manifests: { workloads } }: RuleInput): Iterable<Report> {
  const claims = new Map(
    set.ofKind('PersistentVolumeClaim').map((object) => [placeOf(object), readVolumeClaim(object)]),
  );
  if (claims.size === 0) {
    return;
  }
  for (const workload of workloads) {
    for (const name of new Set(workload.pods.flatMap(claimsOf))) {
      const claim = claims.get(`${workload.namespace}|${name}`);
      const modes = claim?.accessModes ?? [];
      if (claim === undefined || modes.length === 0 || !modes.every((mode) => mode.startsWith('ReadWriteOnce'))) {
        continue;
      }
      const users = workload.pods.filter((pod) => claimsOf(pod).includes(name));
      const pods = podsOf(workload, users);
      const severity = pods > 1 ? placement(workload, users, modes.includes('ReadWriteOncePod')) : undefined;
      if (severity !== undefined) {
        const mode = modes.join(', ');
        yield {
          object: claim.object,
          path: 'spec.accessModes',
          what: `${pods} pods of ${nameOf(workload.object)} mount the claim, which is ${mode}`,
          ...(severity === 'warning' && {
            why: 'once they are on two nodes, the second pod waits for ever for the volume',
          }),
          severity,
        };
      }
    }
  }
}

/** The claims of a bundle that a pod mounts. */
function claimsOf(pod: RolePod): string[] {
  return pod.volumes.flatMap(({ kind, refersTo }) =>
    kind === 'persistentVolumeClaim' && refersTo !== undefined ? [refersTo] : [],
  );
}

/** Pods that mount it at one time. */
function podsOf({ kind, replicas = 1, size = 1 }: Workload, users: readonly RolePod[]): number {
  if (kind !== 'LeaderWorkerSet') {
    return kind === 'Deployment' || kind === 'StatefulSet' || kind === 'ReplicaSet' ? replicas : 1;
  }
  const each = users.reduce((sum, { role }) => sum + (role === 'worker' ? size - 1 : 1), 0);
  return replicas * each;
}

/** How sure it is that the pods are on several nodes; nothing when they are kept together. */
function placement(
  { object, replicas = 1 }: Workload,
  users: readonly RolePod[],
  isOnePod: boolean,
): Severity | undefined {
  if (isOnePod || users.some((pod) => isSpread(pod) || usesWholeNode(pod))) {
    return 'error';
  }
  // LWS then gives each group a node of its own.
  if (textMapOf(object.metadata.annotations).get(`${LWS_PREFIX}exclusive-topology`) === HOST) {
    return replicas > 1 ? 'error' : undefined;
  }
  const isTogether = users.some(
    ({ raw }) =>
      terms(raw, 'podAffinity').some((term) => get(term, 'topologyKey') === HOST) ||
      dig(raw, 'nodeSelector', HOST) !== undefined ||
      textOf(get(raw, 'nodeName')) !== undefined,
  );
  return isTogether ? undefined : 'warning';
}

function terms(spec: unknown, kind: string): readonly unknown[] {
  return listOf(dig(spec, 'affinity', kind, 'requiredDuringSchedulingIgnoredDuringExecution'));
}

/** Whether no two of the pods may be on one node. */
function isSpread({ raw, labels }: RolePod): boolean {
  return (
    terms(raw, 'podAntiAffinity').some(
      (term) => get(term, 'topologyKey') === HOST && matchesSelector(get(term, 'labelSelector'), labels) === true,
    ) ||
    listOf(get(raw, 'topologySpreadConstraints')).some(
      (constraint) =>
        get(constraint, 'topologyKey') === HOST &&
        get(constraint, 'whenUnsatisfiable') === 'DoNotSchedule' &&
        get(constraint, 'maxSkew') === 1 &&
        matchesSelector(get(constraint, 'labelSelector'), labels) === true,
    )
  );
}

function usesWholeNode({ containers }: RolePod): boolean {
  return containers.some(({ resources }) =>
    [...resources.limits].some(([name, { value }]) => name.endsWith('.com/gpu') && value >= WHOLE_NODE),
  );
}

const CLAIM = (mode: string): string => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: models, namespace: serving }
spec: { accessModes: [${mode}], resources: { requests: { storage: 100Gi } } }
`;

const GROUP = (): string =>
  edit(
    CPU_GROUP,
    [
      '        enableServiceLinks: false\n',
      `        enableServiceLinks: false
        affinity:
          podAntiAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              - { topologyKey: ${HOST}, labelSelector: { matchLabels: { app: chat } } }
`,
    ],
    ['mountPath: /dev/shm }]', 'mountPath: /dev/shm }, { name: models, mountPath: /models }]'],
    ['sizeLimit: 4Gi } }]', 'sizeLimit: 4Gi } }, { name: models, persistentVolumeClaim: { claimName: models } }]'],
  );

export const singleNodeVolumeShared: Rule = {
  id: 'k8s/single-node-volume-shared',
  severity: 'error',
  title: 'pods on several nodes mount a volume of one node',
  why: 'the second pod waits for ever for the volume to be attached',
  fix: 'take a class with ReadWriteMany or ReadOnlyMany, or give each pod a claim of its own by a template',
  source: 'kserve/kserve#3409; access modes of Kubernetes',
  get bad() {
    return together(CLAIM('ReadWriteOnce'), GROUP());
  },
  get good() {
    return together(CLAIM('ReadWriteMany'), GROUP());
  },
  check,
};
