import { describe, expect, test } from 'vitest';
import { attempt, type Scenario } from './scenarios';
import { secretsIn } from './secrets';
import type { Call, Fault } from './wire/server';
import { HAS_MODELS, world } from './world';

/** Faults that pass by themselves: one run has to get over them. */
const PASSING: readonly Fault[] = ['throttled', 'lost before', 'lost after', 'failed after', 'internal error'];
/** Faults that a person has to mend. */
const LASTING: readonly Fault[] = ['denied', 'expired', 'foreign page', 'login page'];

/** The state that an undisturbed run leaves, and its calls. */
async function undisturbed(scenario: Scenario): Promise<{ state: object; calls: readonly Call[] }> {
  const account = await scenario.before();
  const calm = await world({ account });
  expect(await attempt(scenario, calm)).toMatchObject({ succeeded: true });
  expect(calm.peer.violations).toEqual([]);
  await calm.peer.close();
  return { state: account.summary(), calls: calm.peer.calls };
}

/** The tests of a scenario: what happens when calls of it go wrong. */
export function faultTests(scenario: Scenario): void {
  describe.skipIf(!HAS_MODELS)(scenario.name, () => {
    test.each([...PASSING, ...LASTING])(
      '%s at each call in turn: the same final state, nothing doubled',
      async (fault) => {
        const { state, calls } = await undisturbed(scenario);
        let positions = 0;
        let survived = 0;
        for (let n = 1; ; n++) {
          let met: string | undefined;
          const account = await scenario.before();
          const disturbed = await world({
            account,
            fault: (call) => {
              met = call.n === n ? call.name : met;
              return call.n === n ? fault : undefined;
            },
          });
          const first = await attempt(scenario, disturbed);
          if (met === undefined) {
            await disturbed.peer.close();
            break;
          }
          positions++;
          survived += Number(first.succeeded);
          const where = `${fault} at ${n}, ${met}`;
          if (!first.succeeded) {
            expect(PASSING.includes(fault) ? `${where} was not survived: ${first.said}` : '').toBe('');
            // It says which call it was, and another run mends it.
            expect(first.said, where).toContain(met.replace('.', ':'));
            expect(await attempt(scenario, disturbed), where).toMatchObject({ succeeded: true });
          }
          expect(account.summary(), where).toEqual(state);
          expect(disturbed.peer.violations, where).toEqual([]);
          expect(secretsIn([...disturbed.lines, first.said].join('\n')), where).toEqual([]);
          await disturbed.peer.close();
        }
        console.log(`${scenario.name}, ${fault}: ${positions} positions, ${survived} survived by one run`);
        // Side by side, a run may need a look more or less than another.
        expect(positions).toBeGreaterThanOrEqual(calls.length - 3);
      },
    );

    test.each(['throttled', 'lost after', 'denied', 'login page'] as const)(
      '%s for good, call by call: it ends, says why, and goes on later',
      async (fault) => {
        const { state, calls } = await undisturbed(scenario);
        for (const name of new Set(calls.map((call) => call.name))) {
          let isBroken = true;
          const account = await scenario.before();
          const disturbed = await world({
            account,
            fault: (call) => (isBroken && call.name === name ? fault : undefined),
          });
          const first = await attempt(scenario, disturbed);
          // Rights to read are often narrower than those to make: a check that may not look is no reason to stop.
          const isCheck =
            fault === 'denied' &&
            /^(iam\.|ec2\.Describe(Subnets|Vpc|InstanceType)|eks\.Describe(Cluster|Addon)Versions)/.test(name);
          // Said again, a deletion that had its effect finds nothing any more.
          const isGone = fault === 'lost after' && /\.Delete/.test(name);
          if (first.succeeded) {
            expect(`${name} ${isCheck || isGone}`).toBe(`${name} true`);
          } else {
            expect(first.said).toContain(name.replace('.', ':'));
          }
          expect(secretsIn([...disturbed.lines, first.said].join('\n'))).toEqual([]);
          isBroken = false;
          expect(await attempt(scenario, disturbed), name).toMatchObject({ succeeded: true });
          expect(account.summary(), name).toEqual(state);
          expect(disturbed.peer.violations, name).toEqual([]);
          await disturbed.peer.close();
        }
      },
    );
  });
}
