import { CallError } from '../aws/errors';
import type { Run } from '../run';
import { type Check, notChecked } from '../plan';
import { addOnChecks } from './add-ons';
import { choiceChecks } from './choices';
import { instanceTypeChecks } from './instance-type';
import { endpointChecks, kubectlChecks, type Surroundings } from './reach';
import { roleChecks } from './roles';
import { subnetChecks } from './subnets';
import { versionChecks } from './version';

/** Everything that is looked at before the first change, side by side; the order of the answers is fixed. */
export async function preflight(run: Run, surroundings: Surroundings): Promise<Check[]> {
  const checks: [string, (run: Run) => Promise<Check[]>][] = [
    ['Kubernetes version', versionChecks],
    ['instance type', instanceTypeChecks],
    ['subnets', subnetChecks],
    ['roles', roleChecks],
    ['add-ons', addOnChecks],
    ['choices', (each) => Promise.resolve(choiceChecks(each.file, each.clock.now()))],
    ['kubectl', (each) => kubectlChecks(each.file, surroundings)],
    ['endpoint', (each) => endpointChecks(each, surroundings)],
  ];
  const found = await Promise.all(
    checks.map(async ([about, check]) => {
      try {
        return await check(run);
      } catch (error) {
        if (error instanceof CallError && error.kind === 'denied') {
          return [notChecked(about, error)];
        }
        throw error;
      }
    }),
  );
  return found.flat();
}
