import { actionsOf, type Backends } from './backend';
import { fallbackOf } from './annotations';
import type { Member } from './classes';
import { decode, go } from './go-decode';
import { parseGoJson } from './go-json';
import { BuildError, goList, isCidr, parseGoInt, within } from './grammar';
import { distinct, groupTags, pairsOf } from './load-balancer';
import { mutualAuthentication } from './mutual-authentication';
import { fieldOf, listOf, textOf, textsOf } from './object';
import { buildRules } from './rules';
import type { Action, Inbound, Listener, LoadBalancer, Protocol } from './types';

const ANYONE_V4 = '0.0.0.0/0';
const ANYONE_V6 = '::/0';
const LISTEN_PORTS = go.list(go.map(go.int32));

/** What one Ingress wants of one port. */
interface PortConfig {
  readonly member: Member;
  readonly protocol: Protocol;
  readonly cidrs: readonly string[];
  readonly prefixLists: readonly string[];
  readonly certificates: readonly string[];
  readonly discoveryHosts: readonly string[];
  readonly sslPolicy?: string;
  readonly mutualAuthentication?: string;
}

/** What all Ingresses of a port want together. */
export type ListenPort = Omit<PortConfig, 'member'> & { readonly port: number; readonly members: readonly Member[] };

/** The ports of a balancer, which Ingresses that share one have to agree on. */
export function listenPorts(members: readonly Member[]): ListenPort[] {
  const byPort = new Map<number, PortConfig[]>();
  for (const member of members) {
    for (const [port, config] of within(`ingress: ${member.key}`, () => portConfigs(member))) {
      const configs = byPort.get(port);
      if (configs) {
        configs.push(config);
      } else {
        byPort.set(port, [config]);
      }
    }
  }
  return [...byPort]
    .sort(([a], [b]) => a - b)
    .map(([port, configs]) => ({
      port,
      members: configs.map(({ member }) => member),
      ...within(`failed to merge listenPort config for port: ${port}`, () => merge(configs)),
    }));
}

function portConfigs(member: Member): [number, PortConfig][] {
  const { annotations, params } = member;
  const ofClass = textsOf(fieldOf(params, 'certificateArn'));
  const certificates = ofClass.length > 0 ? ofClass : (annotations.list('certificate-arn') ?? []);
  const sslPolicy = textOf(fieldOf(params, 'sslPolicy')) ?? annotations.text('ssl-policy');
  const prefixLists = ['prefixListsIDs', 'PrefixListsIDs'].flatMap((field) => textsOf(fieldOf(params, field)));
  const cidrs = inboundCidrs(member);
  const mutual = mutualAuthentication(member);
  return parseListenPorts(member, certificates.length > 0).map(([port, protocol]) => {
    const isTls = protocol === 'HTTPS';
    const mode = mutual.get(port);
    return [
      port,
      {
        member,
        protocol,
        cidrs,
        prefixLists: prefixLists.length > 0 ? prefixLists : (annotations.list('security-group-prefix-lists') ?? []),
        certificates: isTls ? certificates : [],
        discoveryHosts: isTls && certificates.length === 0 ? hostsOf(member) : [],
        ...(isTls && sslPolicy !== undefined && { sslPolicy }),
        ...(isTls && mode !== undefined && { mutualAuthentication: mode }),
      },
    ];
  });
}

function parseListenPorts({ annotations }: Member, prefersTls: boolean): [number, Protocol][] {
  const text = annotations.text('listen-ports');
  if (text === undefined) {
    return prefersTls ? [[443, 'HTTPS']] : [[80, 'HTTP']];
  }
  const entries = (within(`failed to parse listen-ports configuration: \`${text}\``, () =>
    decode(parseGoJson(text), LISTEN_PORTS),
  ) ?? []) as Record<string, number>[];
  if (entries.length === 0) {
    throw new BuildError(`empty listen-ports configuration: \`${text}\``);
  }
  const ports = new Map<number, Protocol>();
  for (const [protocol, port] of entries.flatMap((entry) => Object.entries(entry))) {
    if (port < 1 || port > 65_535) {
      throw new BuildError(`listen port must be within [1, 65535]: ${port}`);
    }
    if (protocol !== 'HTTP' && protocol !== 'HTTPS') {
      throw new BuildError(`listen protocol must be within [HTTP, HTTPS]: ${protocol}`);
    }
    ports.set(port, protocol);
  }
  return [...ports];
}

function inboundCidrs({ annotations, params, key }: Member): string[] {
  const ofClass = textsOf(fieldOf(params, 'inboundCIDRs'));
  const cidrs = ofClass.length > 0 ? ofClass : (annotations.list('inbound-cidrs') ?? []);
  const wrong = cidrs.find((cidr) => !isCidr(cidr));
  if (wrong !== undefined) {
    const where =
      ofClass.length > 0
        ? `invalid CIDR in IngressClassParams InboundCIDR ${wrong}`
        : `invalid inbound-cidrs settings on Ingress: ${key}`;
    throw new BuildError(`${where}: invalid CIDR address: ${wrong}`);
  }
  return cidrs;
}

/** The hosts that certificates are looked up for. */
function hostsOf({ object }: Member): string[] {
  const ofRules = listOf(fieldOf(object.spec, 'rules')).map((rule) => textOf(fieldOf(rule, 'host')) ?? '');
  const ofTls = listOf(fieldOf(object.spec, 'tls')).flatMap((entry) => textsOf(fieldOf(entry, 'hosts')));
  return distinct([...ofRules, ...ofTls]).sort();
}

function merge(configs: readonly PortConfig[]): Omit<ListenPort, 'port' | 'members'> {
  const protocol = agreed(configs, 'protocol', ({ protocol }) => protocol)!;
  agreed(configs, 'inbound-cidrs', ({ cidrs }) =>
    cidrs.length === 0 ? undefined : `${goList(ofFamily(cidrs, 4))}, ${goList(ofFamily(cidrs, 6))}`,
  );
  agreed(configs, 'inbound-prefix-lists', ({ prefixLists }) =>
    prefixLists.length === 0 ? undefined : goList(distinct(prefixLists).sort()),
  );
  const sslPolicy = agreed(configs, 'sslPolicy', (config) => config.sslPolicy);
  const mutual = agreed(configs, 'mTLS Attributes', (config) => config.mutualAuthentication);
  const cidrs = configs.find((config) => config.cidrs.length > 0)?.cidrs ?? [];
  const prefixLists = configs.find((config) => config.prefixLists.length > 0)?.prefixLists ?? [];
  return {
    protocol,
    // Nobody said who may come, so everyone may.
    cidrs: cidrs.length === 0 && prefixLists.length === 0 ? [ANYONE_V4, ANYONE_V6] : cidrs,
    prefixLists: distinct(prefixLists).sort(),
    certificates: distinct(configs.flatMap(({ certificates }) => certificates)),
    discoveryHosts: distinct(configs.flatMap(({ discoveryHosts }) => discoveryHosts)),
    ...(protocol === 'HTTPS' && { sslPolicy: sslPolicy ?? fallbackOf('ssl-policy') }),
    ...(mutual !== undefined && { mutualAuthentication: mutual }),
  };
}

/** The value that all Ingresses with one have in common. */
function agreed<T extends string>(
  configs: readonly PortConfig[],
  what: string,
  valueOf: (config: PortConfig) => T | undefined,
): T | undefined {
  const given = configs.filter((config) => valueOf(config) !== undefined);
  const [first] = given;
  const other = given.find((config) => valueOf(config) !== valueOf(first!));
  if (other !== undefined) {
    throw new BuildError(
      `conflicting ${what}, ${first!.member.key}: ${valueOf(first!)} | ${other.member.key}: ${valueOf(other)}`,
    );
  }
  return first && valueOf(first);
}

function ofFamily(cidrs: readonly string[], family: 4 | 6): string[] {
  return distinct(cidrs.filter((cidr) => cidr.includes(':') === (family === 6))).sort();
}

/** The HTTPS port that all HTTP listeners send their clients to. */
export function redirectPort(members: readonly Member[], ports: readonly ListenPort[]): number | undefined {
  const wanted = new Set<number>();
  for (const { annotations, params, key } of members) {
    const ofClass = textOf(fieldOf(params, 'sslRedirectPort'));
    if (ofClass !== undefined) {
      try {
        wanted.add(parseGoInt(ofClass, 32));
      } catch {
        // A port of the class that is no number turns the redirect off, without a word.
        return undefined;
      }
    } else {
      const own = within(`ingress: ${key}`, () => annotations.int('ssl-redirect'));
      if (own !== undefined) {
        wanted.add(own);
      }
    }
  }
  if (wanted.size > 1) {
    throw new BuildError(`conflicting sslRedirect port: ${goList([...wanted].sort((a, b) => a - b))}`);
  }
  const [port] = wanted;
  if (port === undefined) {
    return undefined;
  }
  const listener = ports.find((candidate) => candidate.port === port);
  if (listener === undefined) {
    throw new BuildError(`listener does not exist for SSLRedirect port: ${port}`);
  }
  if (listener.protocol !== 'HTTPS') {
    throw new BuildError(`listener protocol non-SSL for SSLRedirect port: ${port}`);
  }
  return port;
}

/** A listener with its rules. */
export function buildListener(
  config: ListenPort,
  backends: Backends,
  balancer: LoadBalancer,
  redirect: number | undefined,
): Listener {
  const { port, protocol, members, certificates, discoveryHosts, sslPolicy, mutualAuthentication } = config;
  const isRedirected = redirect !== undefined && protocol === 'HTTP';
  const defaultActions = isRedirected ? [sslRedirect(redirect)] : buildDefaultActions(config, backends);
  groupTags(members);
  const attributes = listenerAttributes(config);
  return {
    port,
    protocol,
    certificates,
    discoveryHosts,
    ...(sslPolicy !== undefined && { sslPolicy }),
    ...(mutualAuthentication !== undefined && { mutualAuthentication }),
    attributes,
    ...(balancer.securityGroups === undefined && { inbound: inboundOf(config, balancer) }),
    defaultActions,
    rules: isRedirected ? [] : buildRules(members, backends, port, protocol),
  };
}

function sslRedirect(port: number): Action {
  return { type: 'redirect', status: 'HTTP_301', to: { port: String(port), protocol: 'HTTPS' } };
}

function buildDefaultActions({ members, protocol }: ListenPort, backends: Backends): Action[] {
  const backendOf = ({ object }: Member): unknown => fieldOf(object.spec, 'defaultBackend');
  const givers = members.filter((member) => backendOf(member) !== undefined && backendOf(member) !== null);
  const [giver] = givers;
  if (giver === undefined) {
    return [{ type: 'fixed-response', status: '404' }];
  }
  if (givers.length > 1) {
    throw new BuildError(`multiple ingress defined default backend: ${goList(givers.map(({ key }) => key))}`);
  }
  return actionsOf(backends.build(giver, backendOf(giver)), protocol);
}

function listenerAttributes({ members, port, protocol }: ListenPort): Record<string, string> {
  const ofClass = listOf(fieldOf(members[0]?.params, 'listeners')).find(
    (listener) => fieldOf(listener, 'protocol') === protocol && fieldOf(listener, 'port') === port,
  );
  const wins = pairsOf(fieldOf(ofClass, 'listenerAttributes'));
  const all = new Map<string, string>();
  for (const { annotations, key: ingress } of members) {
    for (const [key, value] of annotations.map(`listener-attributes.${protocol}-${port}`) ?? []) {
      const known = all.get(key);
      if (known !== undefined && known !== value && !Object.hasOwn(wins, key)) {
        throw new BuildError(`conflicting listener attributes ${key}: ${known} | ${value} for ingress ${ingress}`);
      }
      all.set(key, value);
    }
  }
  return { ...Object.fromEntries(all), ...wins };
}

/** What the security group of the controller's own lets in; it opens even an internal balancer to everyone. */
function inboundOf({ cidrs, prefixLists }: ListenPort, { ipAddressType }: LoadBalancer): Inbound {
  const v6 = ipAddressType === 'ipv4' ? [] : ofFamily(cidrs, 6);
  return { cidrs: [...ofFamily(cidrs, 4), ...v6], prefixLists };
}
