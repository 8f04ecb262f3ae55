import { CallError } from '../aws/errors';
import { allPages } from '../aws/send';
import type { Filter, Tags } from '../aws/types';
import { OWNER_TAG, tagList, tagsOf } from '../desired';
import { missingTags, type Resource } from '../resource';
import type { Run } from '../run';
import { tagMap } from './launch-template';
import { nodeGroupId } from './node-group';

/** A part of a node that has tags of its own. */
export interface NodePart {
  readonly kind: 'instance' | 'volume' | 'network interface';
  readonly id: string;
  /** The instance that it belongs to. */
  readonly node: string;
  readonly tags: Tags;
}

export const NODE_TAGS = 'tags of the nodes';

/** EC2 takes 1000 resources a call. */
const RESOURCES_A_CALL = 500;
/** A node can be replaced between the look and the call. */
const LOOKS = 3;

/** What the live nodes are made of: instances, root volumes, and every network interface, those of the CNI too. */
export async function nodeParts({ file, send }: Run): Promise<NodePart[]> {
  const filters: Filter[] = [
    { Name: 'tag:eks:cluster-name', Values: [file.name] },
    { Name: 'tag:eks:nodegroup-name', Values: [file.nodeGroup.name] },
    { Name: 'instance-state-name', Values: ['pending', 'running'] },
  ];
  const instances = (await allPages(send, 'ec2.DescribeInstances', { Filters: filters }))
    .flatMap(({ Reservations = [] }) => Reservations)
    .flatMap(({ Instances = [] }) => Instances);
  if (instances.length === 0) {
    return [];
  }
  const nodes = instances.map(({ InstanceId }) => InstanceId!);
  const rootOf = new Map(
    instances.flatMap(({ InstanceId, RootDeviceName, BlockDeviceMappings = [] }) =>
      BlockDeviceMappings.filter(({ DeviceName }) => DeviceName === RootDeviceName).map(({ Ebs }): [string, string] => [
        Ebs!.VolumeId!,
        InstanceId!,
      ]),
    ),
  );
  const [volumes, interfaces] = await Promise.all([
    allPages(send, 'ec2.DescribeVolumes', { Filters: [{ Name: 'volume-id', Values: [...rootOf.keys()] }] }),
    allPages(send, 'ec2.DescribeNetworkInterfaces', { Filters: [{ Name: 'attachment.instance-id', Values: nodes }] }),
  ]);
  return [
    ...instances.map(({ InstanceId, Tags }) => part('instance', InstanceId!, InstanceId!, tagMap(Tags))),
    ...volumes
      .flatMap(({ Volumes = [] }) => Volumes)
      .map(({ VolumeId, Tags }) => part('volume', VolumeId!, rootOf.get(VolumeId!)!, tagMap(Tags))),
    ...interfaces
      .flatMap(({ NetworkInterfaces = [] }) => NetworkInterfaces)
      .map(({ NetworkInterfaceId, Attachment, TagSet }) =>
        part('network interface', NetworkInterfaceId!, Attachment!.InstanceId!, tagMap(TagSet)),
      ),
  ];
}

function part(kind: NodePart['kind'], id: string, node: string, tags: Tags): NodePart {
  return { kind, id, node, tags };
}

/** The parts that lack a tag, with the tags that they lack. */
export function untagged(parts: readonly NodePart[], wanted: Tags): { part: NodePart; missing: string[] }[] {
  return parts
    .map((each) => ({ part: each, missing: missingTags(each.tags, wanted) }))
    .filter(({ missing }) => missing.length > 0);
}

/**
 * Tags of what is live. The launch template gives them to instances and volumes, and to no network interface; nodes that were
 * replaced while the template had other tags lack some as well.
 */
export function nodeTagsResource(run: Run): Resource<readonly NodePart[]> {
  const { file, send, known } = run;
  const wanted = tagsOf(file);
  return {
    id: NODE_TAGS,
    needs: [nodeGroupId(file)],
    patience: { every: 3, atMost: 2, degraded: 0 },
    observe: async () => (known.nodeGroup === undefined ? undefined : nodeParts(run)),
    isOurs: () => known.nodeGroup?.tags?.[OWNER_TAG] === file.name,
    state: () => 'ready',
    status: () => 'there',
    issues: () => [],
    differences: (parts) => {
      const bare = untagged(parts, wanted);
      return bare.length === 0
        ? []
        : [
            {
              what: 'tags',
              found: `${bare.length} of ${parts.length} lack some: ${summary(bare.map((each) => each.part))}`,
              wanted: [...new Set(bare.flatMap(({ missing }) => missing))].join(', '),
              remedy: 'change',
            },
          ];
    },
    // They come with the nodes.
    create: () => Promise.resolve(),
    change: async (parts) => {
      let bare = untagged(parts, wanted);
      for (let look = 1; bare.length > 0; look++) {
        try {
          for (let i = 0; i < bare.length; i += RESOURCES_A_CALL) {
            const ids = bare.slice(i, i + RESOURCES_A_CALL).map((each) => each.part.id);
            await send('ec2.CreateTags', { Resources: ids, Tags: tagList(wanted) });
          }
          return;
        } catch (error) {
          if (!(error instanceof CallError) || error.kind !== 'absent' || look === LOOKS) {
            throw error;
          }
          bare = untagged(await nodeParts(run), wanted);
        }
      }
    },
    remove: () => Promise.resolve(),
  };
}

function summary(parts: readonly NodePart[]): string {
  const kinds = [...new Set(parts.map(({ kind }) => kind))];
  return kinds
    .map((kind) => [kind, parts.filter((each) => each.kind === kind).length] as const)
    .map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`)
    .join(', ');
}
