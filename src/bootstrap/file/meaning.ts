import { didYouMean } from '../../common/nearest';
import { instanceTypes, nodeOf } from '../../hardware/nodes';
import { AMI_TYPES } from './schema';
import type { AmiType, ClusterFile } from './types';
import type { Report } from './validate';

type Architecture = (typeof AMI_TYPES)[AmiType];

/** The architecture of an instance type; `undefined` for one that is newer than the table of the planner. */
export function architectureOf(instanceType: string): Architecture | undefined {
  return instanceTypes().includes(instanceType) ? nodeOf(instanceType).architecture : undefined;
}

/** The AL2023 image for an instance type. */
export function amiTypeFor(instanceType: string): AmiType | undefined {
  const architecture = architectureOf(instanceType);
  if (architecture === undefined) {
    return undefined;
  }
  const isGpu = nodeOf(instanceType).accelerator !== undefined;
  const names = Object.keys(AMI_TYPES) as AmiType[];
  return names.find((name) => AMI_TYPES[name] === architecture && name.endsWith('_NVIDIA') === isGpu);
}

/** What contradicts itself in a file whose single values are right. `file` is the file as written, with defaults. */
export function checkMeaning(file: ClusterFile, report: Report): void {
  checkZones(file, report);
  checkImage(file, report);
  checkDisk(file, report);
  checkEndpoint(file, report);
  checkTwice(file, report);
}

function checkZones({ region, network, nodeGroup }: ClusterFile, report: Report): void {
  for (const key of ['subnets', 'nodeSubnets'] as const) {
    const subnets = Object.entries(network[key] ?? {});
    for (const [i, [zone, id]] of subnets.entries()) {
      if (zone.slice(0, -1) !== region) {
        report(
          ['network', key, zone],
          `zone '${zone}' is not in region '${region}'; it takes zones such as '${region}a'`,
          true,
        );
      }
      const before = subnets.slice(0, i).find(([, other]) => other === id);
      if (before !== undefined) {
        report(
          ['network', key, zone],
          `network.${key}.${zone} is '${id}', which stands for ${before[0]} as well; a subnet is in one zone`,
        );
      }
    }
  }
  const where = Object.keys(network.nodeSubnets ?? network.subnets);
  const key = network.nodeSubnets === undefined ? 'network.subnets' : 'network.nodeSubnets';
  const zones: [string, (string | number)[]][] = [
    [nodeGroup.zone, ['nodeGroup', 'zone']],
    ...nodeGroup.moreZones.map((zone, i): [string, (string | number)[]] => [zone, ['nodeGroup', 'moreZones', i]]),
  ];
  for (const [zone, path] of zones) {
    if (!where.includes(zone)) {
      report(path, `zone '${zone}' has no subnet; ${key} has ${where.join(', ')}`);
    }
  }
  nodeGroup.moreZones.forEach((zone, i) => {
    if (zone === nodeGroup.zone) {
      report(['nodeGroup', 'moreZones', i], `zone '${zone}' is nodeGroup.zone already; leave it out here`);
    }
  });
}

function checkImage({ nodeGroup: { instanceType, amiType } }: ClusterFile, report: Report): void {
  const architecture = architectureOf(instanceType);
  if (architecture === undefined) {
    // A family may be newer than the table; a size that its family does not have is a slip.
    const family = instanceType.slice(0, instanceType.indexOf('.') + 1);
    const known = instanceTypes().filter((name) => name.startsWith(family));
    if (known.length > 0) {
      report(
        ['nodeGroup', 'instanceType'],
        `nodeGroup.instanceType is '${instanceType}'; ${family}* has ${known.map((name) => name.slice(family.length)).join(', ')}${didYouMean(instanceType, known)}`,
      );
    } else if (amiType === undefined) {
      report(
        ['nodeGroup', 'instanceType'],
        `the processor of '${instanceType}' is not known here; give nodeGroup.amiType as well${didYouMean(instanceType, instanceTypes())}`,
      );
    }
  } else if (amiType !== undefined && AMI_TYPES[amiType] !== architecture) {
    const fits = Object.keys(AMI_TYPES).filter((name) => AMI_TYPES[name as AmiType] === architecture);
    report(
      ['nodeGroup', 'amiType'],
      `nodeGroup.amiType is '${amiType}', an image for ${AMI_TYPES[amiType]}, and ${instanceType} is ${architecture}; it takes ${fits.join(', ')}, or leave it out`,
    );
  }
}

function checkDisk({ nodeGroup: { diskSize, launchTemplate } }: ClusterFile, report: Report): void {
  if (launchTemplate !== undefined && diskSize !== undefined) {
    report(
      ['nodeGroup', 'diskSize'],
      `nodeGroup.diskSize is ${diskSize} beside a launch template of your own, which EKS refuses; set the size in ${launchTemplate.id}, or leave launchTemplate out`,
    );
  }
}

function checkEndpoint({ network: { endpoint } }: ClusterFile, report: Report): void {
  if (!endpoint.private && !endpoint.public) {
    report(
      ['network', 'endpoint'],
      'network.endpoint is neither private nor public; nobody would reach the cluster: set one of them to true',
    );
  }
  if (!endpoint.public && endpoint.publicCidrs !== undefined) {
    report(
      ['network', 'endpoint', 'publicCidrs'],
      'network.endpoint.publicCidrs is given, and the endpoint is not public; leave it out, or set public to true',
    );
  }
  for (const [i, cidr] of (endpoint.publicCidrs ?? []).entries()) {
    const [address = '', bits = ''] = cidr.split('/');
    if (address.split('.').some((part) => Number(part) > 255) || Number(bits) > 32) {
      report(
        ['network', 'endpoint', 'publicCidrs', i],
        `network.endpoint.publicCidrs[${i}] is '${cidr}'; each of the four numbers is at most 255, and the one behind the slash at most 32`,
      );
    }
  }
}

function checkTwice({ addOns, podIdentities, accessEntries }: ClusterFile, report: Report): void {
  const lists: [string, string, readonly string[]][] = [
    ['addOns', 'add-on', addOns.map(({ name }) => name)],
    [
      'podIdentities',
      'service account',
      podIdentities.map(({ namespace, serviceAccount }) => `${namespace}/${serviceAccount}`),
    ],
    ['accessEntries', 'principal', accessEntries.map(({ principalArn }) => principalArn)],
  ];
  for (const [key, what, names] of lists) {
    names.forEach((name, i) => {
      if (names.indexOf(name) !== i) {
        report([key, i], `${what} '${name}' is there twice, first as ${key}[${names.indexOf(name)}]; keep one of them`);
      }
    });
  }
}
