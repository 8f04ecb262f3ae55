import type { Update } from '../aws/types';
import type { Run } from '../run';
import { elapsed } from '../clock';
import { StepError } from '../wait';

const EVERY_SECONDS = 10;

/** Waits for an update of EKS; it does one at a time of a cluster or a node group. */
export async function updated(
  { file, send, clock, say }: Run,
  step: string,
  update: Update | undefined,
  of: { nodegroupName?: string; addonName?: string } = {},
  atMostMinutes = 40,
): Promise<void> {
  const begun = clock.now();
  for (let current = update; current?.id !== undefined;) {
    switch (current.status) {
      case 'Successful':
        return;
      case 'Failed':
      case 'Cancelled': {
        const reasons = (current.errors ?? []).map(
          ({ errorCode, errorMessage }) => `\n    ${errorCode}: ${errorMessage}`,
        );
        throw new StepError(step, `${step}: EKS says ${current.type ?? 'update'} ${current.status}${reasons.join('')}`);
      }
    }
    if (clock.now() - begun >= atMostMinutes * 60_000) {
      throw new StepError(
        step,
        `${step}: ${current.type} is still ${current.status} after ${elapsed(clock.now() - begun)}`,
      );
    }
    say(step, `${current.type ?? 'update'} ${current.status}`);
    await clock.sleep(EVERY_SECONDS * 1000);
    current = (await send('eks.DescribeUpdate', { name: file.name, updateId: current.id, ...of })).update;
  }
}
