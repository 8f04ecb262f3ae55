import { versionFor } from '../resources/add-on';
import type { Check } from '../plan';
import type { Run } from '../run';

/** Whether there is a version of each add-on for the cluster. */
export async function addOnChecks({ file, send }: Run): Promise<Check[]> {
  return Promise.all(
    file.addOns.map(async (addOn): Promise<Check> => {
      const about = `add-on ${addOn.name}`;
      const { version, why } = await versionFor(send, file, addOn);
      return version === undefined
        ? { level: 'error', about, message: why! }
        : {
            level: 'ok',
            about,
            message: `${version}${addOn.version === undefined ? ', the default of its Kubernetes' : ''}`,
          };
    }),
  );
}
