import type { KubernetesObject } from '../../manifest';
import { statusOf } from './pod-state';

/** One life of a container: a restart gives it another. */
export interface Instance {
  /** Restarts before it. */
  readonly restart: number;
  readonly state: 'waiting' | 'running' | 'ended';
  /** RFC 3339, in seconds, by the clock of the node. */
  readonly startedAt?: string;
  readonly end?: InstanceEnd;
}

export interface InstanceEnd {
  readonly code?: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly finishedAt?: string;
}

/** The lives of a container that its pod still tells of: the present one, and the one before. */
export function instancesOf(pod: KubernetesObject, container: string): readonly Instance[] {
  const status = statusOf(pod).containerStatuses?.find(({ name }) => name === container);
  if (status === undefined) {
    return [];
  }
  const { restartCount = 0, state, lastState } = status;
  const ended = lastState?.terminated;
  const isNext = state?.terminated === undefined;
  // Before a restart the kubelet shows the ended life as the present one, then as the last one of a container that waits.
  const last = ended === undefined || restartCount === 0 ? [] : [endedAs(restartCount - 1, ended)];
  if (!isNext) {
    return [...last, endedAs(restartCount, state.terminated)];
  }
  const startedAt = state?.running?.startedAt;
  return [
    ...last,
    {
      restart: restartCount,
      state: state?.running === undefined ? 'waiting' : 'running',
      ...(startedAt && { startedAt }),
    },
  ];
}

function endedAs(
  restart: number,
  {
    exitCode,
    signal,
    reason,
    startedAt,
    finishedAt,
  }: { exitCode?: number; signal?: number; reason?: string; startedAt?: string; finishedAt?: string },
): Instance {
  return {
    restart,
    state: 'ended',
    ...(startedAt && { startedAt }),
    end: {
      ...(exitCode !== undefined && { code: exitCode }),
      ...(signal && { signal }),
      ...(reason && { reason }),
      ...(finishedAt && { finishedAt }),
    },
  };
}
