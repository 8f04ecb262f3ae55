import { LWS_LEADER_ADDRESS, LWS_WORKER_INDEX } from '../../engine/lws';
import { hasServiceLinks, matches, readService, type Service, serviceLinks } from '../../manifest';
import type { Member, RehearsedGroup } from './group';

/** Where a rank stands: its address and the names that lead to it. */
export interface Place {
  readonly rank: number;
  readonly address: string;
  /** Name of its pod, which is its host name. */
  readonly podName: string;
}

/** Namespace of what names none. */
const DEFAULT_NAMESPACE = 'default';
/** Domain of cluster-internal names. */
const DOMAIN = 'svc.cluster.local';
/** Addresses of an isolated group; it is alone in its network. */
const NETWORK = '10.244.0';

/** Places of all ranks, the leader first. */
export function placesOf({ group, members }: RehearsedGroup, isolated: boolean): readonly Place[] {
  return members.map(({ rank }) => ({
    rank,
    address: isolated ? `${NETWORK}.${10 + rank}` : `127.0.0.${1 + rank}`,
    podName: podName(group.kind, group.name, rank),
  }));
}

/** As the controllers name the pods of a first group. */
function podName(kind: string, name: string, rank: number): string {
  switch (kind) {
    case 'LeaderWorkerSet':
      return rank === 0 ? `${name}-0` : `${name}-0-${rank}`;
    case 'StatefulSet':
      return `${name}-0`;
    case 'Pod':
      return name;
    default:
      return `${name}-rehearsal`;
  }
}

export function namespaceOf({ group }: RehearsedGroup): string {
  return group.namespace === '' ? DEFAULT_NAMESPACE : group.namespace;
}

/** What LWS tells each container about the leader: the name below the headless Service that it makes for the set. */
export function leaderName(rehearsed: RehearsedGroup): string {
  const { name } = rehearsed.group;
  return `${name}-0.${name}.${namespaceOf(rehearsed)}`;
}

/** The hosts file of a rank: its own names, those of the other ranks, and of the Services that lead to the leader. */
export function hostsOf(rehearsed: RehearsedGroup, places: readonly Place[], own: Place): string {
  const { group } = rehearsed;
  const namespace = namespaceOf(rehearsed);
  const withDomain = (name: string): string[] => [
    `${name}.${namespace}.${DOMAIN}`,
    `${name}.${namespace}.svc`,
    `${name}.${namespace}`,
    name,
  ];
  const lines = places.map((place) => {
    const below = `${place.podName}.${group.name}`;
    const names = group.kind === 'Pod' || group.kind === 'Deployment' ? [] : withDomain(below);
    return [place.address, ...names, ...(place === own ? [place.podName] : [])].join(' ');
  });
  const services = servicesOf(rehearsed)
    .filter(({ selector }) => matches(selector, group.leader.labels))
    .map(({ name }) => [places[0]!.address, ...withDomain(name)].join(' '));
  return ['127.0.0.1 localhost', '::1 localhost', ...lines, ...services, '']
    .filter((line) => line.includes(' ') || line === '')
    .join('\n');
}

function servicesOf(rehearsed: RehearsedGroup): Service[] {
  return rehearsed.objects
    .filter(({ kind }) => kind === 'Service')
    .map(readService)
    .filter(({ namespace }) => namespace === rehearsed.group.namespace);
}

/** What the kubelet tells each container about the Services of its namespace, where a pod does not turn that off. */
export function serviceVariables(rehearsed: RehearsedGroup, { pod }: Member): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  if (!pod.enableServiceLinks) {
    return variables;
  }
  servicesOf(rehearsed)
    .filter(hasServiceLinks)
    .forEach((service, at) => {
      const address = `10.96.0.${10 + at}`;
      for (const name of serviceLinks(service)) {
        variables.set(name, linkValue(name, service, address));
      }
    });
  return variables;
}

function linkValue(name: string, { name: of, ports }: Service, address: string): string {
  const rest = name.slice(of.length);
  const port = ports.find(({ port: number, protocol }) => rest.includes(`_PORT_${number}_${protocol}`)) ?? ports[0];
  const protocol = (port?.protocol ?? 'TCP').toLowerCase();
  if (rest.endsWith('_HOST') || rest.endsWith('_ADDR')) {
    return address;
  }
  if (rest.endsWith('_PROTO')) {
    return protocol;
  }
  const named = ports.find(
    ({ name: own }) => own !== undefined && rest === `_SERVICE_PORT_${own.toUpperCase().replaceAll('-', '_')}`,
  );
  return rest.startsWith('_SERVICE_PORT') || /_PORT$/.test(rest.slice(5))
    ? String((named ?? port)?.port ?? '')
    : `${protocol}://${address}:${port?.port ?? ''}`;
}

/** What fills the holes that only the cluster fills, by their source. */
export function clusterValues(
  rehearsed: RehearsedGroup,
  place: Place,
  isolated: boolean,
): (source: string) => string | undefined {
  const values: Readonly<Record<string, string>> = {
    [LWS_LEADER_ADDRESS]: isolated ? leaderName(rehearsed) : '127.0.0.1',
    [LWS_WORKER_INDEX]: String(place.rank),
    'field status.podIP': place.address,
    'field status.podIPs': place.address,
    'field status.hostIP': place.address,
    'field metadata.name': place.podName,
    'field metadata.namespace': namespaceOf(rehearsed),
    'field metadata.uid': '00000000-0000-4000-8000-000000000000',
    'field spec.nodeName': `node-${place.rank}`,
    'field spec.serviceAccountName': 'default',
  };
  return (source) => (Object.hasOwn(values, source) ? values[source] : undefined);
}
