import { elapsed } from './clock';
import { isHopeless, issueText } from './hints';
import type { Resource } from './resource';
import type { Run } from './run';

/** A step that did not end as it should. */
export class StepError extends Error {
  public constructor(
    public readonly step: string,
    message: string,
  ) {
    super(message);
    this.name = 'StepError';
  }
}

/** Looks that may miss something that was just made, before it counts as gone. */
const LOOKS_WHILE_NEW = 4;
const MINUTE = 60_000;

/** Issues as lines of a message. */
function listed(issues: readonly string[]): string {
  return issues.length === 0 ? '' : `\n${issues.map((issue) => `    ${issue}`).join('\n')}`;
}

/**
 * Waits until something can be used; `undefined` when it is not there. Ends at once with a failed state, an issue that does not
 * pass by waiting, or a call that is denied, which the waiters of the SDK take for 'not yet'.
 */
export async function settled<T>(resource: Resource<T>, { clock, say }: Run): Promise<T | undefined> {
  const { id, patience, observe, state, status, issues } = resource;
  const begun = clock.now();
  const told = new Set<string>();
  let missed = 0;
  let degradedSince: number | undefined;
  let lastSaid = { status: '', at: begun };
  for (;;) {
    const observed = await observe();
    const now = clock.now();
    if (observed === undefined) {
      if (++missed >= LOOKS_WHILE_NEW) {
        return undefined;
      }
    } else {
      missed = 0;
      const found = issues(observed);
      const texts = found.map(issueText);
      const word = status(observed);
      switch (state(observed)) {
        case 'ready':
          return observed;
        case 'failed':
          throw new StepError(id, `${id} is ${word}${listed(texts)}`);
        case 'deleting':
          throw new StepError(id, `${id} is ${word}: somebody deletes it; run this again when it is gone`);
        case 'degraded':
          degradedSince ??= now;
          if (now - degradedSince >= patience.degraded * MINUTE) {
            throw new StepError(id, `${id} is ${word} since ${elapsed(now - degradedSince)}${listed(texts)}`);
          }
          break;
        case 'moving':
          degradedSince = undefined;
      }
      if (found.some(isHopeless)) {
        throw new StepError(id, `${id} is ${word}, and will not get further${listed(texts)}`);
      }
      texts.filter((text) => !told.has(text)).forEach((text) => say(id, text));
      texts.forEach((text) => told.add(text));
      if (word !== lastSaid.status || now - lastSaid.at >= MINUTE) {
        say(id, word);
        lastSaid = { status: word, at: now };
      }
      if (now - begun >= patience.atMost * MINUTE) {
        throw new StepError(
          id,
          `${id} is still ${word} after ${elapsed(now - begun)}; running this again goes on waiting${listed(texts)}`,
        );
      }
    }
    await clock.sleep(patience.every * 1000);
  }
}

/** Waits until something is gone. */
export async function gone<T>(resource: Resource<T>, { clock, say }: Run): Promise<void> {
  const { id, patience, observe, state, status, issues } = resource;
  const begun = clock.now();
  let lastSaid = begun - MINUTE;
  for (;;) {
    const observed = await observe();
    if (observed === undefined) {
      return;
    }
    const now = clock.now();
    const texts = issues(observed).map(issueText);
    if (state(observed) === 'failed' && now > begun) {
      throw new StepError(id, `${id} is ${status(observed)}${listed(texts)}`);
    }
    if (now - begun >= patience.atMost * MINUTE) {
      throw new StepError(id, `${id} is still ${status(observed)} after ${elapsed(now - begun)}${listed(texts)}`);
    }
    if (now - lastSaid >= MINUTE) {
      say(id, status(observed));
      lastSaid = now;
    }
    await clock.sleep(patience.every * 1000);
  }
}
