import {
  EC2Client,
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DescribeAvailabilityZonesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplateVersionsCommand,
  DescribeLaunchTemplatesCommand,
  DescribeNetworkInterfacesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  DescribeVpcAttributeCommand,
} from '@aws-sdk/client-ec2';
import type { ClientConfig, CommandsOf, Service } from '../service';

const commands = {
  CreateLaunchTemplate: CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersion: CreateLaunchTemplateVersionCommand,
  CreateTags: CreateTagsCommand,
  DeleteLaunchTemplate: DeleteLaunchTemplateCommand,
  DescribeAvailabilityZones: DescribeAvailabilityZonesCommand,
  DescribeInstanceTypeOfferings: DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypes: DescribeInstanceTypesCommand,
  DescribeInstances: DescribeInstancesCommand,
  DescribeLaunchTemplateVersions: DescribeLaunchTemplateVersionsCommand,
  DescribeLaunchTemplates: DescribeLaunchTemplatesCommand,
  DescribeNetworkInterfaces: DescribeNetworkInterfacesCommand,
  DescribeSecurityGroups: DescribeSecurityGroupsCommand,
  DescribeSubnets: DescribeSubnetsCommand,
  DescribeVolumes: DescribeVolumesCommand,
  DescribeVpcAttribute: DescribeVpcAttributeCommand,
} satisfies CommandsOf<'ec2'>;

export function service(config: ClientConfig): Service {
  return { client: new EC2Client(config), commands };
}
