import { CallError } from '../aws/errors';
import type { Run } from '../run';
import { type Check, notChecked } from '../plan';
import type { ClusterFile } from '../file/types';
import type { Session } from '../session';
import { addOnChecks } from './add-ons';
import { choiceChecks } from './choices';
import { clockChecks } from './clock';
import { instanceTypeChecks } from './instance-type';
import { endpointChecks, kubectlChecks } from './reach';
import { roleChecks } from './roles';
import { subnetChecks } from './subnets';
import { versionChecks } from './version';

/** Everything that is looked at before the first change, side by side; the order of the answers is fixed. */
export async function preflight({ run, surroundings, connection, who }: Session): Promise<Check[]> {
  const checks: [string, (run: Run) => Promise<Check[]>][] = [
    ['credentials', ({ file }) => Promise.resolve([credentialsCheck(who, file)])],
    ['Kubernetes version', versionChecks],
    ['instance type', instanceTypeChecks],
    ['subnets', subnetChecks],
    ['roles', roleChecks],
    ['add-ons', addOnChecks],
    ['choices', (each) => Promise.resolve(choiceChecks(each.file, each.clock.now()))],
    ['kubectl', (each) => kubectlChecks(each.file, surroundings)],
    ['endpoint', (each) => endpointChecks(each, surroundings)],
    ['clock', () => Promise.resolve(clockChecks(connection.clockOffset()))],
  ];
  const found = await Promise.all(
    checks.map(async ([about, check]) => {
      try {
        return await check(run);
      } catch (error) {
        if (!(error instanceof CallError) || error.kind === 'credentials') {
          throw error;
        }
        // Rights to read are often narrower than those to make. What is refused for another reason stands against the file, and
        // hides nothing of what the other checks found.
        const { kind, message } = error;
        return [kind === 'denied' ? notChecked(about, error) : { level: 'error' as const, about, message }];
      }
    }),
  );
  return found.flat();
}

/** By the first call: without it nothing is looked at. */
function credentialsCheck(who: string, { region }: ClusterFile): Check {
  return { level: 'ok', about: 'credentials', message: `signed in as ${who || 'somebody'}, in ${region}` };
}
