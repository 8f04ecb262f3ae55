import type { KubernetesObject } from '../../../src/manifest/object';

const LWS = 'leaderworkerset.sigs.k8s.io/';

export interface PodWish {
  readonly rank?: number;
  /** Pods of its group; 0: it is of no LeaderWorkerSet. */
  readonly size?: number;
  readonly group?: number;
  readonly name?: string;
  readonly node?: string;
  readonly args?: readonly string[];
  readonly env?: readonly object[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly owner?: { readonly kind: string; readonly name: string };
  readonly status?: object;
  readonly spec?: object;
  readonly metadata?: object;
}

/** A pod as the API server lists it, of a group called `g`. */
export function pod(wish: PodWish = {}): KubernetesObject {
  const { rank = 0, size = 2, group = 0, node = 'n1', args = [], env = [], labels = {}, owner } = wish;
  const name = wish.name ?? (rank === 0 ? `g-${group}` : `g-${group}-${rank}`);
  const ofLws = {
    [`${LWS}name`]: 'g',
    [`${LWS}group-index`]: String(group),
    [`${LWS}worker-index`]: String(rank),
  };
  const variables = [
    { name: 'LWS_LEADER_ADDRESS', value: `g-${group}.g.vllm` },
    { name: 'LWS_GROUP_SIZE', value: String(size) },
    { name: 'LWS_WORKER_INDEX', value: String(rank) },
  ];
  // Items of a list say neither kind nor version.
  return {
    metadata: {
      name,
      namespace: 'vllm',
      uid: `uid of ${name}`,
      labels: { ...(size > 0 && ofLws), ...labels },
      annotations: size > 0 ? { [`${LWS}size`]: String(size) } : {},
      ...(owner && { ownerReferences: [{ ...owner, controller: true }] }),
      ...wish.metadata,
    },
    spec: {
      nodeName: node,
      containers: [
        {
          name: 'vllm',
          image: 'vllm/vllm-openai-cpu:v0.31.0-arm64',
          args: ['google/gemma-3-1b-it', ...args],
          env: [...(size > 0 ? variables : []), ...env],
        },
      ],
      ...wish.spec,
    },
    status: wish.status ?? {
      phase: 'Running',
      podIP: `10.0.0.${rank + 1}`,
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'vllm', ready: true, restartCount: 0 }],
    },
  } as unknown as KubernetesObject;
}
