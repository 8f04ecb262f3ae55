import { createHash } from 'node:crypto';
import type { Calls, CreateAddOn, CreateCluster, CreateNodeGroup, LogType, Tags, TemplateData } from './aws/types';
import type { AccessEntryFile, AddOnFile, ClusterFile, PodIdentityFile } from './file/types';

/** The tag that says which cluster a resource was made for. `destroy` touches nothing without it. */
export const OWNER_TAG = 'cdk8s-vllm/cluster';

/** What everything is tagged with: the tags of the file, and whose it is. */
export function tagsOf({ name, tags }: Pick<ClusterFile, 'name' | 'tags'>): Tags {
  return { ...tags, [OWNER_TAG]: name };
}

/** Tags in the form of EC2. */
export function tagList(tags: Tags): { Key: string; Value: string }[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

const ALL_LOGS: readonly LogType[] = ['api', 'audit', 'authenticator', 'controllerManager', 'scheduler'];

/** The logs that are on, and those that are not, as EKS takes them. */
export function loggingOf({ logging }: ClusterFile): { clusterLogging: { types: LogType[]; enabled: boolean }[] } {
  const [on, off] = [true, false].map((wanted) => ALL_LOGS.filter((type) => logging.includes(type) === wanted));
  return {
    clusterLogging: [
      { types: on!, enabled: true },
      { types: off!, enabled: false },
    ].filter(({ types }) => types.length > 0),
  };
}

export function clusterInput(file: ClusterFile): CreateCluster {
  const { name, kubernetesVersion, roleArn, network, logging, deletionProtection } = file;
  const { endpoint, securityGroups } = network;
  return {
    name,
    version: kubernetesVersion,
    roleArn,
    resourcesVpcConfig: {
      subnetIds: Object.values(network.subnets),
      ...(securityGroups.length > 0 && { securityGroupIds: [...securityGroups] }),
      endpointPublicAccess: endpoint.public,
      endpointPrivateAccess: endpoint.private,
      ...(endpoint.publicCidrs !== undefined && { publicAccessCidrs: [...endpoint.publicCidrs] }),
    },
    accessConfig: {
      authenticationMode: file.authenticationMode,
      bootstrapClusterCreatorAdminPermissions: file.creatorIsAdmin,
    },
    ...(logging.length > 0 && { logging: { clusterLogging: [{ types: [...logging] as LogType[], enabled: true }] } }),
    ...(deletionProtection && { deletionProtection }),
    tags: tagsOf(file),
  };
}

/** Name of the launch template: at most the 128 characters that EC2 takes. */
export function templateName({ name, nodeGroup }: ClusterFile): string {
  const full = `${name}-${nodeGroup.name}`;
  return full.length <= 128
    ? full
    : `${full.slice(0, 119)}-${createHash('sha256').update(full).digest('hex').slice(0, 8)}`;
}

/**
 * What the nodes are made with. Instances and volumes get their tags here; network interfaces do not, since EKS drops that
 * part from its copy of the template. Two hops let a pod reach the metadata service, which EKS' own template allows too.
 */
export function templateData(file: ClusterFile): TemplateData {
  const tags = tagList(tagsOf(file));
  return {
    BlockDeviceMappings: [
      {
        // The root device of the AL2023 images.
        DeviceName: '/dev/xvda',
        Ebs: {
          VolumeSize: file.nodeGroup.diskSize!,
          VolumeType: 'gp3',
          Encrypted: true,
          DeleteOnTermination: true,
        },
      },
    ],
    MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 2 },
    TagSpecifications: [
      { ResourceType: 'instance', Tags: tags },
      { ResourceType: 'volume', Tags: tags },
    ],
  };
}

export function templateInput(file: ClusterFile): Calls['ec2.CreateLaunchTemplate'][0] {
  return {
    LaunchTemplateName: templateName(file),
    LaunchTemplateData: templateData(file),
    TagSpecifications: [{ ResourceType: 'launch-template', Tags: tagList(tagsOf(file)) }],
  };
}

/** The subnets of the nodes: one zone, unless the file asks for more. */
export function nodeSubnets({ network, nodeGroup }: ClusterFile): string[] {
  return [nodeGroup.zone, ...nodeGroup.moreZones].map((zone) => network.nodeSubnets[zone]!);
}

export function nodeGroupInput(file: ClusterFile, template: { id: string; version: string }): CreateNodeGroup {
  const { nodeGroup } = file;
  const size = nodeGroup.nodes;
  return {
    clusterName: file.name,
    nodegroupName: nodeGroup.name,
    nodeRole: nodeGroup.roleArn,
    subnets: nodeSubnets(file),
    instanceTypes: [nodeGroup.instanceType],
    amiType: nodeGroup.amiType,
    capacityType: nodeGroup.capacityType,
    scalingConfig: { minSize: size, maxSize: size, desiredSize: size },
    launchTemplate: template,
    ...(Object.keys(nodeGroup.labels).length > 0 && { labels: { ...nodeGroup.labels } }),
    tags: tagsOf(file),
  };
}

export function addOnInput(file: ClusterFile, { name, configuration }: AddOnFile, version: string): CreateAddOn {
  return {
    clusterName: file.name,
    addonName: name,
    addonVersion: version,
    resolveConflicts: 'OVERWRITE',
    ...(configuration !== undefined && { configurationValues: configuration }),
    tags: tagsOf(file),
  };
}

export function associationInput(
  file: ClusterFile,
  { namespace, serviceAccount, roleArn }: PodIdentityFile,
): Calls['eks.CreatePodIdentityAssociation'][0] {
  return { clusterName: file.name, namespace, serviceAccount, roleArn, tags: tagsOf(file) };
}

export function entryInput(
  file: ClusterFile,
  { principalArn, groups }: AccessEntryFile,
): Calls['eks.CreateAccessEntry'][0] {
  return {
    clusterName: file.name,
    principalArn,
    type: 'STANDARD',
    ...(groups.length > 0 && { kubernetesGroups: [...groups] }),
    tags: tagsOf(file),
  };
}

export function policyInput(
  file: ClusterFile,
  principalArn: string,
  { name, namespaces }: AccessEntryFile['policies'][number],
): Calls['eks.AssociateAccessPolicy'][0] {
  // arn:aws, arn:aws-cn or arn:aws-us-gov, as the principal has it.
  const partition = principalArn.split(':')[1]!;
  return {
    clusterName: file.name,
    principalArn,
    policyArn: `arn:${partition}:eks::aws:cluster-access-policy/${name}`,
    accessScope:
      namespaces === undefined ? { type: 'cluster' } : { type: 'namespace', namespaces: [...namespaces].sort() },
  };
}
