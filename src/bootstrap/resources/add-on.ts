import { allPages, unlessAbsent } from '../aws/send';
import { changeToken, clientToken } from '../aws/token';
import type { AddOn, AddOnVersion, Send } from '../aws/types';
import { addOnInput, OWNER_TAG, tagsOf } from '../desired';
import { AMI_TYPES } from '../file/schema';
import type { AddOnFile, ClusterFile } from '../file/types';
import { type Difference, type Resource, type State, tagDifference, valueDifference } from '../resource';
import type { Run } from '../run';
import { StepError } from '../wait';
import { nodeGroupId } from './node-group';
import { updated } from './update';

const STATES: Readonly<Record<string, State>> = {
  ACTIVE: 'ready',
  DEGRADED: 'degraded',
  CREATE_FAILED: 'failed',
  DELETE_FAILED: 'failed',
  DELETING: 'deleting',
  // Another update mends it, which `differences` asks for.
  UPDATE_FAILED: 'ready',
};

export function addOnId({ name }: AddOnFile): string {
  return `add-on ${name}`;
}

/** An add-on of EKS. After the nodes: one with a Deployment is DEGRADED as long as there is none. */
export function addOnResource(run: Run, addOn: AddOnFile): Resource<AddOn> {
  const { file, send, scope, clock } = run;
  const of = { clusterName: file.name, addonName: addOn.name };
  const id = addOnId(addOn);
  return {
    id,
    needs: [nodeGroupId(file)],
    patience: { every: 10, atMost: 20, degraded: 5 },
    observe: async () => (await unlessAbsent(send('eks.DescribeAddon', of)))?.addon,
    isOurs: ({ tags }) => tags?.[OWNER_TAG] === file.name,
    state: ({ status = '' }) => STATES[status] ?? 'moving',
    status: ({ status = 'unknown' }) => status,
    issues: ({ health }) => health?.issues ?? [],
    differences: (observed) => addOnDifferences(file, addOn, observed),
    create: async (generation) => {
      const { version, why } = await versionFor(send, file, addOn);
      if (version === undefined) {
        throw new StepError(id, `${id}: ${why}`);
      }
      const input = addOnInput(file, addOn, version);
      const clientRequestToken = clientToken('CreateAddon', input, scope, generation);
      await send('eks.CreateAddon', { ...input, clientRequestToken });
    },
    change: async (observed, differences) => {
      if (differences.some(({ what }) => what === 'tags')) {
        await send('eks.TagResource', { resourceArn: observed.addonArn!, tags: tagsOf(file) });
      }
      if (differences.some(({ what }) => what !== 'tags')) {
        const input = {
          ...of,
          addonVersion: addOn.version ?? observed.addonVersion!,
          resolveConflicts: 'OVERWRITE' as const,
          ...(addOn.configuration !== undefined && { configurationValues: addOn.configuration }),
        };
        const clientRequestToken = changeToken('UpdateAddon', input, scope, clock.now());
        const { update } = await send('eks.UpdateAddon', { ...input, clientRequestToken });
        await updated(run, id, update, { addonName: addOn.name }, 20);
      }
    },
    remove: async () => {
      await unlessAbsent(send('eks.DeleteAddon', { ...of, preserve: false }));
    },
  };
}

function addOnDifferences(file: ClusterFile, addOn: AddOnFile, observed: AddOn): Difference[] {
  return [
    // The version was chosen when it was made, and stays unless the file names one.
    ...(addOn.version === undefined ? [] : valueDifference('version', observed.addonVersion, addOn.version, 'change')),
    ...(addOn.configuration === undefined
      ? []
      : valueDifference('configuration', observed.configurationValues, addOn.configuration, 'change')),
    ...(observed.status === 'UPDATE_FAILED'
      ? valueDifference('status', 'UPDATE_FAILED', 'ACTIVE', 'change', 'the update is made once more')
      : []),
    ...tagDifference(observed.tags, tagsOf(file)),
  ];
}

/** The version of an add-on for a cluster: the one that EKS calls the default for its Kubernetes, for its processors. */
export async function versionFor(
  send: Send,
  file: ClusterFile,
  { name, version: pinned }: AddOnFile,
): Promise<{ version?: string; why?: string }> {
  const { kubernetesVersion, nodeGroup } = file;
  const pages = await allPages(send, 'eks.DescribeAddonVersions', { addonName: name, kubernetesVersion });
  const versions = pages.flatMap(({ addons = [] }) => addons).flatMap(({ addonVersions = [] }) => addonVersions);
  return chooseVersion(versions, { name, pinned, kubernetesVersion, architecture: AMI_TYPES[nodeGroup.amiType] });
}

export function chooseVersion(
  versions: readonly AddOnVersion[],
  {
    name,
    pinned,
    kubernetesVersion,
    architecture,
  }: { name: string; pinned?: string; kubernetesVersion: string; architecture: string },
): { version?: string; why?: string } {
  if (versions.length === 0) {
    return { why: `there is no add-on '${name}' for Kubernetes ${kubernetesVersion}` };
  }
  const fitting = versions.filter(({ architecture: list }) => list === undefined || list.includes(architecture));
  if (fitting.length === 0) {
    return { why: `add-on '${name}' has no version for ${architecture}` };
  }
  const names = fitting.map(({ addonVersion }) => addonVersion!);
  if (pinned !== undefined) {
    return names.includes(pinned)
      ? { version: pinned }
      : {
          why: `add-on '${name}' has no version ${pinned} for Kubernetes ${kubernetesVersion} on ${architecture}; it has ${names.slice(0, 5).join(', ')}`,
        };
  }
  const preferred = fitting.find(({ compatibilities = [] }) =>
    compatibilities.some(
      ({ clusterVersion, defaultVersion }) => defaultVersion && clusterVersion === kubernetesVersion,
    ),
  );
  // EKS lists the newest first.
  return { version: preferred?.addonVersion ?? names[0]! };
}
