/**
 * The calls that are made and the part of their shapes that is used, in the words of the API. connect.ts proves to the
 * compiler that the SDK takes and gives them; nothing else knows the SDK, so that who uses this module needs no types of it.
 */
export type Tags = Record<string, string>;

export interface HealthIssue {
  code?: string;
  message?: string;
  resourceIds?: string[];
}

export interface Cluster {
  name?: string;
  arn?: string;
  status?: string;
  version?: string;
  roleArn?: string;
  endpoint?: string;
  certificateAuthority?: { data?: string };
  createdAt?: Date;
  resourcesVpcConfig?: {
    subnetIds?: string[];
    securityGroupIds?: string[];
    clusterSecurityGroupId?: string;
    vpcId?: string;
    endpointPublicAccess?: boolean;
    endpointPrivateAccess?: boolean;
    publicAccessCidrs?: string[];
  };
  accessConfig?: { authenticationMode?: string; bootstrapClusterCreatorAdminPermissions?: boolean };
  logging?: { clusterLogging?: { types?: LogType[]; enabled?: boolean }[] };
  deletionProtection?: boolean;
  tags?: Tags;
  health?: { issues?: HealthIssue[] };
}

export type LogType = 'api' | 'audit' | 'authenticator' | 'controllerManager' | 'scheduler';

export interface CreateCluster {
  name: string;
  version: string;
  roleArn: string;
  resourcesVpcConfig: {
    subnetIds: string[];
    securityGroupIds?: string[];
    endpointPublicAccess: boolean;
    endpointPrivateAccess: boolean;
    publicAccessCidrs?: string[];
  };
  accessConfig: { authenticationMode: 'API' | 'API_AND_CONFIG_MAP'; bootstrapClusterCreatorAdminPermissions: boolean };
  logging?: { clusterLogging: { types: LogType[]; enabled: boolean }[] };
  deletionProtection?: boolean;
  tags: Tags;
  clientRequestToken?: string;
}

export interface UpdateClusterConfig {
  name: string;
  resourcesVpcConfig?: {
    endpointPublicAccess?: boolean;
    endpointPrivateAccess?: boolean;
    publicAccessCidrs?: string[];
  };
  logging?: { clusterLogging: { types: LogType[]; enabled: boolean }[] };
  accessConfig?: { authenticationMode: 'API' | 'API_AND_CONFIG_MAP' };
  deletionProtection?: boolean;
  clientRequestToken?: string;
}

export interface Update {
  id?: string;
  status?: string;
  type?: string;
  errors?: { errorCode?: string; errorMessage?: string; resourceIds?: string[] }[];
}

export interface NodeGroup {
  nodegroupName?: string;
  nodegroupArn?: string;
  status?: string;
  version?: string;
  capacityType?: string;
  scalingConfig?: { minSize?: number; maxSize?: number; desiredSize?: number };
  instanceTypes?: string[];
  subnets?: string[];
  amiType?: string;
  nodeRole?: string;
  labels?: Record<string, string>;
  diskSize?: number;
  launchTemplate?: { id?: string; name?: string; version?: string };
  resources?: { autoScalingGroups?: { name?: string }[] };
  health?: { issues?: HealthIssue[] };
  tags?: Tags;
}

export interface CreateNodeGroup {
  clusterName: string;
  nodegroupName: string;
  nodeRole: string;
  subnets: string[];
  instanceTypes: string[];
  amiType: 'AL2023_ARM_64_STANDARD' | 'AL2023_x86_64_STANDARD' | 'AL2023_ARM_64_NVIDIA' | 'AL2023_x86_64_NVIDIA';
  capacityType: 'ON_DEMAND' | 'SPOT';
  scalingConfig: { minSize: number; maxSize: number; desiredSize: number };
  launchTemplate: { id: string; version: string };
  labels?: Record<string, string>;
  tags: Tags;
  clientRequestToken?: string;
}

export interface AddOn {
  addonName?: string;
  addonArn?: string;
  addonVersion?: string;
  status?: string;
  configurationValues?: string;
  health?: { issues?: HealthIssue[] };
  tags?: Tags;
}

export interface AddOnVersion {
  addonVersion?: string;
  architecture?: string[];
  compatibilities?: { clusterVersion?: string; defaultVersion?: boolean }[];
  requiresConfiguration?: boolean;
}

export interface CreateAddOn {
  clusterName: string;
  addonName: string;
  addonVersion: string;
  resolveConflicts: 'OVERWRITE' | 'NONE' | 'PRESERVE';
  configurationValues?: string;
  tags: Tags;
  clientRequestToken?: string;
}

export interface Association {
  associationId?: string;
  associationArn?: string;
  namespace?: string;
  serviceAccount?: string;
  roleArn?: string;
  tags?: Tags;
}

export interface AccessEntry {
  principalArn?: string;
  accessEntryArn?: string;
  kubernetesGroups?: string[];
  type?: string;
  tags?: Tags;
}

export interface AccessScope {
  type?: 'cluster' | 'namespace';
  namespaces?: string[];
}

export interface Filter {
  Name: string;
  Values: string[];
}

export interface Tag {
  Key?: string;
  Value?: string;
}

export interface Subnet {
  SubnetId?: string;
  VpcId?: string;
  AvailabilityZone?: string;
  AvailabilityZoneId?: string;
  AvailableIpAddressCount?: number;
  State?: string;
  Tags?: Tag[];
}

export interface TemplateData {
  BlockDeviceMappings: {
    DeviceName: string;
    Ebs: { VolumeSize: number; VolumeType: 'gp3'; Encrypted: boolean; DeleteOnTermination: boolean };
  }[];
  MetadataOptions: { HttpTokens: 'required'; HttpPutResponseHopLimit: number };
  TagSpecifications: { ResourceType: 'instance' | 'volume'; Tags: { Key: string; Value: string }[] }[];
}

export interface TemplateVersion {
  LaunchTemplateId?: string;
  VersionNumber?: number;
  LaunchTemplateData?: {
    BlockDeviceMappings?: {
      DeviceName?: string;
      Ebs?: { VolumeSize?: number; VolumeType?: string; Encrypted?: boolean; DeleteOnTermination?: boolean };
    }[];
    MetadataOptions?: { HttpTokens?: string; HttpPutResponseHopLimit?: number };
    TagSpecifications?: { ResourceType?: string; Tags?: Tag[] }[];
  };
}

export interface Template {
  LaunchTemplateId?: string;
  LaunchTemplateName?: string;
  LatestVersionNumber?: number;
  Tags?: Tag[];
}

export interface Instance {
  InstanceId?: string;
  State?: { Name?: string };
  Placement?: { AvailabilityZone?: string };
  RootDeviceName?: string;
  BlockDeviceMappings?: { DeviceName?: string; Ebs?: { VolumeId?: string } }[];
  NetworkInterfaces?: { NetworkInterfaceId?: string }[];
  Tags?: Tag[];
}

export interface Role {
  RoleName?: string;
  Arn?: string;
  /** Percent-encoded JSON. */
  AssumeRolePolicyDocument?: string;
}

type OfCluster = { clusterName: string };
type OfNodeGroup = { clusterName: string; nodegroupName: string };
type OfAddOn = { clusterName: string; addonName: string };
type OfAssociation = { clusterName: string; associationId: string };
type OfEntry = { clusterName: string; principalArn: string };
type EksPage = { nextToken?: string };
type Ec2Page = { NextToken?: string };

/** Each call: what it takes, and what it gives. */
export interface Calls {
  'sts.GetCallerIdentity': [Record<string, never>, { Account?: string; Arn?: string }];

  'iam.GetRole': [{ RoleName: string }, { Role?: Role }];
  'iam.ListAttachedRolePolicies': [
    { RoleName: string; Marker?: string },
    { AttachedPolicies?: { PolicyName?: string; PolicyArn?: string }[]; IsTruncated?: boolean; Marker?: string },
  ];

  'ec2.DescribeAvailabilityZones': [
    { ZoneNames?: string[] },
    { AvailabilityZones?: { ZoneName?: string; ZoneId?: string; State?: string }[] },
  ];
  'ec2.DescribeSubnets': [{ SubnetIds: string[] }, { Subnets?: Subnet[]; NextToken?: string }];
  'ec2.DescribeVpcAttribute': [
    { VpcId: string; Attribute: 'enableDnsSupport' | 'enableDnsHostnames' },
    { EnableDnsSupport?: { Value?: boolean }; EnableDnsHostnames?: { Value?: boolean } },
  ];
  'ec2.DescribeInstanceTypes': [
    { InstanceTypes: never[] },
    { InstanceTypes?: { InstanceType?: string; ProcessorInfo?: { SupportedArchitectures?: string[] } }[] },
  ];
  'ec2.DescribeInstanceTypeOfferings': [
    { LocationType: 'availability-zone'; Filters: Filter[] } & Ec2Page,
    { InstanceTypeOfferings?: { InstanceType?: string; Location?: string }[]; NextToken?: string },
  ];
  'ec2.DescribeLaunchTemplates': [
    { Filters?: Filter[]; LaunchTemplateIds?: string[] } & Ec2Page,
    { LaunchTemplates?: Template[]; NextToken?: string },
  ];
  'ec2.DescribeLaunchTemplateVersions': [
    { LaunchTemplateId: string; Versions: string[] },
    { LaunchTemplateVersions?: TemplateVersion[] },
  ];
  'ec2.CreateLaunchTemplate': [
    {
      LaunchTemplateName: string;
      LaunchTemplateData: TemplateData;
      TagSpecifications: { ResourceType: 'launch-template'; Tags: { Key: string; Value: string }[] }[];
      ClientToken?: string;
    },
    { LaunchTemplate?: Template },
  ];
  'ec2.CreateLaunchTemplateVersion': [
    { LaunchTemplateId: string; LaunchTemplateData: TemplateData; ClientToken?: string },
    { LaunchTemplateVersion?: TemplateVersion },
  ];
  'ec2.DeleteLaunchTemplate': [{ LaunchTemplateId: string }, { LaunchTemplate?: Template }];
  'ec2.DescribeInstances': [
    { Filters: Filter[] } & Ec2Page,
    { Reservations?: { Instances?: Instance[] }[]; NextToken?: string },
  ];
  'ec2.DescribeVolumes': [
    { Filters: Filter[] } & Ec2Page,
    { Volumes?: { VolumeId?: string; Tags?: Tag[] }[]; NextToken?: string },
  ];
  'ec2.DescribeNetworkInterfaces': [
    { Filters: Filter[] } & Ec2Page,
    {
      NetworkInterfaces?: {
        NetworkInterfaceId?: string;
        Description?: string;
        Status?: string;
        TagSet?: Tag[];
        Attachment?: { InstanceId?: string };
      }[];
      NextToken?: string;
    },
  ];
  'ec2.DescribeSecurityGroups': [
    { Filters: Filter[] } & Ec2Page,
    { SecurityGroups?: { GroupId?: string; GroupName?: string; Tags?: Tag[] }[]; NextToken?: string },
  ];
  'ec2.CreateTags': [{ Resources: string[]; Tags: { Key: string; Value: string }[] }, object];

  'eks.DescribeClusterVersions': [
    { clusterVersions?: string[]; includeAll?: boolean } & EksPage,
    {
      clusterVersions?: { clusterVersion?: string; versionStatus?: string; endOfStandardSupportDate?: Date }[];
      nextToken?: string;
    },
  ];
  'eks.DescribeCluster': [{ name: string }, { cluster?: Cluster }];
  'eks.CreateCluster': [CreateCluster, { cluster?: Cluster }];
  'eks.UpdateClusterConfig': [UpdateClusterConfig, { update?: Update }];
  'eks.DeleteCluster': [{ name: string }, { cluster?: Cluster }];
  'eks.DescribeUpdate': [
    { name: string; updateId: string; nodegroupName?: string; addonName?: string },
    { update?: Update },
  ];
  'eks.ListNodegroups': [OfCluster & EksPage, { nodegroups?: string[]; nextToken?: string }];
  'eks.DescribeNodegroup': [OfNodeGroup, { nodegroup?: NodeGroup }];
  'eks.CreateNodegroup': [CreateNodeGroup, { nodegroup?: NodeGroup }];
  'eks.UpdateNodegroupConfig': [
    OfNodeGroup & {
      labels?: { addOrUpdateLabels?: Record<string, string>; removeLabels?: string[] };
      scalingConfig?: { minSize: number; maxSize: number; desiredSize: number };
      clientRequestToken?: string;
    },
    { update?: Update },
  ];
  'eks.UpdateNodegroupVersion': [
    OfNodeGroup & { launchTemplate: { id: string; version: string }; clientRequestToken?: string },
    { update?: Update },
  ];
  'eks.DeleteNodegroup': [OfNodeGroup, { nodegroup?: NodeGroup }];
  'eks.ListFargateProfiles': [OfCluster & EksPage, { fargateProfileNames?: string[]; nextToken?: string }];
  'eks.DescribeAddonVersions': [
    { addonName: string; kubernetesVersion: string } & EksPage,
    { addons?: { addonName?: string; addonVersions?: AddOnVersion[] }[]; nextToken?: string },
  ];
  'eks.DescribeAddon': [OfAddOn, { addon?: AddOn }];
  'eks.CreateAddon': [CreateAddOn, { addon?: AddOn }];
  'eks.UpdateAddon': [
    OfAddOn & {
      addonVersion: string;
      resolveConflicts: 'OVERWRITE' | 'NONE' | 'PRESERVE';
      configurationValues?: string;
      clientRequestToken?: string;
    },
    { update?: Update },
  ];
  'eks.DeleteAddon': [OfAddOn & { preserve: boolean }, { addon?: AddOn }];
  'eks.ListPodIdentityAssociations': [
    OfCluster & { namespace?: string; serviceAccount?: string } & EksPage,
    { associations?: { associationId?: string; namespace?: string; serviceAccount?: string }[]; nextToken?: string },
  ];
  'eks.DescribePodIdentityAssociation': [OfAssociation, { association?: Association }];
  'eks.CreatePodIdentityAssociation': [
    OfCluster & { namespace: string; serviceAccount: string; roleArn: string; tags: Tags; clientRequestToken?: string },
    { association?: Association },
  ];
  'eks.UpdatePodIdentityAssociation': [
    OfAssociation & { roleArn: string; clientRequestToken?: string },
    { association?: Association },
  ];
  'eks.DeletePodIdentityAssociation': [OfAssociation, { association?: Association }];
  'eks.DescribeAccessEntry': [OfEntry, { accessEntry?: AccessEntry }];
  'eks.CreateAccessEntry': [
    OfEntry & { type: 'STANDARD'; kubernetesGroups?: string[]; tags: Tags; clientRequestToken?: string },
    { accessEntry?: AccessEntry },
  ];
  'eks.UpdateAccessEntry': [
    OfEntry & { kubernetesGroups: string[]; clientRequestToken?: string },
    { accessEntry?: AccessEntry },
  ];
  'eks.DeleteAccessEntry': [OfEntry, object];
  'eks.ListAssociatedAccessPolicies': [
    OfEntry & EksPage,
    { associatedAccessPolicies?: { policyArn?: string; accessScope?: AccessScope }[]; nextToken?: string },
  ];
  'eks.AssociateAccessPolicy': [OfEntry & { policyArn: string; accessScope: AccessScope }, object];
  'eks.TagResource': [{ resourceArn: string; tags: Tags }, object];
}

export type CallName = keyof Calls;
/** Makes a call of AWS. */
export type Send = <C extends CallName>(call: C, input: Calls[C][0]) => Promise<Calls[C][1]>;

/** Whether a call changes something. */
export function changes(call: CallName): boolean {
  return !/\.(Describe|List|Get)/.test(call);
}
