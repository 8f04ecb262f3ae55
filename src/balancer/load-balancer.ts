import type { AlbSuffix } from './annotations';
import { boundsOf, fallbackOf } from './annotations';
import type { Member } from './classes';
import { BuildError, goList, goSet, within } from './grammar';
import { fieldOf, listOf, textOf, textsOf } from './object';
import type { LoadBalancer } from './types';

const MAX_NAME = 32;

/** The Ingresses of a group by `group.order`, and by name where it is equal. */
export function inOrder(members: readonly Member[]): Member[] {
  const { min, max } = boundsOf('group.order');
  return members
    .map((member) => {
      const given = within(`failed to load Ingress group order for ingress: ${member.key}`, () =>
        member.annotations.int('group.order', 64),
      );
      if (given !== undefined && (given < min || given > max)) {
        throw new BuildError(
          `explicit Ingress group order must be within [${min}:${max}], Ingress: ${member.key}, order: ${given}`,
        );
      }
      return { member, order: given ?? Number(fallbackOf('group.order')) };
    })
    .sort((a, b) => a.order - b.order || compare(a.member.key, b.member.key))
    .map(({ member }) => member);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The balancer of a group, whose members have to agree. The steps are in the order of the controller. */
export function buildLoadBalancer(members: readonly Member[]): LoadBalancer {
  const scheme = one(members, 'scheme', 'scheme', 'conflicting scheme', goSet) ?? fallbackOf('scheme');
  if (scheme !== 'internal' && scheme !== 'internet-facing') {
    throw new BuildError(`unknown scheme: ${scheme}`);
  }
  const ipAddressType =
    one(members, 'ip-address-type', 'ipAddressType', 'conflicting IPAddressType', sortedList) ??
    fallbackOf('ip-address-type');
  if (ipAddressType !== 'ipv4' && ipAddressType !== 'dualstack' && ipAddressType !== 'dualstack-without-public-ipv4') {
    throw new BuildError(`unknown IPAddressType: ${ipAddressType}`);
  }
  const subnets = buildSubnets(members);
  const securityGroups = buildSecurityGroups(members);
  if (members.some(({ annotations }) => annotations.text('customer-owned-ipv4-pool') === '')) {
    const { key } = members.find(({ annotations }) => annotations.text('customer-owned-ipv4-pool') === '')!;
    throw new BuildError(`cannot use empty value for customer-owned-ipv4-pool annotation, ingress: ${key}`);
  }
  one(members, 'customer-owned-ipv4-pool', undefined, 'conflicting CustomerOwnedIPv4Pool', sortedList);
  const attributes = {
    ...Object.fromEntries(merged(members, 'load-balancer-attributes', 'conflicting attributes')),
    // Those of the class win, and are taken from the first Ingress.
    ...pairsOf(fieldOf(members[0]?.params, 'loadBalancerAttributes')),
  };
  merged(members, 'minimum-load-balancer-capacity', 'conflicting capacity reservation');
  const tags = groupTags(members);
  const name = one(members, 'load-balancer-name', 'loadBalancerName', 'conflicting load balancer name', goSet);
  if (name !== undefined && Buffer.byteLength(name) > MAX_NAME) {
    throw new BuildError(`load balancer name cannot be longer than ${MAX_NAME} characters`);
  }
  return {
    ...(name !== undefined && { name }),
    scheme,
    ipAddressType,
    ...(subnets && { subnets }),
    ...(securityGroups && { securityGroups }),
    attributes,
    tags,
    hasFrontendNlb: false,
  };
}

/** What is built last: firewall, shield and the Network Load Balancer in front. */
export function buildAddOns(members: readonly Member[]): Pick<LoadBalancer, 'wafAcl' | 'shield' | 'hasFrontendNlb'> {
  const arns = distinct(
    members.flatMap(({ annotations, params }) => [
      annotations.text('wafv2-acl-arn') ?? '',
      textOf(fieldOf(params, 'wafv2AclArn')) ?? '',
    ]),
  );
  if (arns.length > 1) {
    throw new BuildError(`conflicting WAFv2 WebACL ARNs: ${sortedList(arns)}`);
  }
  const names = distinct(
    members.flatMap(({ annotations, params }) => [
      annotations.text('wafv2-acl-name') ?? '',
      textOf(fieldOf(params, 'wafv2AclName')) ?? '',
    ]),
  );
  const ids = distinct(
    members.map(({ annotations }) => annotations.text('waf-acl-id') ?? annotations.text('web-acl-id') ?? ''),
  );
  if (ids.length > 1) {
    throw new BuildError(`conflicting WAFClassic WebACL IDs: ${sortedList(ids)}`);
  }
  const shield = new Set(members.map(({ annotations }) => annotations.bool('shield-advanced-protection')));
  shield.delete(undefined);
  if (shield.size > 1) {
    throw new BuildError('conflicting enable shield advanced protection');
  }
  const wafAcl = [...arns, ...names, ...ids].find((acl) => acl !== 'none');
  const [isShielded] = shield;
  const hasFrontendNlb = members.some(({ annotations }) => annotations.bool('enable-frontend-nlb') === true);
  return {
    ...(wafAcl !== undefined && { wafAcl }),
    ...(isShielded !== undefined && { shield: isShielded }),
    hasFrontendNlb,
  };
}

/** The one value of an exclusive annotation, or of the field of IngressClassParams that wins over it. */
function one(
  members: readonly Member[],
  suffix: AlbSuffix,
  param: string | undefined,
  conflict: string,
  print: (values: Iterable<string>) => string,
): string | undefined {
  const values = new Set<string>();
  for (const { annotations, params } of members) {
    const value = (param === undefined ? undefined : textOf(fieldOf(params, param))) ?? annotations.text(suffix);
    if (value !== undefined) {
      values.add(value);
    }
  }
  if (values.size > 1) {
    throw new BuildError(`${conflict}: ${print(values)}`);
  }
  return [...values][0];
}

function buildSubnets(members: readonly Member[]): readonly string[] | undefined {
  const selectors = members.map(({ params }) => fieldOf(params, 'subnets')).filter((selector) => selector != null);
  const named = members
    .filter(({ params }) => fieldOf(params, 'subnets') == null)
    .flatMap(({ annotations }) => [annotations.list('subnets') ?? []])
    .filter((subnets) => subnets.length > 0);
  if (selectors.length > 0) {
    if (named.length > 0) {
      throw new BuildError('conflicting subnet specifications: IngressClassParams versus annotation');
    }
    if (distinct(selectors.map((selector) => JSON.stringify(selector))).length > 1) {
      throw new BuildError('conflicting IngressClassParams subnet specifications');
    }
    const ids = textsOf(fieldOf(selectors[0], 'ids'));
    return ids.length > 0 ? ids : undefined;
  }
  const [first, ...others] = named;
  for (const other of others) {
    if (goList([...first!].sort()) !== goList([...other].sort())) {
      throw new BuildError(`conflicting subnets: ${goList(first!)} | ${goList(other)}`);
    }
  }
  return first;
}

function buildSecurityGroups(members: readonly Member[]): readonly string[] | undefined {
  const lists = members.flatMap(({ annotations }) => {
    const list = annotations.list('security-groups');
    return list ? [list] : [];
  });
  const [first, ...others] = lists;
  for (const other of others) {
    if (goList(first!) !== goList(other)) {
      throw new BuildError(`conflicting securityGroups: ${goList(first!)} | ${goList(other)}`);
    }
  }
  if (first === undefined || first.length === 0) {
    return undefined;
  }
  const manages = new Set(members.map(({ annotations }) => annotations.bool('manage-backend-security-group-rules')));
  manages.delete(undefined);
  if (manages.size > 1) {
    throw new BuildError('conflicting manage backend security group rules settings');
  }
  return first;
}

/** Entries of a map annotation of all members, which must not contradict each other. */
function merged(members: readonly Member[], suffix: AlbSuffix, conflict: string): Map<string, string> {
  const all = new Map<string, string>();
  for (const { annotations } of members) {
    addTo(all, annotations.map(suffix) ?? new Map(), conflict);
  }
  return all;
}

function addTo(all: Map<string, string>, entries: ReadonlyMap<string, string>, conflict: string): void {
  for (const [key, value] of entries) {
    const known = all.get(key);
    if (known !== undefined && known !== value) {
      throw new BuildError(`${conflict} ${key}: ${known} | ${value}`);
    }
    all.set(key, value);
  }
}

/** Tags of what the members share. */
export function groupTags(members: readonly Member[]): Readonly<Record<string, string>> {
  const all = new Map<string, string>();
  for (const member of members) {
    addTo(all, new Map(Object.entries(ingressTags(member))), 'conflicting tag');
  }
  return Object.fromEntries(all);
}

/** Tags of one Ingress; those of its class win. */
export function ingressTags({ annotations, params }: Member): Readonly<Record<string, string>> {
  return { ...Object.fromEntries(annotations.map('tags') ?? []), ...pairsOf(fieldOf(params, 'tags')) };
}

/** Pairs as IngressClassParams lists them: `[{ key, value }]`. */
export function pairsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(
    listOf(value)
      .map((pair) => [textOf(fieldOf(pair, 'key')), fieldOf(pair, 'value')])
      .filter((pair): pair is [string, string] => pair[0] !== undefined && typeof pair[1] === 'string'),
  );
}

/** The texts that are not empty, each once. */
export function distinct(values: readonly string[]): string[] {
  return [...new Set(values.filter((value) => value !== ''))];
}

function sortedList(values: Iterable<string>): string {
  return goList([...values].sort());
}
