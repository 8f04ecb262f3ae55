import { CallError } from '../aws/errors';
import type { Subnet } from '../aws/types';
import { nodeSubnets } from '../desired';
import type { ClusterFile } from '../file/types';
import type { Check } from '../plan';
import { tagMap } from '../resources/launch-template';
import type { Run } from '../run';

/** EKS wants 6 free addresses in each subnet of the control plane, and recommends 16. */
const LEAST_ADDRESSES = 6;
const GOOD_ADDRESSES = 16;
/** Addresses that a node of this deployment takes: its own, a second interface, and those that the CNI holds ready. */
const ADDRESSES_PER_NODE = 32;
const ZONES_WITHOUT_EKS: ReadonlySet<string> = new Set(['use1-az3', 'usw1-az2', 'cac1-az3']);

const about = 'subnets';

/** Subnets as the cluster, the nodes and the balancer need them, and DNS of their VPC. */
export async function subnetChecks({ file, send }: Run): Promise<Check[]> {
  const { subnets, nodeSubnets: ofNodes } = file.network;
  const ids = [...new Set([...Object.values(subnets), ...Object.values(ofNodes)])];
  let found: Subnet[];
  try {
    ({ Subnets: found = [] } = await send('ec2.DescribeSubnets', { SubnetIds: ids }));
  } catch (error) {
    if (error instanceof CallError && error.kind === 'absent') {
      return [{ level: 'error', about, message: `${error.message}; is ${file.region} the region of the subnets?` }];
    }
    throw error;
  }
  const byId = new Map(found.map((subnet) => [subnet.SubnetId!, subnet]));
  const checks = judgeSubnets(file, byId);
  const vpcs = [...new Set(found.map(({ VpcId }) => VpcId!))];
  if (vpcs.length !== 1) {
    checks.push({
      level: 'error',
      about,
      message: `the subnets are in ${vpcs.length} VPCs (${vpcs.join(', ')}); a cluster is in one`,
    });
    return checks;
  }
  const [VpcId] = vpcs as [string];
  const support = await send('ec2.DescribeVpcAttribute', { VpcId, Attribute: 'enableDnsSupport' });
  const hostnames = await send('ec2.DescribeVpcAttribute', { VpcId, Attribute: 'enableDnsHostnames' });
  const off = [
    ...(support.EnableDnsSupport?.Value ? [] : ['enableDnsSupport']),
    ...(hostnames.EnableDnsHostnames?.Value ? [] : ['enableDnsHostnames']),
  ];
  if (off.length > 0) {
    checks.push({
      level: 'error',
      about: 'DNS',
      message: `${off.join(' and ')} of ${VpcId} ${off.length === 1 ? 'is' : 'are'} off, and nodes do not find a private endpoint without; switch on: aws ec2 modify-vpc-attribute`,
    });
  }
  const isGood = checks.every(({ level }) => level !== 'error');
  return isGood ? [{ level: 'ok', about, message: `${ids.length} in ${VpcId}, DNS is on` }, ...checks] : checks;
}

/** What stands against the subnets themselves. */
export function judgeSubnets(file: ClusterFile, byId: ReadonlyMap<string, Subnet>): Check[] {
  const { subnets, nodeSubnets: ofNodes } = file.network;
  const checks: Check[] = [];
  const say = (level: Check['level'], message: string): void => void checks.push({ level, about, message });
  for (const [zone, id] of new Map([...Object.entries(ofNodes), ...Object.entries(subnets)])) {
    const subnet = byId.get(id);
    if (subnet !== undefined && subnet.AvailabilityZone !== zone) {
      say('error', `${id} is in ${subnet.AvailabilityZone}, and the file has it in ${zone}; correct the zone`);
    }
  }
  for (const id of Object.values(subnets)) {
    const { AvailableIpAddressCount: free = 0, AvailabilityZoneId: zoneId = '' } = byId.get(id) ?? {};
    if (free < LEAST_ADDRESSES) {
      say('error', `${id} has ${free} free addresses; EKS needs ${LEAST_ADDRESSES} for the control plane`);
    } else if (free < GOOD_ADDRESSES) {
      say('warning', `${id} has ${free} free addresses; EKS recommends ${GOOD_ADDRESSES}, upgrades need them`);
    }
    if (ZONES_WITHOUT_EKS.has(zoneId)) {
      say('error', `${id} is in zone ${zoneId}, where EKS has no control plane; take another zone`);
    }
  }
  const own = nodeSubnets(file);
  const each = Math.ceil(file.nodeGroup.nodes / own.length);
  for (const id of own) {
    const free = byId.get(id)?.AvailableIpAddressCount ?? 0;
    if (free < each) {
      say('error', `${id} has ${free} free addresses for ${each} nodes`);
    } else if (free < each * ADDRESSES_PER_NODE) {
      say(
        'warning',
        `${id} has ${free} free addresses; ${each} nodes with their pods take up to ${each * ADDRESSES_PER_NODE}`,
      );
    }
  }
  const tagged = (key: string): string[] =>
    Object.values(subnets).filter((id) => ['1', ''].includes(tagMap(byId.get(id)?.Tags)[key] ?? 'none'));
  const inside = tagged('kubernetes.io/role/internal-elb');
  if (inside.length < 2 && tagged('kubernetes.io/role/elb').length < 2) {
    say(
      'warning',
      `${inside.length} of the subnets have the tag kubernetes.io/role/internal-elb=1; the AWS Load Balancer Controller looks for two zones of them unless an Ingress names its subnets: aws ec2 create-tags --resources ${Object.values(subnets).join(' ')} --tags Key=kubernetes.io/role/internal-elb,Value=1`,
    );
  }
  return checks;
}
