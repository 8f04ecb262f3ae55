import { allPages, unlessAbsent } from '../aws/send';
import { clientToken } from '../aws/token';
import type { AccessEntry, AccessScope } from '../aws/types';
import { entryInput, OWNER_TAG, policyInput, tagsOf } from '../desired';
import type { AccessEntryFile, ClusterFile } from '../file/types';
import { type Difference, listDifference, type Resource, tagDifference, valueDifference } from '../resource';
import type { Run } from '../run';
import { clusterId, roleName } from './cluster';

export interface ObservedEntry {
  readonly entry: AccessEntry;
  readonly policies: readonly { policyArn?: string; accessScope?: AccessScope }[];
}

export function entryId({ principalArn }: AccessEntryFile): string {
  return `access entry ${roleName(principalArn)}`;
}

/** Who else may use the cluster. */
export function entryResource(run: Run, wanted: AccessEntryFile): Resource<ObservedEntry> {
  const { file, send, scope } = run;
  const { principalArn } = wanted;
  const of = { clusterName: file.name, principalArn };
  const missing = ({ policies }: ObservedEntry): AccessEntryFile['policies'] =>
    wanted.policies.filter((policy) => {
      const { policyArn, accessScope } = policyInput(file, principalArn, policy);
      return !policies.some(
        (found) => found.policyArn === policyArn && scopeText(found.accessScope) === scopeText(accessScope),
      );
    });
  return {
    id: entryId(wanted),
    needs: [clusterId(file)],
    patience: { every: 3, atMost: 2, degraded: 0 },
    observe: async () => {
      const found = await unlessAbsent(send('eks.DescribeAccessEntry', of));
      if (found?.accessEntry === undefined) {
        return undefined;
      }
      const pages = await unlessAbsent(allPages(send, 'eks.ListAssociatedAccessPolicies', of));
      return pages === undefined
        ? undefined
        : {
            entry: found.accessEntry,
            policies: pages.flatMap(({ associatedAccessPolicies = [] }) => associatedAccessPolicies),
          };
    },
    isOurs: ({ entry }) => entry.tags?.[OWNER_TAG] === file.name,
    // An entry without its policies lets nobody in. They are a change of it: the look behind the creation finds them missing.
    state: () => 'ready',
    status: () => 'there',
    issues: () => [],
    differences: (observed) => entryDifferences(file, wanted, observed, missing(observed)),
    create: async (generation) => {
      const input = entryInput(file, wanted);
      const clientRequestToken = clientToken('CreateAccessEntry', input, scope, generation);
      await send('eks.CreateAccessEntry', { ...input, clientRequestToken });
    },
    change: async (observed, differences) => {
      const what = new Set(differences.map((difference) => difference.what));
      if (what.has('tags')) {
        await send('eks.TagResource', { resourceArn: observed.entry.accessEntryArn!, tags: tagsOf(file) });
      }
      if (what.has('groups')) {
        await send('eks.UpdateAccessEntry', { ...of, kubernetesGroups: [...wanted.groups] });
      }
      for (const policy of missing(observed)) {
        await send('eks.AssociateAccessPolicy', policyInput(file, principalArn, policy));
      }
    },
    remove: async () => {
      await unlessAbsent(send('eks.DeleteAccessEntry', of));
    },
  };
}

function scopeText({ type, namespaces = [] }: AccessScope = {}): string {
  return type === 'namespace' ? [...namespaces].sort().join(' ') : String(type);
}

function entryDifferences(
  file: ClusterFile,
  wanted: AccessEntryFile,
  { entry, policies }: ObservedEntry,
  missing: AccessEntryFile['policies'],
): Difference[] {
  const wantedArns = wanted.policies.map((policy) => policyInput(file, wanted.principalArn, policy).policyArn);
  const further = policies.filter(({ policyArn }) => !wantedArns.includes(policyArn!));
  const short = (arn = ''): string => arn.slice(arn.indexOf('/') + 1);
  return [
    ...valueDifference(
      'type',
      entry.type,
      'STANDARD',
      'none',
      'EKS cannot change it; delete the entry, and run this again',
    ),
    ...listDifference('groups', entry.kubernetesGroups, wanted.groups, 'change'),
    ...(missing.length === 0
      ? []
      : [
          {
            what: 'policies',
            found: policies.map(({ policyArn }) => short(policyArn)).join(', ') || '(none)',
            wanted: wanted.policies.map(({ name }) => name).join(', '),
            remedy: 'change' as const,
          },
        ]),
    ...further.map(({ policyArn }) => ({
      what: 'further policy',
      found: short(policyArn),
      wanted: '(none)',
      remedy: 'none' as const,
      note: 'rights are not taken away here: aws eks disassociate-access-policy',
    })),
    ...tagDifference(entry.tags, tagsOf(file)),
  ];
}
