import { unlessAbsent } from '../aws/send';
import { changeToken, clientToken } from '../aws/token';
import type { Cluster, UpdateClusterConfig } from '../aws/types';
import { clusterInput, loggingOf, OWNER_TAG, tagsOf } from '../desired';
import type { ClusterFile } from '../file/types';
import {
  type Difference,
  listDifference,
  type Resource,
  type State,
  tagDifference,
  valueDifference,
} from '../resource';
import type { Run } from '../run';
import { updated } from './update';

const STATES: Readonly<Record<string, State>> = { ACTIVE: 'ready', FAILED: 'failed', DELETING: 'deleting' };

export function clusterId({ name }: ClusterFile): string {
  return `cluster ${name}`;
}

/** The control plane. */
export function clusterResource(run: Run): Resource<Cluster> {
  const { file, send, scope, clock } = run;
  const { name } = file;
  const id = clusterId(file);

  async function update(change: Omit<UpdateClusterConfig, 'name' | 'clientRequestToken'>): Promise<void> {
    const input = { name, ...change };
    const clientRequestToken = changeToken('UpdateClusterConfig', input, scope, clock.now());
    await updated(run, id, (await send('eks.UpdateClusterConfig', { ...input, clientRequestToken })).update);
  }

  return {
    id,
    needs: [],
    patience: { every: 15, atMost: 30, degraded: 0 },
    observe: async () => (await unlessAbsent(send('eks.DescribeCluster', { name })))?.cluster,
    isOurs: ({ tags }) => tags?.[OWNER_TAG] === name,
    state: ({ status = '' }) => STATES[status] ?? 'moving',
    status: ({ status = 'unknown' }) => status,
    issues: ({ health }) => health?.issues ?? [],
    differences: (cluster) => clusterDifferences(file, cluster),
    create: async (generation) => {
      const input = clusterInput(file);
      const clientRequestToken = clientToken('CreateCluster', input, scope, generation);
      await send('eks.CreateCluster', { ...input, clientRequestToken });
    },
    // EKS takes one kind of change a call, and one call at a time.
    change: async (cluster, differences) => {
      const what = new Set(differences.map((difference) => difference.what));
      if (what.has('tags')) {
        await send('eks.TagResource', { resourceArn: cluster.arn!, tags: tagsOf(file) });
      }
      if (what.has('endpoint')) {
        const { endpointPublicAccess, endpointPrivateAccess, publicAccessCidrs } =
          clusterInput(file).resourcesVpcConfig;
        await update({
          resourcesVpcConfig: {
            endpointPublicAccess,
            endpointPrivateAccess,
            ...(publicAccessCidrs !== undefined && { publicAccessCidrs }),
          },
        });
      }
      if (what.has('logging')) {
        await update({ logging: loggingOf(file) });
      }
      if (what.has('deletionProtection')) {
        await update({ deletionProtection: file.deletionProtection });
      }
    },
    replace: () => () => update({ accessConfig: { authenticationMode: file.authenticationMode } }),
    remove: async () => {
      await unlessAbsent(send('eks.DeleteCluster', { name }));
    },
    remember: (cluster) => {
      run.known.cluster = cluster;
    },
  };
}

function clusterDifferences(file: ClusterFile, cluster: Cluster): Difference[] {
  const { resourcesVpcConfig: vpc = {}, accessConfig, logging, version } = cluster;
  const wanted = clusterInput(file);
  const { endpoint } = file.network;
  const logs = (logging?.clusterLogging ?? []).filter(({ enabled }) => enabled).flatMap(({ types = [] }) => types);
  return [
    ...valueDifference(
      'kubernetesVersion',
      version,
      file.kubernetesVersion,
      'none',
      `an upgrade cannot be taken back and is not made here: aws eks update-cluster-version --name ${file.name} --kubernetes-version ${file.kubernetesVersion}, one minor version at a time`,
    ),
    ...valueDifference('roleArn', roleName(cluster.roleArn), roleName(file.roleArn)!, 'none', 'EKS cannot change it'),
    ...listDifference(
      'network.subnets',
      vpc.subnetIds,
      wanted.resourcesVpcConfig.subnetIds,
      'none',
      'it is not changed here: aws eks update-cluster-config --resources-vpc-config subnetIds=…',
    ),
    ...listDifference(
      'network.securityGroups',
      vpc.securityGroupIds,
      file.network.securityGroups,
      'none',
      'it is not changed here: aws eks update-cluster-config --resources-vpc-config securityGroupIds=…',
    ),
    ...endpointDifference(
      { private: vpc.endpointPrivateAccess, public: vpc.endpointPublicAccess, cidrs: vpc.publicAccessCidrs },
      { private: endpoint.private, public: endpoint.public, cidrs: endpoint.publicCidrs },
    ),
    ...valueDifference(
      'authenticationMode',
      accessConfig?.authenticationMode,
      file.authenticationMode,
      // Only towards API, and never back.
      accessConfig?.authenticationMode === 'API' ? 'none' : 'replace',
      accessConfig?.authenticationMode === 'API'
        ? 'EKS never leaves API'
        : 'it cannot be taken back, and who stands in aws-auth alone is locked out by API',
    ),
    ...valueDifference(
      'creatorIsAdmin',
      accessConfig?.bootstrapClusterCreatorAdminPermissions ?? file.creatorIsAdmin,
      file.creatorIsAdmin,
      'none',
      'EKS cannot change it; edit the access entry of the creator',
    ),
    ...listDifference('logging', logs, file.logging, 'change'),
    ...valueDifference('deletionProtection', cluster.deletionProtection ?? false, file.deletionProtection, 'change'),
    ...tagDifference(cluster.tags, tagsOf(file)),
  ];
}

interface Endpoint {
  readonly private?: boolean;
  readonly public?: boolean;
  readonly cidrs?: readonly string[];
}

function endpointDifference(found: Endpoint, wanted: Endpoint): Difference[] {
  const text = ({ private: inside, public: outside, cidrs }: Endpoint): string =>
    [
      `private ${inside ?? false}`,
      `public ${outside ?? false}`,
      ...(outside && wanted.cidrs !== undefined ? [`for ${[...(cidrs ?? [])].sort().join(' ')}`] : []),
    ].join(', ');
  return valueDifference('endpoint', text(found), text(wanted), 'change');
}

/** A role without its account. */
export function roleName(arn: string | undefined): string | undefined {
  return arn?.slice(arn.indexOf('/') + 1);
}
