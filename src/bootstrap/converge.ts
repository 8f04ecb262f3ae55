import { CallError } from './aws/errors';
import type { Difference, Resource } from './resource';
import type { Run } from './run';
import { gone, settled, StepError } from './wait';

/** What a step did. */
export interface Outcome {
  readonly id: string;
  readonly did: 'created' | 'changed' | 'replaced' | 'nothing';
  /** Differences that are left. */
  readonly drift: readonly Difference[];
  readonly isOurs: boolean;
}

/** How often something may be made, and be gone when looked at: a token of an earlier life answers with what was deleted. */
const GENERATIONS = 4;

/**
 * Brings one thing to what the file says: looks first, makes or changes what is needed, and waits. Running it again, or after a
 * run that ended anywhere, gives the same state.
 */
export async function converge<T>(resource: Resource<T>, run: Run): Promise<Outcome> {
  const { id, observe, state, status } = resource;
  let isReplaced = false;
  for (let generation = 0; generation < GENERATIONS; generation++) {
    let observed = await observe();
    if (observed !== undefined && state(observed) === 'deleting') {
      run.say(id, `${status(observed)}: waiting until it is gone`);
      await gone(resource, run);
      observed = undefined;
    }
    if (observed !== undefined && state(observed) === 'failed') {
      await removeFailed(resource, observed, run);
      observed = undefined;
      isReplaced = true;
    }
    if (observed === undefined) {
      run.say(id, 'creating');
      await createUnlessThere(resource, generation, run);
      const made = await settled(resource, run);
      if (made === undefined) {
        continue;
      }
      resource.remember?.(made);
      // What another run began, or this one before it was interrupted, may lack a part.
      const isPartial = (await change(resource, made, { ...run, replace: false })) === 'changed';
      const whole = isPartial ? ((await settled(resource, run)) ?? made) : made;
      return finish(isReplaced ? 'replaced' : 'created', whole);
    }
    const ready = await settled(resource, run);
    if (ready === undefined) {
      continue;
    }
    resource.remember?.(ready);
    const did = await change(resource, ready, run);
    if (did === 'deleted') {
      isReplaced = true;
      continue;
    }
    const after = did === 'nothing' ? ready : await settled(resource, run);
    if (after !== undefined) {
      resource.remember?.(after);
      return finish(did, after);
    }
  }
  throw new StepError(id, `${id} was made ${GENERATIONS} times and is not there; does something delete it?`);

  function finish(did: Outcome['did'], observed: T): Outcome {
    run.say(id, did === 'nothing' ? 'as wanted' : did);
    return { id, did, drift: resource.differences(observed), isOurs: resource.isOurs(observed) };
  }
}

async function removeFailed<T>(resource: Resource<T>, observed: T, run: Run): Promise<void> {
  const { id, status, isOurs } = resource;
  if (!run.replace || !isOurs(observed)) {
    // Says the issues, which are the reason.
    await settled(resource, run).catch((error: unknown) => {
      if (!(error instanceof StepError)) {
        throw error;
      }
      const what = isOurs(observed)
        ? 'apply --replace deletes it and makes it again'
        : 'it is not ours: delete it yourself';
      throw new StepError(id, `${error.message}\n    ${what}`);
    });
    return;
  }
  run.say(id, `${status(observed)}: deleting it`);
  await resource.remove(observed);
  await gone(resource, run);
}

/** Makes something; that it is there already is as good. Waits while AWS is busy with another change of the cluster. */
async function createUnlessThere<T>(resource: Resource<T>, generation: number, { clock, say }: Run): Promise<void> {
  const { id, patience } = resource;
  const begun = clock.now();
  for (;;) {
    try {
      return await resource.create(generation);
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error;
      }
      if (error.kind === 'exists') {
        return;
      }
      if (error.kind !== 'busy' || clock.now() - begun >= patience.atMost * 60_000) {
        throw error;
      }
      say(id, 'waiting: another change is going on');
      await clock.sleep(patience.every * 1000);
    }
  }
}

/** Times that a change is begun again, when AWS is at another one. */
const BEGINNINGS = 4;

/** Changes what differs; when AWS is busy, waits and looks again at what then still differs. */
async function change<T>(
  resource: Resource<T>,
  observed: T,
  run: Run,
): Promise<'nothing' | 'changed' | 'replaced' | 'deleted'> {
  let current = observed;
  for (let beginning = 1; ; beginning++) {
    try {
      return await changeOnce(resource, current, run);
    } catch (error) {
      if (!(error instanceof CallError) || error.kind !== 'busy' || beginning === BEGINNINGS) {
        throw error;
      }
      run.say(resource.id, 'waiting: another change is going on');
      await run.clock.sleep(resource.patience.every * 1000);
      current = (await settled(resource, run)) ?? current;
    }
  }
}

async function changeOnce<T>(
  resource: Resource<T>,
  observed: T,
  run: Run,
): Promise<'nothing' | 'changed' | 'replaced' | 'deleted'> {
  if (!resource.isOurs(observed)) {
    return 'nothing';
  }
  const differences = resource.differences(observed);
  const [safe, harsh] = (['change', 'replace'] as const).map((remedy) =>
    differences.filter((difference) => difference.remedy === remedy),
  ) as [Difference[], Difference[]];
  if (safe.length > 0) {
    run.say(resource.id, `changing ${safe.map(({ what }) => what).join(', ')}`);
    await resource.change(observed, safe);
  }
  if (harsh.length === 0 || !run.replace) {
    return safe.length > 0 ? 'changed' : 'nothing';
  }
  run.say(resource.id, `replacing for ${harsh.map(({ what }) => what).join(', ')}`);
  const replace = resource.replace?.(observed, harsh);
  if (replace !== undefined) {
    await replace();
    return 'replaced';
  }
  await resource.remove(observed);
  await gone(resource, run);
  return 'deleted';
}
