import { describe, expect, test } from 'vitest';
import { applyCluster, CallError } from '../../../src/bootstrap';
import { secretsIn } from './secrets';
import type { Fault } from './wire/server';
import { exampleFile, HAS_MODELS, world, type World } from './world';

const file = exampleFile();

/** One apply; what it said, and whether it came to its end. */
async function attempt({ options, lines }: World): Promise<{ succeeded: boolean; said: string }> {
  try {
    const report = await applyCluster(file, options);
    return { succeeded: report.succeeded, said: JSON.stringify(report) };
  } catch (error) {
    // Anything else is a fault of the program, and no way to end.
    expect(error).toBeInstanceOf(CallError);
    lines.push((error as Error).message);
    return { succeeded: false, said: (error as Error).message };
  }
}

/** The state that an undisturbed run leaves, and the number of its calls. */
async function undisturbed(): Promise<{ state: object; calls: number }> {
  const calm = await world();
  const { succeeded } = await attempt(calm);
  expect(succeeded).toBe(true);
  await calm.peer.close();
  return { state: calm.account.summary(), calls: calm.peer.calls.length };
}

const FAULTS: readonly Fault[] = [
  'throttled',
  'lost before',
  'lost after',
  'failed after',
  'internal error',
  'denied',
  'foreign page',
];
/** Faults that pass by themselves: one run has to get over them. */
const PASSING: ReadonlySet<Fault> = new Set([
  'throttled',
  'lost before',
  'lost after',
  'failed after',
  'internal error',
]);

describe.skipIf(!HAS_MODELS)('a fault at each call in turn', () => {
  test.each(FAULTS)('%s: the same final state, nothing doubled, every request valid', async (fault) => {
    const { state, calls } = await undisturbed();
    let positions = 0;
    let survived = 0;
    for (let n = 1; ; n++) {
      let met: string | undefined;
      const disturbed = await world({
        fault: (call) => {
          if (call.n !== n) {
            return undefined;
          }
          met = call.name;
          return fault;
        },
      });
      const first = await attempt(disturbed);
      if (met === undefined) {
        await disturbed.peer.close();
        break;
      }
      positions++;
      if (first.succeeded) {
        survived++;
      } else {
        // It says which call it was, and another run mends it.
        expect(`${fault} at ${n}, ${met}: ${first.said}`).toContain(met.replace('.', ':'));
        const second = await attempt(disturbed);
        expect(`${fault} at ${n}, ${met}: ${second.succeeded}`).toBe(`${fault} at ${n}, ${met}: true`);
      }
      if (PASSING.has(fault)) {
        expect(`${fault} at ${n}, ${met}: ${first.succeeded} ${first.succeeded ? '' : first.said}`).toBe(
          `${fault} at ${n}, ${met}: true `,
        );
      }
      expect(disturbed.account.summary(), `${fault} at ${n}, ${met}`).toEqual(state);
      expect(disturbed.peer.violations).toEqual([]);
      expect(secretsIn([...disturbed.lines, first.said].join('\n'))).toEqual([]);
      await disturbed.peer.close();
    }
    console.log(`${fault}: ${positions} positions, ${survived} survived in one run`);
    expect(positions).toBeGreaterThanOrEqual(calls - 3);
  });

  test.each(['throttled', 'denied', 'lost after'] as const)(
    '%s for good from each call on: it ends, and says why',
    async (fault) => {
      const { state } = await undisturbed();
      const names = [...new Set((await callsOf()).map(({ name }) => name))];
      for (const name of names) {
        let isBroken = true;
        const disturbed = await world({ fault: (call) => (isBroken && call.name === name ? fault : undefined) });
        const first = await attempt(disturbed);
        const isOptional =
          first.succeeded && /^(iam\.|ec2\.Describe(Subnets|Vpc|InstanceType)|eks\.DescribeClusterVersions)/.test(name);
        if (!isOptional) {
          expect(`${name}: ${first.succeeded}`).toBe(`${name}: false`);
          expect(first.said).toContain(name.replace('.', ':'));
        }
        expect(secretsIn([...disturbed.lines, first.said].join('\n'))).toEqual([]);
        isBroken = false;
        expect(await attempt(disturbed)).toMatchObject({ succeeded: true });
        expect(disturbed.account.summary(), name).toEqual(state);
        expect(disturbed.peer.violations).toEqual([]);
        await disturbed.peer.close();
      }
    },
  );
});

async function callsOf(): Promise<World['peer']['calls']> {
  const calm = await world();
  await attempt(calm);
  await calm.peer.close();
  return calm.peer.calls;
}
