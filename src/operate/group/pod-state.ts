import type { KubernetesObject } from '../../manifest';

/** What is read of a pod's status; anything may be missing. */
export interface PodStatus {
  readonly phase?: string;
  readonly podIP?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: {
    readonly exitCode?: number;
    readonly signal?: number;
    readonly reason?: string;
    readonly message?: string;
    readonly startedAt?: string;
    readonly finishedAt?: string;
  };
}

export function statusOf(pod: KubernetesObject): PodStatus {
  return pod['status'] ?? {};
}

export function isReady(pod: KubernetesObject): boolean {
  return statusOf(pod).conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

export function restartsOf(pod: KubernetesObject): number {
  return (statusOf(pod).containerStatuses ?? []).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

/** What keeps a pod from being ready, as the cluster tells it; empty for one that is. */
export function whyNotReady(pod: KubernetesObject): string {
  if (isReady(pod)) {
    return '';
  }
  const { phase, reason, message, conditions = [], ...statuses } = statusOf(pod);
  if (pod.metadata['deletionTimestamp' as keyof typeof pod.metadata] !== undefined) {
    return 'is being deleted';
  }
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled !== undefined) {
    return `has no node: ${unscheduled.message ?? unscheduled.reason ?? 'no reason is given'}`;
  }
  for (const [what, list] of [
    ['init container ', statuses.initContainerStatuses],
    ['', statuses.containerStatuses],
  ] as const) {
    for (const { name, state, lastState } of list ?? []) {
      const why = stateWords(`${what}${name}`, state, lastState, what !== '');
      if (why !== undefined) {
        return why;
      }
    }
  }
  if (phase === 'Failed' || phase === 'Succeeded') {
    return `has ended${reason === undefined ? '' : ` (${reason}${message === undefined ? '' : `: ${message}`})`}`;
  }
  return phase === 'Running' ? 'runs, and is not ready yet' : `is ${(phase ?? 'without a status').toLowerCase()}`;
}

function stateWords(
  name: string,
  state: ContainerState | undefined,
  last: ContainerState | undefined,
  isInit: boolean,
): string | undefined {
  const { waiting, terminated } = state ?? {};
  if (terminated !== undefined && !(isInit && terminated.exitCode === 0)) {
    return `${name} ${endWords(terminated)}`;
  }
  if (waiting?.reason !== undefined && !['PodInitializing', 'ContainerCreating'].includes(waiting.reason)) {
    const before = last?.terminated === undefined ? '' : `; it ${endWords(last.terminated)}`;
    return `${name} waits: ${waiting.reason}${waiting.message === undefined ? '' : `: ${waiting.message}`}${before}`;
  }
  return undefined;
}

function endWords({ exitCode, reason }: NonNullable<ContainerState['terminated']>): string {
  return `ended with ${exitCode ?? '?'}${reason === undefined ? '' : ` (${reason})`}`;
}
