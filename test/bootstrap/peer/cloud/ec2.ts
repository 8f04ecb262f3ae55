import { AwsError } from '../wire/encode';
import type { Account, PartState, Tags } from './state';

type Filter = { Name: string; Values: string[] };
type TagList = { Key: string; Value: string }[];

export function list(tags: Tags): TagList {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}
export function map(tags: TagList = []): Tags {
  return Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));
}

function filterOf(filters: Filter[] | undefined, name: string): string[] | undefined {
  return filters?.find(({ Name }) => Name === name)?.Values;
}

/** EC2 and IAM and STS, as far as a cluster needs them. */
export function ec2Handlers(account: Account): Record<string, (input: never) => unknown> {
  const templateOf = (id: string) => {
    const found = account.templates.get(id);
    if (found === undefined) {
      throw new AwsError(
        'InvalidLaunchTemplateId.NotFound',
        `The specified launch template, with template ID ${id}, does not exist.`,
      );
    }
    return found;
  };
  const shown = ({ id, name, versions, tags }: { id: string; name: string; versions: unknown[]; tags: Tags }) => ({
    LaunchTemplateId: id,
    LaunchTemplateName: name,
    DefaultVersionNumber: 1,
    LatestVersionNumber: versions.length,
    Tags: list(tags),
  });
  const versionOf = (id: string, number: number) => ({
    LaunchTemplateId: id,
    VersionNumber: number,
    DefaultVersion: number === 1,
    LaunchTemplateData: templateOf(id).versions[number - 1],
  });
  const checked = (data: Record<string, unknown>): Record<string, unknown> => {
    for (const { ResourceType } of (data.TagSpecifications ?? []) as { ResourceType: string }[]) {
      if (!['instance', 'volume', 'network-interface', 'spot-instances-request'].includes(ResourceType)) {
        throw new AwsError(
          'InvalidParameterValue',
          `'${ResourceType}' is not a valid taggable resource type for this operation.`,
        );
      }
    }
    return data;
  };

  return {
    'sts.GetCallerIdentity': () => ({
      Account: '111122223333',
      Arn: 'arn:aws:sts::111122223333:assumed-role/ops/me',
      UserId: 'AROAEXAMPLEEXAMPLE01:me',
    }),
    'iam.GetRole': ({ RoleName }: { RoleName: string }) => {
      const found = account.roles.get(RoleName);
      if (found === undefined) {
        throw new AwsError('NoSuchEntity', `The role with name ${RoleName} cannot be found.`, 404);
      }
      return {
        Role: {
          Path: '/',
          RoleName,
          RoleId: 'AROAEXAMPLEEXAMPLE01',
          Arn: found.arn,
          CreateDate: new Date('2026-01-01'),
          AssumeRolePolicyDocument: encodeURIComponent(JSON.stringify(found.trust)),
        },
      };
    },
    'iam.ListAttachedRolePolicies': ({ RoleName }: { RoleName: string }) => ({
      AttachedPolicies: (account.roles.get(RoleName)?.policies ?? []).map((PolicyName) => ({
        PolicyName,
        PolicyArn: `arn:aws:iam::aws:policy/${PolicyName}`,
      })),
      IsTruncated: false,
    }),
    'ec2.DescribeSubnets': ({ SubnetIds }: { SubnetIds: string[] }) => ({
      Subnets: SubnetIds.map((id) => {
        const found = account.subnets.get(id);
        if (found === undefined) {
          throw new AwsError('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`);
        }
        return {
          SubnetId: id,
          VpcId: found.vpc,
          AvailabilityZone: found.zone,
          AvailabilityZoneId: found.zoneId,
          AvailableIpAddressCount: found.free,
          State: 'available',
          Tags: list(found.tags),
        };
      }),
    }),
    'ec2.DescribeVpcAttribute': ({
      VpcId,
      Attribute,
    }: {
      VpcId: string;
      Attribute: 'enableDnsSupport' | 'enableDnsHostnames';
    }) => ({
      VpcId,
      [Attribute === 'enableDnsSupport' ? 'EnableDnsSupport' : 'EnableDnsHostnames']: { Value: account.dns[Attribute] },
    }),
    'ec2.DescribeInstanceTypeOfferings': ({ Filters }: { Filters: Filter[] }) => ({
      InstanceTypeOfferings: [...account.offered].map((Location) => ({
        InstanceType: filterOf(Filters, 'instance-type')![0],
        LocationType: 'availability-zone',
        Location,
      })),
    }),
    'ec2.DescribeInstanceTypes': ({ InstanceTypes }: { InstanceTypes: string[] }) => ({
      InstanceTypes: InstanceTypes.map((InstanceType) => ({
        InstanceType,
        ProcessorInfo: { SupportedArchitectures: [/^\w+\dg/.test(InstanceType) ? 'arm64' : 'x86_64'] },
        VCpuInfo: { DefaultVCpus: 8 },
      })),
    }),
    'ec2.DescribeLaunchTemplates': ({
      Filters,
      LaunchTemplateIds,
    }: {
      Filters?: Filter[];
      LaunchTemplateIds?: string[];
    }) => {
      const names = filterOf(Filters, 'launch-template-name');
      const found = [...account.templates.values()].filter(
        (each) => (names?.includes(each.name) ?? true) && (LaunchTemplateIds?.includes(each.id) ?? true),
      );
      return { LaunchTemplates: found.filter((each) => each.lag-- <= 0).map(shown) };
    },
    'ec2.DescribeLaunchTemplateVersions': ({
      LaunchTemplateId,
      Versions,
    }: {
      LaunchTemplateId: string;
      Versions: string[];
    }) => ({
      LaunchTemplateVersions: Versions.map((version) =>
        versionOf(
          LaunchTemplateId,
          version === '$Latest' ? templateOf(LaunchTemplateId).versions.length : Number(version),
        ),
      ),
    }),
    'ec2.CreateLaunchTemplate': ({
      ClientToken,
      ...input
    }: {
      ClientToken?: string;
      LaunchTemplateName: string;
      LaunchTemplateData: Record<string, unknown>;
      TagSpecifications: { Tags: TagList }[];
    }) =>
      account.once(
        'CreateLaunchTemplate',
        ClientToken,
        input,
        () => {
          if ([...account.templates.values()].some(({ name }) => name === input.LaunchTemplateName)) {
            throw new AwsError(
              'InvalidLaunchTemplateName.AlreadyExistsException',
              `Launch template name already in use.`,
            );
          }
          const id = account.id('lt');
          const made = {
            id,
            name: input.LaunchTemplateName,
            versions: [checked(input.LaunchTemplateData)],
            tags: map(input.TagSpecifications[0]?.Tags),
            lag: account.manners.lag,
          };
          account.templates.set(id, made);
          return { LaunchTemplate: shown(made) };
        },
        'IdempotentParameterMismatch',
      ),
    'ec2.CreateLaunchTemplateVersion': ({
      ClientToken,
      ...input
    }: {
      ClientToken?: string;
      LaunchTemplateId: string;
      LaunchTemplateData: Record<string, unknown>;
    }) =>
      account.once(
        'CreateLaunchTemplateVersion',
        ClientToken,
        input,
        () => {
          const template = templateOf(input.LaunchTemplateId);
          template.versions.push(checked(input.LaunchTemplateData));
          return { LaunchTemplateVersion: versionOf(template.id, template.versions.length) };
        },
        'IdempotentParameterMismatch',
      ),
    'ec2.DeleteLaunchTemplate': ({ LaunchTemplateId }: { LaunchTemplateId: string }) => {
      const found = templateOf(LaunchTemplateId);
      account.templates.delete(LaunchTemplateId);
      return { LaunchTemplate: shown(found) };
    },
    'ec2.DescribeInstances': ({ Filters }: { Filters: Filter[] }) => ({
      Reservations: parts('instance')
        .filter(({ tags }) =>
          Filters.filter(({ Name }) => Name.startsWith('tag:')).every(({ Name, Values }) =>
            Values.includes(tags[Name.slice(4)] ?? ''),
          ),
        )
        .map(({ id, tags, subnet }) => ({
          Instances: [
            {
              InstanceId: id,
              State: { Code: 16, Name: 'running' },
              Placement: { AvailabilityZone: account.subnets.get(subnet)!.zone },
              RootDeviceName: '/dev/xvda',
              BlockDeviceMappings: of(id, 'volume').map((volume) => ({
                DeviceName: '/dev/xvda',
                Ebs: { VolumeId: volume.id },
              })),
              Tags: list(tags),
            },
          ],
        })),
    }),
    'ec2.DescribeVolumes': ({ Filters }: { Filters: Filter[] }) => ({
      Volumes: parts('volume')
        .filter(({ id }) => filterOf(Filters, 'volume-id')!.includes(id))
        .map(({ id, tags }) => ({ VolumeId: id, Tags: list(tags) })),
    }),
    'ec2.DescribeNetworkInterfaces': ({ Filters }: { Filters: Filter[] }) => {
      const groups = filterOf(Filters, 'group-id');
      if (groups !== undefined) {
        return {
          NetworkInterfaces: account.balancers
            .filter(({ group }) => groups.includes(group))
            .flatMap(({ interfaces }) =>
              interfaces.map((Description) => ({ NetworkInterfaceId: 'eni-00000000000000bb0', Description })),
            ),
        };
      }
      const instances = filterOf(Filters, 'attachment.instance-id');
      return {
        NetworkInterfaces: parts('interface')
          .filter(({ instance }) => instances?.includes(instance) ?? false)
          .map(({ id, instance, tags }) => ({
            NetworkInterfaceId: id,
            Attachment: { InstanceId: instance },
            TagSet: list(tags),
          })),
      };
    },
    'ec2.DescribeSecurityGroups': ({ Filters }: { Filters: Filter[] }) => ({
      SecurityGroups: account.balancers
        .filter(({ cluster }) => filterOf(Filters, 'tag:elbv2.k8s.aws/cluster')!.includes(cluster))
        .map(({ group, cluster }) => ({
          GroupId: group,
          GroupName: `k8s-traffic-${cluster}`,
          Description: 'made by a controller',
        })),
    }),
    'ec2.CreateTags': ({ Resources, Tags }: { Resources: string[]; Tags: TagList }) => {
      const targets = Resources.map((id) => {
        const found = account.parts.get(id) ?? account.templates.get(id);
        if (found === undefined) {
          throw new AwsError('InvalidInstanceID.NotFound', `The ID '${id}' does not exist`);
        }
        return found;
      });
      targets.forEach(({ tags }) => Object.assign(tags, map(Tags)));
      return {};
    },
  };

  function parts(kind: PartState['kind']): PartState[] {
    return [...account.parts.values()].filter((each) => each.kind === kind);
  }
  function of(instance: string, kind: PartState['kind']): PartState[] {
    return parts(kind).filter((each) => each.instance === instance);
  }
}
