import type { Check } from '../plan';

const MINUTE = 60_000;
/** AWS takes signatures that are five minutes off. */
const MOST_MINUTES = 5;

/** Whether this machine's clock is right: AWS' SDK gets over a wrong one, kubectl's token does not. */
export function clockChecks(offset: number): Check[] {
  const minutes = Math.round(Math.abs(offset) / MINUTE);
  return minutes < MOST_MINUTES
    ? []
    : [
        {
          level: 'warning',
          about: 'clock',
          message: `this machine's clock is ${minutes} minutes ${offset > 0 ? 'behind' : 'ahead of'} AWS'; set it, or kubectl and helm are not let in`,
        },
      ];
}
