import { ClusterFailure } from './failure';
import type { Kubectl } from './kubectl';
import type { Running } from './running';

/** A port of a pod, on this machine. */
export interface Forward {
  readonly host: string;
  readonly port: number;
  /** Whether it still stands, as far as is known now. */
  readonly isOpen: () => boolean;
  /** Whether it has ended; its end is seen a moment after that of the connections through it. */
  readonly hasEnded: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

const HOST = '127.0.0.1';
const OPEN_SECONDS = 30;
const END_SECONDS = 1;

async function endsSoon({ ended }: Running): Promise<boolean> {
  let late: NodeJS.Timeout | undefined;
  const goesOn = new Promise<boolean>((resolve) => {
    late = setTimeout(() => resolve(false), END_SECONDS * 1000);
  });
  const hasEnded = await Promise.race([ended.then(() => true), goesOn]);
  clearTimeout(late);
  return hasEnded;
}

/** It ended while the pod is as before. */
export function brokeOff(pod: string): ClusterFailure {
  return new ClusterFailure(
    'unreachable',
    `the port-forward to ${pod} broke off, and its pods are as before: so the way there broke, and not the group; try again`,
  );
}

/** Opens a free port of the loopback interface that leads to a port of a pod; within the pod it comes in on its loopback as well. */
export async function portForward(kubectl: Kubectl, pod: string, port: number): Promise<Forward> {
  let running: Running | undefined;
  let late: NodeJS.Timeout | undefined;
  try {
    const opened = await new Promise<number | undefined>((resolve) => {
      late = setTimeout(() => resolve(undefined), OPEN_SECONDS * 1000);
      running = kubectl.start(['port-forward', `--address=${HOST}`, `pod/${pod}`, `:${port}`], {
        onLine: (line) => {
          const [, open] = /^Forwarding from 127\.0\.0\.1:(\d+) ->/.exec(line) ?? [];
          if (open !== undefined) {
            resolve(Number(open));
          }
        },
      });
      void running.ended.then(() => resolve(undefined));
    });
    if (opened === undefined) {
      throw running!.code === undefined
        ? new ClusterFailure('late', `no port-forward to ${pod} within ${OPEN_SECONDS} s`)
        : kubectl.explain(running!.said);
    }
    const open = running!;
    return {
      host: HOST,
      port: opened,
      isOpen: () => open.code === undefined,
      hasEnded: () => endsSoon(open),
      close: () => open.close(),
    };
  } catch (error) {
    await running?.close();
    throw error;
  } finally {
    clearTimeout(late);
  }
}
