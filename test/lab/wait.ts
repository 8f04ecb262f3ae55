import { setTimeout as pause } from 'node:timers/promises';

/** Far more than anything here takes; it ends a wait for what never comes. */
const LONGEST_MS = 600_000;

/**
 * Asks again and again until there is an answer, and gives it.
 * @param seen what to say of the last state when the wait was in vain
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  seen: () => Promise<string> = () => Promise.resolve(''),
): Promise<T> {
  const end = Date.now() + LONGEST_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) {
      return answer;
    }
    if (Date.now() > end) {
      throw new Error(`waited in vain for ${what}\n${await seen()}`);
    }
    await pause(300);
  }
}
