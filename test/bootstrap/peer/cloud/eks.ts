import { AwsError } from '../wire/encode';
import { endNodes, startNode } from './nodes';
import {
  ACCOUNT,
  type Account,
  type AddOnState,
  type ClusterState,
  type Moving,
  type NodeGroupState,
  REGION,
  type Tags,
  type UpdateState,
} from './state';

const ARM = /_ARM_64_/;

function notFound(what: string): AwsError {
  return new AwsError('ResourceNotFoundException', `No ${what} found`, 404);
}

/** EKS: what it checks, and how long it takes, counted in looks. */
export function eksHandlers(account: Account): Record<string, (input: never) => unknown> {
  const { clusters, nodeGroups, addOns, associations, entries, manners } = account;
  const arn = (rest: string): string => `arn:aws:eks:${REGION}:${ACCOUNT}:${rest}`;
  const once = <T>(
    operation: string,
    { clientRequestToken, ...input }: { clientRequestToken?: string },
    make: () => T,
  ): T => account.once(operation, clientRequestToken, input, make, 'InvalidParameterException');

  const clusterOf = (name: string): ClusterState => {
    const found = clusters.get(name);
    if (found === undefined) {
      throw notFound(`cluster for name: ${name}`);
    }
    return found;
  };
  const activeCluster = (name: string): ClusterState => {
    const found = clusterOf(name);
    const status = statusOf(found, found, {});
    if (status !== 'ACTIVE') {
      throw new AwsError('ResourceInUseException', `Cluster ${name} is currently ${status}`, 409);
    }
    return found;
  };
  const roleOf = (roleArn: string, service: string): void => {
    const found = [...account.roles.values()].find((each) => each.arn === roleArn);
    if (found === undefined || found.unknownFor-- > 0) {
      throw new AwsError(
        'InvalidParameterException',
        `Role with arn: ${roleArn} could not be assumed because it does not exist or the trusted entity is not correct`,
      );
    }
    if (!JSON.stringify(found.trust).includes(service)) {
      throw new AwsError(
        'InvalidParameterException',
        `Trust policy of the role provided is invalid: it does not trust ${service}`,
      );
    }
  };
  const moving = (status: string, next: string): Moving => ({ status, looks: manners.looks, next, issues: [] });
  const health = ({ issues }: Moving): object => ({ issues });

  const shownCluster = (cluster: ClusterState): object => ({
    name: cluster.name,
    arn: arn(`cluster/${cluster.name}`),
    status: statusOf(cluster, cluster, {}),
    version: cluster.version,
    roleArn: cluster.roleArn,
    createdAt: new Date('2026-11-29T12:00:00Z'),
    resourcesVpcConfig: {
      ...cluster.vpc,
      vpcId: 'vpc-0123456789abcdef0',
      clusterSecurityGroupId: 'sg-00000000000000aa0',
    },
    accessConfig: cluster.access,
    logging: { clusterLogging: cluster.logging },
    deletionProtection: cluster.deletionProtection,
    tags: cluster.tags,
    health: health(cluster),
    ...(cluster.status === 'CREATING'
      ? {}
      : {
          endpoint: account.endpoint.url,
          certificateAuthority: { data: account.endpoint.authority },
        }),
  });

  const shownGroup = (cluster: string, group: NodeGroupState): object => ({
    nodegroupName: group.name,
    nodegroupArn: arn(`nodegroup/${cluster}/${group.name}/0`),
    clusterName: cluster,
    status: statusOf(clusterOf(cluster), group, { nodegroupName: group.name }),
    version: clusterOf(cluster).version,
    capacityType: group.capacityType,
    scalingConfig: group.scaling,
    instanceTypes: group.instanceTypes,
    subnets: group.subnets,
    amiType: group.amiType,
    nodeRole: group.nodeRole,
    labels: group.labels,
    launchTemplate: { ...group.template, name: account.templates.get(group.template.id)?.name ?? 'gone' },
    resources: { autoScalingGroups: [{ name: `eks-${group.name}-0` }] },
    tags: group.tags,
    health: health(group),
  });

  const shownAddOn = (cluster: string, addOn: AddOnState): object => ({
    addonName: addOn.name,
    addonArn: arn(`addon/${cluster}/${addOn.name}/0`),
    clusterName: cluster,
    addonVersion: addOn.version,
    status: statusOf(clusterOf(cluster), addOn, { addonName: addOn.name }),
    tags: addOn.tags,
    health: health(addOn),
    ...(addOn.configuration !== undefined && { configurationValues: addOn.configuration }),
  });

  const groupOf = (cluster: string, name: string): NodeGroupState => {
    tick(clusterOf(cluster), { nodegroupName: name });
    const found = account.look(nodeGroups, name);
    if (found === undefined) {
      throw notFound(`node group for name: ${name}`);
    }
    return found;
  };
  const addOnOf = (cluster: string, name: string): AddOnState => {
    tick(clusterOf(cluster), { addonName: name });
    const found = account.look(addOns, name);
    if (found === undefined) {
      throw notFound(`addon: ${name}`);
    }
    return found;
  };

  const hasNodes = (): boolean => [...account.parts.values()].some(({ kind }) => kind === 'instance');

  type Target = { nodegroupName?: string; addonName?: string };
  const pending = (cluster: ClusterState, of: Target): UpdateState[] =>
    [...cluster.updates.values()].filter(
      (each) => each.looks > 0 && each.nodegroupName === of.nodegroupName && each.addonName === of.addonName,
    );
  /** One look at what an update is at work on. */
  const tick = (cluster: ClusterState, of: Target): void => {
    for (const each of pending(cluster, of)) {
      if (--each.looks === 0 && each.fails === undefined) {
        each.effect();
      }
    }
  };
  const statusOf = (cluster: ClusterState, { status }: Moving, of: Target): string =>
    status === 'ACTIVE' && pending(cluster, of).length > 0 ? 'UPDATING' : status;

  /** An update that is done after some looks; one at a time of each target. */
  const update = (
    operation: string,
    input: object,
    cluster: ClusterState,
    type: string,
    effect: () => void,
    of: Target = {},
  ): object =>
    once(operation, input, () => {
      if (pending(cluster, of).length > 0) {
        throw new AwsError('ResourceInUseException', 'Cannot update because another update is in progress', 409);
      }
      const id = account.id('update');
      cluster.updates.set(id, { type, looks: manners.looks, effect, ...of });
      return { update: { id, status: 'InProgress', type, createdAt: new Date('2026-11-29T12:00:00Z') } };
    });

  const taggables = (): Map<string, Tags> =>
    new Map([
      ...[...clusters.values()].map(({ name, tags }): [string, Tags] => [arn(`cluster/${name}`), tags]),
      ...[...nodeGroups.values()].map(({ name, tags }): [string, Tags] => [
        arn(`nodegroup/${[...clusters.keys()][0]}/${name}/0`),
        tags,
      ]),
      ...[...addOns.values()].map(({ name, tags }): [string, Tags] => [
        arn(`addon/${[...clusters.keys()][0]}/${name}/0`),
        tags,
      ]),
      ...[...associations.values()].map(({ id, tags }): [string, Tags] => [
        arn(`podidentityassociation/x/${id}`),
        tags,
      ]),
      ...[...entries.values()].map((entry): [string, Tags] => [entryArn(entry.arn), entry.tags]),
    ]);
  const entryArn = (principal: string): string =>
    arn(`access-entry/x/role/${ACCOUNT}/${principal.slice(principal.indexOf('/') + 1)}/0`);

  return {
    'eks.DescribeClusterVersions': () => ({
      clusterVersions: [...account.versions].map(([clusterVersion, { status, end }]) => ({
        clusterVersion,
        versionStatus: status,
        endOfStandardSupportDate: end,
      })),
    }),
    'eks.CreateCluster': (input: {
      name: string;
      version: string;
      roleArn: string;
      resourcesVpcConfig: ClusterState['vpc'];
      accessConfig: ClusterState['access'];
      logging?: { clusterLogging: ClusterState['logging'] };
      deletionProtection?: boolean;
      tags: Tags;
      clientRequestToken?: string;
    }) =>
      once('CreateCluster', input, () => {
        const { name, resourcesVpcConfig: vpc } = input;
        if (clusters.has(name)) {
          throw new AwsError('ResourceInUseException', `Cluster already exists with name: ${name}`, 409);
        }
        roleOf(input.roleArn, 'eks.amazonaws.com');
        const subnets = vpc.subnetIds.map((id) => {
          const found = account.subnets.get(id);
          if (found === undefined) {
            throw new AwsError('InvalidParameterException', `The subnet ID '${id}' does not exist`);
          }
          return found;
        });
        if (new Set(subnets.map(({ zone }) => zone)).size < 2) {
          throw new AwsError('InvalidParameterException', 'Subnets specified must be in at least two different AZs');
        }
        if (account.versions.get(input.version) === undefined) {
          throw new AwsError('InvalidParameterException', 'unsupported Kubernetes version');
        }
        const made: ClusterState = {
          ...moving('CREATING', manners.cluster === 'works' ? 'ACTIVE' : 'FAILED'),
          issues:
            manners.cluster === 'works'
              ? []
              : [{ code: 'ResourceLimitExceeded', message: 'too many clusters', resourceIds: [] }],
          name,
          version: input.version,
          roleArn: input.roleArn,
          vpc: {
            subnetIds: vpc.subnetIds,
            securityGroupIds: vpc.securityGroupIds ?? [],
            endpointPublicAccess: vpc.endpointPublicAccess ?? true,
            endpointPrivateAccess: vpc.endpointPrivateAccess ?? false,
            publicAccessCidrs: vpc.publicAccessCidrs ?? (vpc.endpointPublicAccess === false ? [] : ['0.0.0.0/0']),
          },
          // What the API takes when nothing is said.
          access: {
            authenticationMode: input.accessConfig?.authenticationMode ?? 'CONFIG_MAP',
            bootstrapClusterCreatorAdminPermissions:
              input.accessConfig?.bootstrapClusterCreatorAdminPermissions ?? true,
          },
          logging: input.logging?.clusterLogging ?? [],
          deletionProtection: input.deletionProtection ?? false,
          tags: { ...input.tags },
          updates: new Map(),
        };
        clusters.set(name, made);
        return { cluster: shownCluster(made) };
      }),
    'eks.DescribeCluster': ({ name }: { name: string }) => {
      const found = account.look(clusters, name);
      if (found === undefined) {
        throw notFound(`cluster for name: ${name}`);
      }
      tick(found, {});
      return { cluster: shownCluster(found) };
    },
    'eks.UpdateClusterConfig': (input: {
      name: string;
      resourcesVpcConfig?: Partial<ClusterState['vpc']>;
      logging?: { clusterLogging: ClusterState['logging'] };
      accessConfig?: { authenticationMode: string };
      deletionProtection?: boolean;
    }) => {
      const cluster = clusterOf(input.name);
      const kinds = ['resourcesVpcConfig', 'logging', 'accessConfig', 'deletionProtection'].filter(
        (key) => key in input,
      );
      if (kinds.length !== 1) {
        throw new AwsError('InvalidParameterException', 'Only one type of update can be allowed.');
      }
      return update('UpdateClusterConfig', input, cluster, 'ConfigUpdate', () => {
        Object.assign(cluster.vpc, input.resourcesVpcConfig);
        cluster.logging = input.logging?.clusterLogging ?? cluster.logging;
        Object.assign(cluster.access, input.accessConfig);
        cluster.deletionProtection = input.deletionProtection ?? cluster.deletionProtection;
      });
    },
    'eks.DescribeUpdate': ({ name, updateId }: { name: string; updateId: string }) => {
      const found = clusterOf(name).updates.get(updateId);
      if (found === undefined) {
        throw notFound(`update for ID: ${updateId}`);
      }
      tick(clusterOf(name), found);
      return {
        update: {
          id: updateId,
          type: found.type,
          status: found.looks > 0 ? 'InProgress' : found.fails === undefined ? 'Successful' : 'Failed',
          createdAt: new Date('2026-11-29T12:00:00Z'),
          errors: found.fails === undefined ? [] : [{ errorCode: 'PodEvictionFailure', errorMessage: found.fails }],
        },
      };
    },
    'eks.DeleteCluster': ({ name }: { name: string }) => {
      const cluster = clusterOf(name);
      if (cluster.deletionProtection) {
        throw new AwsError(
          'InvalidRequestException',
          'Cluster cannot be deleted because deletion protection is enabled',
        );
      }
      if (nodeGroups.size > 0) {
        throw new AwsError('ResourceInUseException', 'Cluster has nodegroups attached', 409);
      }
      Object.assign(cluster, moving('DELETING', 'gone'));
      return { cluster: shownCluster(cluster) };
    },

    'eks.ListNodegroups': ({ clusterName }: { clusterName: string }) => (
      clusterOf(clusterName),
      { nodegroups: [...nodeGroups.keys()] }
    ),
    'eks.ListFargateProfiles': ({ clusterName }: { clusterName: string }) => (
      clusterOf(clusterName),
      { fargateProfileNames: [] }
    ),
    'eks.CreateNodegroup': (input: {
      clusterName: string;
      nodegroupName: string;
      nodeRole: string;
      subnets: string[];
      instanceTypes: string[];
      amiType: string;
      capacityType: string;
      scalingConfig: NodeGroupState['scaling'];
      diskSize?: number;
      launchTemplate?: { id: string; version: string };
      labels?: Tags;
      tags: Tags;
      clientRequestToken?: string;
    }) =>
      once('CreateNodegroup', input, () => {
        const { clusterName, nodegroupName: name, launchTemplate, instanceTypes, amiType } = input;
        if (!clusters.has(clusterName)) {
          throw new AwsError('InvalidParameterException', `No cluster found for name: ${clusterName}`);
        }
        activeCluster(clusterName);
        if (nodeGroups.has(name)) {
          throw new AwsError(
            'ResourceInUseException',
            `NodeGroup already exists with name ${name} and cluster name ${clusterName}`,
            409,
          );
        }
        roleOf(input.nodeRole, 'ec2.amazonaws.com');
        const sizes = Object.values(input.scalingConfig);
        if (sizes.length !== 3) {
          throw new AwsError('InvalidParameterException', 'all of minSize, maxSize and desiredSize, or none');
        }
        if (launchTemplate !== undefined && input.diskSize !== undefined) {
          throw new AwsError('InvalidParameterException', 'Disk size must be specified within the launch template.');
        }
        if (
          launchTemplate === undefined ||
          account.templates.get(launchTemplate.id)?.versions[Number(launchTemplate.version) - 1] === undefined
        ) {
          throw new AwsError('InvalidParameterException', 'The launch template, or its version, does not exist');
        }
        if (input.subnets.some((id) => !account.subnets.has(id))) {
          throw new AwsError('InvalidParameterException', 'Subnets are not valid');
        }
        if (instanceTypes.some((type) => /^\w+\dg/.test(type) !== ARM.test(amiType))) {
          throw new AwsError(
            'InvalidParameterException',
            `[${instanceTypes.join()}] is not a valid instance type for requested amiType ${amiType}`,
          );
        }
        const made: NodeGroupState = {
          ...moving(
            'CREATING',
            { works: 'ACTIVE', heals: 'DEGRADED', DEGRADED: 'DEGRADED', CREATE_FAILED: 'CREATE_FAILED' }[
              manners.nodeGroup
            ],
          ),
          name,
          nodeRole: input.nodeRole,
          subnets: input.subnets,
          instanceTypes,
          amiType,
          capacityType: input.capacityType,
          scaling: input.scalingConfig,
          labels: input.labels ?? {},
          template: launchTemplate,
          tags: { ...input.tags },
        };
        if (manners.nodeGroup !== 'works') {
          made.issues.push({
            code: manners.nodeGroup === 'CREATE_FAILED' ? 'NodeCreationFailure' : 'AsgInstanceLaunchFailures',
            message: `Instances failed to join the kubernetes cluster of account ${ACCOUNT}`,
            resourceIds: ['i-00000000000000001'],
          });
        }
        nodeGroups.set(name, made);
        for (let i = 0; i < made.scaling.desiredSize; i++) {
          startNode(account, clusterName, made);
        }
        return { nodegroup: shownGroup(clusterName, made) };
      }),
    'eks.DescribeNodegroup': ({ clusterName, nodegroupName }: { clusterName: string; nodegroupName: string }) => {
      const found = groupOf(clusterName, nodegroupName);
      if (found.status === 'DEGRADED' && found.looks === 0 && manners.nodeGroup === 'heals') {
        Object.assign(found, { looks: 2, next: 'ACTIVE' });
      }
      if (found.status === 'ACTIVE') {
        found.issues = [];
      }
      return { nodegroup: shownGroup(clusterName, found) };
    },
    'eks.UpdateNodegroupConfig': (input: {
      clusterName: string;
      nodegroupName: string;
      labels?: { addOrUpdateLabels?: Tags };
      scalingConfig?: NodeGroupState['scaling'];
    }) => {
      const group = groupOf(input.clusterName, input.nodegroupName);
      return update(
        'UpdateNodegroupConfig',
        input,
        clusterOf(input.clusterName),
        'ConfigUpdate',
        () => {
          Object.assign(group.labels, input.labels?.addOrUpdateLabels);
          const before = group.scaling.desiredSize;
          group.scaling = input.scalingConfig ?? group.scaling;
          for (let i = before; i < group.scaling.desiredSize; i++) {
            startNode(account, input.clusterName, group);
          }
          endNodes(account, group.name, Math.max(0, before - group.scaling.desiredSize));
        },
        { nodegroupName: group.name },
      );
    },
    'eks.UpdateNodegroupVersion': (input: {
      clusterName: string;
      nodegroupName: string;
      launchTemplate: { id: string; version: string };
    }) => {
      const group = groupOf(input.clusterName, input.nodegroupName);
      if (input.launchTemplate.id !== group.template.id) {
        throw new AwsError('InvalidParameterException', 'You cannot specify a different launch template');
      }
      return update(
        'UpdateNodegroupVersion',
        input,
        clusterOf(input.clusterName),
        'VersionUpdate',
        () => {
          group.template = input.launchTemplate;
          endNodes(account, group.name);
          for (let i = 0; i < group.scaling.desiredSize; i++) {
            startNode(account, input.clusterName, group);
          }
        },
        { nodegroupName: group.name },
      );
    },
    'eks.DeleteNodegroup': ({ clusterName, nodegroupName }: { clusterName: string; nodegroupName: string }) => {
      const group = groupOf(clusterName, nodegroupName);
      Object.assign(group, moving('DELETING', 'gone'));
      endNodes(account, nodegroupName);
      return { nodegroup: shownGroup(clusterName, group) };
    },

    'eks.DescribeAddonVersions': ({
      addonName,
      kubernetesVersion,
    }: {
      addonName: string;
      kubernetesVersion: string;
    }) => ({
      addons: [
        {
          addonName,
          // The newest first; the default is another one.
          addonVersions: (account.addOnVersions[addonName] ?? []).map((addonVersion, i, all) => ({
            addonVersion,
            architecture: ['amd64', 'arm64'],
            compatibilities: [
              { clusterVersion: kubernetesVersion, platformVersions: ['*'], defaultVersion: i === all.length - 1 },
            ],
            requiresConfiguration: false,
          })),
        },
      ].filter(({ addonVersions }) => addonVersions.length > 0),
    }),
    'eks.CreateAddon': (input: {
      clusterName: string;
      addonName: string;
      addonVersion: string;
      configurationValues?: string;
      tags: Tags;
      clientRequestToken?: string;
    }) =>
      once('CreateAddon', input, () => {
        const { clusterName, addonName: name, addonVersion: version } = input;
        activeCluster(clusterName);
        if (addOns.has(name)) {
          throw new AwsError('ResourceInUseException', 'Addon already exists.', 409);
        }
        if (!account.addOnVersions[name]?.includes(version)) {
          throw new AwsError('InvalidParameterException', `Addon version specified is not supported`);
        }
        const made: AddOnState = {
          ...moving(
            'CREATING',
            { work: 'ACTIVE', CREATE_FAILED: 'CREATE_FAILED', DEGRADED: 'DEGRADED' }[manners.addOns],
          ),
          name,
          version,
          ...(input.configurationValues !== undefined && { configuration: input.configurationValues }),
          tags: { ...input.tags },
        };
        // A Deployment has no place to run without nodes.
        if (name === 'metrics-server' && !hasNodes()) {
          made.next = 'DEGRADED';
        }
        addOns.set(name, made);
        return { addon: shownAddOn(clusterName, made) };
      }),
    'eks.DescribeAddon': ({ clusterName, addonName }: { clusterName: string; addonName: string }) => {
      const found = addOnOf(clusterName, addonName);
      if (found.status === 'DEGRADED' || found.status === 'CREATE_FAILED') {
        found.issues = [
          {
            code: 'InsufficientNumberOfReplicas',
            message: 'The add-on is unhealthy because it has no replicas',
            resourceIds: [],
          },
        ];
        if (found.status === 'DEGRADED' && manners.addOns === 'work' && hasNodes()) {
          found.status = 'ACTIVE';
        }
      }
      if (found.status === 'ACTIVE') {
        found.issues = [];
      }
      return { addon: shownAddOn(clusterName, found) };
    },
    'eks.UpdateAddon': (input: {
      clusterName: string;
      addonName: string;
      addonVersion: string;
      configurationValues?: string;
    }) => {
      const found = addOnOf(input.clusterName, input.addonName);
      return update(
        'UpdateAddon',
        input,
        clusterOf(input.clusterName),
        'AddonUpdate',
        () => {
          found.version = input.addonVersion;
          found.configuration = input.configurationValues ?? found.configuration;
          found.status = 'ACTIVE';
        },
        { addonName: found.name },
      );
    },
    'eks.DeleteAddon': ({ clusterName, addonName }: { clusterName: string; addonName: string }) => {
      const found = addOnOf(clusterName, addonName);
      Object.assign(found, moving('DELETING', 'gone'));
      return { addon: shownAddOn(clusterName, found) };
    },

    'eks.ListPodIdentityAssociations': ({
      clusterName,
      namespace,
      serviceAccount,
    }: {
      clusterName: string;
      namespace?: string;
      serviceAccount?: string;
    }) => {
      clusterOf(clusterName);
      const found = [...associations.values()].filter(
        (each) =>
          each.lag-- <= 0 &&
          each.namespace === (namespace ?? each.namespace) &&
          each.serviceAccount === (serviceAccount ?? each.serviceAccount),
      );
      return {
        associations: found.map(({ id, namespace: of, serviceAccount: name }) => ({
          clusterName,
          associationId: id,
          namespace: of,
          serviceAccount: name,
        })),
      };
    },
    'eks.DescribePodIdentityAssociation': ({
      clusterName,
      associationId,
    }: {
      clusterName: string;
      associationId: string;
    }) => ({
      association: shownAssociation(clusterName, associationId),
    }),
    'eks.CreatePodIdentityAssociation': (input: {
      clusterName: string;
      namespace: string;
      serviceAccount: string;
      roleArn: string;
      tags: Tags;
      clientRequestToken?: string;
    }) =>
      once('CreatePodIdentityAssociation', input, () => {
        activeCluster(input.clusterName);
        roleOf(input.roleArn, 'pods.eks.amazonaws.com');
        const { namespace, serviceAccount, roleArn } = input;
        const before = [...associations.values()].find(
          (each) => each.namespace === namespace && each.serviceAccount === serviceAccount,
        );
        if (before !== undefined) {
          throw new AwsError('ResourceInUseException', `Association already exists: ${before.id}`, 409);
        }
        const id = account.id('a');
        associations.set(id, { id, namespace, serviceAccount, roleArn, tags: { ...input.tags }, lag: manners.lag });
        return { association: shownAssociation(input.clusterName, id) };
      }),
    'eks.UpdatePodIdentityAssociation': ({
      clusterName,
      associationId,
      roleArn,
    }: {
      clusterName: string;
      associationId: string;
      roleArn: string;
    }) => {
      shownAssociation(clusterName, associationId);
      roleOf(roleArn, 'pods.eks.amazonaws.com');
      associations.get(associationId)!.roleArn = roleArn;
      return { association: shownAssociation(clusterName, associationId) };
    },
    'eks.DeletePodIdentityAssociation': ({
      clusterName,
      associationId,
    }: {
      clusterName: string;
      associationId: string;
    }) => {
      const association = shownAssociation(clusterName, associationId);
      associations.delete(associationId);
      return { association };
    },

    'eks.DescribeAccessEntry': ({ clusterName, principalArn }: { clusterName: string; principalArn: string }) => {
      const found = entryOf(clusterName, principalArn);
      if (found.lag-- > 0) {
        throw notFound(`access entry: ${principalArn}`);
      }
      return { accessEntry: shownEntry(clusterName, found) };
    },
    'eks.CreateAccessEntry': (input: {
      clusterName: string;
      principalArn: string;
      type?: string;
      kubernetesGroups?: string[];
      tags: Tags;
      clientRequestToken?: string;
    }) =>
      once('CreateAccessEntry', input, () => {
        const cluster = activeCluster(input.clusterName);
        if (cluster.access.authenticationMode === 'CONFIG_MAP') {
          throw new AwsError(
            'InvalidRequestException',
            "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP]",
          );
        }
        if (entries.has(input.principalArn)) {
          throw new AwsError(
            'ResourceInUseException',
            'The specified access entry resource is already in use on this cluster.',
            409,
          );
        }
        const made = {
          arn: input.principalArn,
          type: input.type ?? 'STANDARD',
          groups: input.kubernetesGroups ?? [],
          policies: new Map<string, { type: string; namespaces: string[] }>(),
          tags: { ...input.tags },
          lag: manners.lag,
        };
        entries.set(input.principalArn, made);
        return { accessEntry: shownEntry(input.clusterName, made) };
      }),
    'eks.UpdateAccessEntry': ({
      clusterName,
      principalArn,
      kubernetesGroups,
    }: {
      clusterName: string;
      principalArn: string;
      kubernetesGroups: string[];
    }) => {
      const found = entryOf(clusterName, principalArn);
      found.groups = kubernetesGroups;
      return { accessEntry: shownEntry(clusterName, found) };
    },
    'eks.DeleteAccessEntry': ({ clusterName, principalArn }: { clusterName: string; principalArn: string }) => {
      entryOf(clusterName, principalArn);
      entries.delete(principalArn);
      return {};
    },
    'eks.ListAssociatedAccessPolicies': ({
      clusterName,
      principalArn,
    }: {
      clusterName: string;
      principalArn: string;
    }) => ({
      clusterName,
      principalArn,
      associatedAccessPolicies: [...entryOf(clusterName, principalArn).policies].map(([policyArn, accessScope]) => ({
        policyArn,
        accessScope,
      })),
    }),
    'eks.AssociateAccessPolicy': ({
      clusterName,
      principalArn,
      policyArn,
      accessScope,
    }: {
      clusterName: string;
      principalArn: string;
      policyArn: string;
      accessScope: { type: string; namespaces?: string[] };
    }) => {
      const found = entryOf(clusterName, principalArn);
      found.policies.set(policyArn, { type: accessScope.type, namespaces: accessScope.namespaces ?? [] });
      return { clusterName, principalArn };
    },

    'eks.TagResource': ({ resourceArn, tags }: { resourceArn: string; tags: Tags }) => {
      const found = taggables().get(resourceArn);
      if (found === undefined) {
        throw new AwsError('NotFoundException', `no resource ${resourceArn}`, 404);
      }
      Object.assign(found, tags);
      return {};
    },
  };

  function shownAssociation(cluster: string, id: string): object {
    clusterOf(cluster);
    const found = associations.get(id);
    if (found === undefined) {
      throw notFound(`association for id: ${id}`);
    }
    const { namespace, serviceAccount, roleArn, tags } = found;
    return {
      clusterName: cluster,
      namespace,
      serviceAccount,
      roleArn,
      tags,
      associationId: id,
      associationArn: arn(`podidentityassociation/x/${id}`),
    };
  }

  function entryOf(cluster: string, principal: string) {
    clusterOf(cluster);
    const found = entries.get(principal);
    if (found === undefined) {
      throw notFound(`access entry for principal: ${principal}`);
    }
    return found;
  }

  function shownEntry(
    cluster: string,
    { arn: principalArn, type, groups, tags }: { arn: string; type: string; groups: string[]; tags: Tags },
  ): object {
    return {
      clusterName: cluster,
      principalArn,
      accessEntryArn: entryArn(principalArn),
      type,
      kubernetesGroups: groups,
      tags,
    };
  }
}
