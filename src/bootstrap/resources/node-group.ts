import { unlessAbsent } from '../aws/send';
import { changeToken, clientToken } from '../aws/token';
import type { NodeGroup } from '../aws/types';
import { nodeGroupInput, nodeSubnets, OWNER_TAG, tagsOf } from '../desired';
import type { ClusterFile } from '../file/types';
import {
  type Difference,
  listDifference,
  missingTags,
  type Resource,
  type State,
  tagDifference,
  valueDifference,
} from '../resource';
import type { Run } from '../run';
import { clusterId, roleName } from './cluster';
import { templateId } from './launch-template';
import { updated } from './update';

const STATES: Readonly<Record<string, State>> = {
  ACTIVE: 'ready',
  DEGRADED: 'degraded',
  CREATE_FAILED: 'failed',
  DELETE_FAILED: 'failed',
  DELETING: 'deleting',
};

export function nodeGroupId({ nodeGroup }: ClusterFile): string {
  return `node group ${nodeGroup.name}`;
}

/** What can be had by ending the nodes one after the other; all else of a node group is fixed when it is made. */
const BY_UPDATE: ReadonlySet<string> = new Set(['launchTemplate.version', 'nodes']);

/** The nodes. */
export function nodeGroupResource(run: Run): Resource<NodeGroup> {
  const { file, send, scope, known, clock } = run;
  const of = { clusterName: file.name, nodegroupName: file.nodeGroup.name };
  const id = nodeGroupId(file);
  const size = file.nodeGroup.nodes;
  const scalingConfig = { minSize: size, maxSize: size, desiredSize: size };

  const updateConfig = async (change: object): Promise<void> => {
    const input = { ...of, ...change };
    const clientRequestToken = changeToken('UpdateNodegroupConfig', input, scope, clock.now());
    const { update } = await send('eks.UpdateNodegroupConfig', { ...input, clientRequestToken });
    await updated(run, id, update, { nodegroupName: of.nodegroupName });
  };

  return {
    id,
    needs: [clusterId(file), ...(file.nodeGroup.launchTemplate === undefined ? [templateId(file)] : [])],
    patience: { every: 15, atMost: 40, degraded: 5 },
    observe: async () => (await unlessAbsent(send('eks.DescribeNodegroup', of)))?.nodegroup,
    isOurs: ({ tags }) => tags?.[OWNER_TAG] === file.name,
    state: ({ status = '' }) => STATES[status] ?? 'moving',
    status: ({ status = 'unknown' }) => status,
    issues: ({ health }) => health?.issues ?? [],
    differences: (group) => nodeGroupDifferences(file, group, templateOf(run)),
    create: async (generation) => {
      const input = nodeGroupInput(file, templateOf(run)!);
      const clientRequestToken = clientToken('CreateNodegroup', input, scope, generation);
      await send('eks.CreateNodegroup', { ...input, clientRequestToken });
    },
    change: async (group, differences) => {
      const what = new Set(differences.map((difference) => difference.what));
      if (what.has('tags')) {
        await send('eks.TagResource', { resourceArn: group.nodegroupArn!, tags: tagsOf(file) });
      }
      if (what.has('labels')) {
        await updateConfig({ labels: { addOrUpdateLabels: { ...file.nodeGroup.labels } } });
      }
      if (what.has('nodes')) {
        await updateConfig({ scalingConfig });
      }
    },
    replace: (_, differences) =>
      differences.every(({ what }) => BY_UPDATE.has(what))
        ? async () => {
            if (differences.some(({ what }) => what === 'nodes')) {
              await updateConfig({ scalingConfig });
            }
            if (differences.some(({ what }) => what === 'launchTemplate.version')) {
              const input = { ...of, launchTemplate: templateOf(run)! };
              const clientRequestToken = changeToken('UpdateNodegroupVersion', input, scope, clock.now());
              const { update } = await send('eks.UpdateNodegroupVersion', { ...input, clientRequestToken });
              await updated(run, id, update, { nodegroupName: of.nodegroupName }, 90);
            }
          }
        : undefined,
    remove: async () => {
      await unlessAbsent(send('eks.DeleteNodegroup', of));
    },
    remember: (group) => {
      known.nodeGroup = group;
    },
  };
}

function templateOf({ file, known }: Run): { id: string; version: string } | undefined {
  return file.nodeGroup.launchTemplate ?? known.template;
}

function nodeGroupDifferences(
  file: ClusterFile,
  group: NodeGroup,
  template: { id: string; version: string } | undefined,
): Difference[] {
  const { nodeGroup } = file;
  const note = 'the node group is deleted and made again';
  const labels = missingTags(group.labels, nodeGroup.labels);
  const found = group.scalingConfig?.desiredSize ?? 0;
  const scaling = [group.scalingConfig?.minSize, group.scalingConfig?.maxSize, found];
  return [
    ...listDifference('instanceType', group.instanceTypes, [nodeGroup.instanceType], 'replace', note),
    ...valueDifference('amiType', group.amiType, nodeGroup.amiType, 'replace', note),
    ...valueDifference('capacityType', group.capacityType, nodeGroup.capacityType, 'replace', note),
    ...listDifference('subnets of the zones', group.subnets, nodeSubnets(file), 'replace', note),
    ...valueDifference('nodeGroup.roleArn', roleName(group.nodeRole), roleName(nodeGroup.roleArn)!, 'replace', note),
    ...(template === undefined
      ? []
      : [
          ...valueDifference('launchTemplate', group.launchTemplate?.id, template.id, 'replace', note),
          ...(group.launchTemplate?.id === template.id
            ? valueDifference(
                'launchTemplate.version',
                group.launchTemplate.version,
                template.version,
                'replace',
                'every node is ended and replaced in turn',
              )
            : []),
        ]),
    ...(scaling.every((number) => number === nodeGroup.nodes)
      ? []
      : valueDifference(
          'nodes',
          new Set(scaling).size === 1 ? found : `${scaling[0]} to ${scaling[1]}, now ${found}`,
          nodeGroup.nodes,
          nodeGroup.nodes < found ? 'replace' : 'change',
          nodeGroup.nodes < found ? 'nodes are ended' : 'nodes are added',
        )),
    ...(labels.length === 0
      ? []
      : [
          {
            what: 'labels',
            found: labels.map((key) => `${key}=${group.labels?.[key] ?? '(none)'}`).join(', '),
            wanted: labels.map((key) => `${key}=${nodeGroup.labels[key]}`).join(', '),
            remedy: 'change' as const,
          },
        ]),
    ...tagDifference(group.tags, tagsOf(file)),
  ];
}
