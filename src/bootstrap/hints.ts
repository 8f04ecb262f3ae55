import { redact } from './aws/redact';
import type { HealthIssue } from './aws/types';

/** What to do about the issues that EKS reports, by its codes. */
const HINTS: Readonly<Record<string, string>> = {
  AsgInstanceLaunchFailures:
    'EC2 could not start the instances: the zone has none of this type left, or the quota for running vCPUs is used up; try another zone or type, or ask for a higher quota',
  InstanceLimitExceeded: 'the quota for running vCPUs is used up; ask for a higher one in Service Quotas',
  InsufficientFreeAddresses: 'the subnet has no free addresses; take a larger one',
  NodeCreationFailure:
    'the nodes started and did not join: look at the route to the cluster (NAT or VPC endpoints for ec2, ecr.api, ecr.dkr, s3, sts, eks), DNS of the VPC, security groups, and the policies of the node role',
  Ec2LaunchTemplateInvalidConfiguration: 'the launch template holds what EKS does not take',
  Ec2LaunchTemplateVersionMismatch: 'somebody changed the copy of the launch template that EKS keeps',
  Ec2LaunchTemplateNotFound: 'the launch template was deleted; apply --replace makes another one',
  Ec2SubnetNotFound: 'the subnet was deleted',
  Ec2SubnetInvalidConfiguration:
    'a public subnet has to give its instances public addresses, or the nodes stand in a private one',
  IamNodeRoleNotFound:
    'the node role was deleted, or made again under the same name; EKS keeps the id of the first one',
  IamRoleNotFound: 'the role of the cluster was deleted',
  IamInstanceProfileNotFound: 'the instance profile of the node role was deleted',
  AccessDenied: 'nodes or EKS are not let in: the access entry of the node role is missing, or a role lacks a policy',
  ClusterUnreachable:
    'the nodes or EKS do not reach the API of the cluster: look at endpoint access, security groups and DNS',
  PodEvictionFailure:
    'a disruption budget keeps pods from being evicted; delete the pods of the group yourself, then run this again',
  InsufficientNumberOfReplicas: 'its pods do not run: without ready nodes there is no room for them',
  ConfigurationConflict: 'somebody changed its objects; apply overwrites them',
  UnsupportedVersion: 'the Kubernetes version is out of support',
  ResourceLimitExceeded: 'a quota of the account is used up',
};

/** Issues that do not pass by waiting. */
const HOPELESS: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AmiIdNotFound',
  'AddonSubscriptionNeeded',
  'Ec2InstanceTypeDoesNotExist',
  'Ec2LaunchTemplateInvalidConfiguration',
  'Ec2LaunchTemplateNotFound',
  'Ec2SecurityGroupNotFound',
  'Ec2SubnetInvalidConfiguration',
  'Ec2SubnetNotFound',
  'IamInstanceProfileNotFound',
  'IamNodeRoleNotFound',
  'IamRoleNotFound',
  'InstanceLimitExceeded',
  'KubernetesLabelInvalid',
  'ResourceLimitExceeded',
  'VpcNotFound',
]);

export function isHopeless({ code }: HealthIssue): boolean {
  return code !== undefined && HOPELESS.has(code);
}

/** An issue in a line: its code, EKS' words, and what to do. */
export function issueText({ code = 'Unknown', message = '', resourceIds = [] }: HealthIssue): string {
  const about = resourceIds.length === 0 ? '' : ` (${resourceIds.slice(0, 3).join(', ')})`;
  const hint = HINTS[code];
  return redact(`${code}: ${message.replace(/\s+/g, ' ').trim()}${about}${hint === undefined ? '' : `; ${hint}`}`);
}
