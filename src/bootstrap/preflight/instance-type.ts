import { allPages } from '../aws/send';
import { AMI_TYPES } from '../file/schema';
import type { Check } from '../plan';
import type { Run } from '../run';

/** Whether EC2 has the instance type in the zones, and with the processor that the image is for. */
export async function instanceTypeChecks({ file, send }: Run): Promise<Check[]> {
  const { instanceType, amiType, zone, moreZones } = file.nodeGroup;
  const about = 'instance type';
  const Filters = [{ Name: 'instance-type', Values: [instanceType] }];
  const pages = await allPages(send, 'ec2.DescribeInstanceTypeOfferings', {
    LocationType: 'availability-zone',
    Filters,
  });
  const zones = pages
    .flatMap(({ InstanceTypeOfferings = [] }) => InstanceTypeOfferings)
    .map(({ Location }) => Location!);
  if (zones.length === 0) {
    return [{ level: 'error', about, message: `EC2 has no ${instanceType} in ${file.region}` }];
  }
  const lacking = [zone, ...moreZones].filter((each) => !zones.includes(each));
  if (lacking.length > 0) {
    const others = Object.keys(file.network.nodeSubnets).filter((each) => zones.includes(each));
    const remedy =
      others.length === 0 ? `zones that have it: ${zones.sort().join(', ')}` : `take zone ${others.join(' or ')}`;
    return [{ level: 'error', about, message: `EC2 has no ${instanceType} in ${lacking.join(', ')}; ${remedy}` }];
  }
  const { InstanceTypes = [] } = await send('ec2.DescribeInstanceTypes', { InstanceTypes: [instanceType] as never[] });
  const architectures = InstanceTypes[0]?.ProcessorInfo?.SupportedArchitectures ?? [];
  // EC2 says x86_64 where Kubernetes says amd64.
  const wanted = AMI_TYPES[amiType] === 'amd64' ? 'x86_64' : 'arm64';
  return architectures.length > 0 && !architectures.includes(wanted)
    ? [
        {
          level: 'error',
          about,
          message: `${instanceType} is ${architectures.join(', ')}, and ${amiType} is an image for ${wanted}`,
        },
      ]
    : [{ level: 'ok', about, message: `${instanceType} is offered in ${[zone, ...moreZones].join(', ')}` }];
}
