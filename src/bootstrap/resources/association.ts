import { allPages, unlessAbsent } from '../aws/send';
import { clientToken } from '../aws/token';
import type { Association } from '../aws/types';
import { associationInput, OWNER_TAG, tagsOf } from '../desired';
import type { PodIdentityFile } from '../file/types';
import { type Resource, tagDifference, valueDifference } from '../resource';
import type { Run } from '../run';
import { clusterId, roleName } from './cluster';

export function associationId({ namespace, serviceAccount }: PodIdentityFile): string {
  return `pod identity ${namespace}/${serviceAccount}`;
}

/** Which service account gets which role. Before the pods: credentials reach a pod only when it is created. */
export function associationResource(run: Run, wanted: PodIdentityFile): Resource<Association> {
  const { file, send, scope } = run;
  const clusterName = file.name;
  const { namespace, serviceAccount, roleArn } = wanted;
  return {
    id: associationId(wanted),
    needs: [clusterId(file)],
    patience: { every: 3, atMost: 2, degraded: 0 },
    observe: async () => {
      const pages = await unlessAbsent(
        allPages(send, 'eks.ListPodIdentityAssociations', { clusterName, namespace, serviceAccount }),
      );
      const found = pages
        ?.flatMap(({ associations = [] }) => associations)
        .find((each) => each.namespace === namespace && each.serviceAccount === serviceAccount);
      return found?.associationId === undefined
        ? undefined
        : (
            await unlessAbsent(
              send('eks.DescribePodIdentityAssociation', { clusterName, associationId: found.associationId }),
            )
          )?.association;
    },
    isOurs: ({ tags }) => tags?.[OWNER_TAG] === clusterName,
    state: () => 'ready',
    status: () => 'there',
    issues: () => [],
    differences: (found) => [
      ...valueDifference(
        'roleArn',
        roleName(found.roleArn),
        roleName(roleArn)!,
        'change',
        'pods get it when they are made again',
      ),
      ...tagDifference(found.tags, tagsOf(file)),
    ],
    create: async (generation) => {
      const input = associationInput(file, wanted);
      const clientRequestToken = clientToken('CreatePodIdentityAssociation', input, scope, generation);
      await send('eks.CreatePodIdentityAssociation', { ...input, clientRequestToken });
    },
    change: async (found, differences) => {
      if (differences.some(({ what }) => what === 'roleArn')) {
        await send('eks.UpdatePodIdentityAssociation', { clusterName, associationId: found.associationId!, roleArn });
      }
      if (differences.some(({ what }) => what === 'tags')) {
        await send('eks.TagResource', { resourceArn: found.associationArn!, tags: tagsOf(file) });
      }
    },
    remove: async ({ associationId: id }) => {
      await unlessAbsent(send('eks.DeletePodIdentityAssociation', { clusterName, associationId: id! }));
    },
  };
}
