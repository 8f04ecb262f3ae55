import { setTimeout as pause } from 'node:timers/promises';

/** Far more than anything here takes; it ends a wait for what never comes. */
const LONGEST_MS = 120_000;

/**
 * Asks again and again until there is an answer, and gives it.
 * @param what what is waited for, as the error says it
 * @param ask gives the answer, or `undefined` or `false` as long as there is none
 * @param seen what to say of the last state when the wait was in vain
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  seen: () => unknown = () => undefined,
): Promise<T> {
  const end = Date.now() + LONGEST_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) {
      return answer;
    }
    if (Date.now() > end) {
      const last = await seen();
      throw new Error(`waited in vain for ${what}${last === undefined ? '' : `; last seen: ${JSON.stringify(last)}`}`);
    }
    await pause(50);
  }
}
