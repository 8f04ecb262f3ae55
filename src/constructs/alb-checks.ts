import { isIP } from 'node:net';
import { boundsOf } from '../balancer/annotations';
import { isGroupName } from '../balancer/classes';
import { isCidr } from '../balancer/grammar';
import { checkDnsSubdomain } from '../common/names';
import { checkInteger } from '../common/numbers';
import type { AlbIngressProps } from './alb-ingress-props';
import { AlbScheme } from './alb-options';
import type { AlbRoute } from './alb-route';

const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];
/** The policy that a balancer gets unless another is named. */
export const DEFAULT_TLS_POLICY = 'ELBSecurityPolicy-TLS13-1-2-2021-06';

/** What the balancer or its controller would refuse later, in an event of the Ingress. */
export function checkBalancer(props: AlbIngressProps): void {
  const { tls, groupName, groupOrder, loadBalancerName, host } = props;
  if (tls?.redirect === false && props.httpPort !== undefined) {
    throw new Error(
      `httpPort is ${props.httpPort} and tls.redirect is false, which closes it; leave one of the two out`,
    );
  }
  if (tls !== undefined && props.httpPort === 443) {
    throw new Error('httpPort is 443, which is the port of TLS; take another one');
  }
  for (const arn of tls?.certificateArns ?? []) {
    if (!/^arn:aws[a-z-]*:(acm|iam):[^,\s]+$/.test(arn)) {
      throw new Error(`tls.certificateArns holds '${arn}'; it takes ARNs of ACM certificates, 'arn:aws:acm:…'`);
    }
  }
  if (tls !== undefined && tls.certificateArns.length === 0) {
    throw new Error('tls.certificateArns is empty; a balancer needs a certificate to listen on port 443');
  }
  if (tls?.policy !== undefined && !/^[A-Za-z0-9-]+$/.test(tls.policy)) {
    throw new Error(`tls.policy is '${tls.policy}'; it takes the name of a policy such as '${DEFAULT_TLS_POLICY}'`);
  }
  if (props.subnets?.length === 1) {
    throw new Error(`subnets is ['${props.subnets[0]}']; a balancer needs two or more, in different zones`);
  }
  if (groupName !== undefined && !isGroupName(groupName)) {
    throw new Error(`groupName is '${groupName}'; it takes lower-case letters, digits, '-' and '.', at most 63`);
  }
  if (groupOrder !== undefined) {
    if (groupName === undefined) {
      throw new Error(`groupOrder is ${groupOrder} and groupName is missing; an order needs a group`);
    }
    const { min, max } = boundsOf('group.order');
    checkInteger('groupOrder', groupOrder, min, max);
  }
  if (
    loadBalancerName !== undefined &&
    !/^(?!internal-)[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?$/.test(loadBalancerName)
  ) {
    throw new Error(
      `loadBalancerName is '${loadBalancerName}'; it takes letters, digits and hyphens, at most 32, no hyphen at ` +
        "either end, not starting with 'internal-'",
    );
  }
  if (host !== undefined) {
    checkDnsSubdomain('host', host.replace(/^\*\./, ''));
    if (isIP(host) !== 0) {
      throw new Error(`host is '${host}'; it takes a name, since an Ingress does not match addresses`);
    }
  }
}

/** Paths that are there once, Services that the Ingress can reach, and connections that outlast the balancer's. */
export function checkRoutes(routes: readonly AlbRoute[], idleSeconds: number, namespace: string | undefined): void {
  if (routes.length === 0) {
    throw new Error('routes is empty; an Ingress needs at least one path, for example AlbRoute.api(api)');
  }
  const paths = new Map<string, AlbRoute>();
  for (const route of routes) {
    const other = paths.get(route.path);
    if (other) {
      throw new Error(
        `routes lead path '${route.path}' to both '${other.serviceName}' and '${route.serviceName}'; it takes one`,
      );
    }
    paths.set(route.path, route);
    if (route._namespace !== undefined && route._namespace !== (namespace ?? '')) {
      throw new Error(
        `route '${route.path}' leads to Service '${route.serviceName}' in namespace '${route._namespace || 'default'}', and the ` +
          `Ingress is in '${namespace ?? 'default'}'; an Ingress reaches Services of its own namespace only`,
      );
    }
    const keepAlive = route.keepAliveTimeout?.toSeconds();
    if (keepAlive !== undefined && idleSeconds >= keepAlive) {
      throw new Error(
        `idleTimeout is ${idleSeconds} s and '${route.serviceName}' closes idle connections after ${keepAlive} s; the ` +
          'balancer would reuse a connection that was just closed and answer 502: lower idleTimeout, or raise the ' +
          `keepAliveTimeout of the ${route._owner} above it`,
      );
    }
  }
}

/** Who may reach the balancer; none leaves it to security groups of the user's. */
export function inboundCidrs({ scheme, inboundCidrs: given, securityGroups }: AlbIngressProps): string[] | undefined {
  if (securityGroups !== undefined) {
    if (given !== undefined) {
      throw new Error(
        'securityGroups and inboundCidrs are both given; the controller ignores the latter: leave one out',
      );
    }
    return undefined;
  }
  if (given === undefined) {
    if (scheme === AlbScheme.INTERNET_FACING) {
      throw new Error(
        'scheme is internet-facing and inboundCidrs is missing; say which clients may come, for example ' +
          "['203.0.113.0/24'] for an office or ['0.0.0.0/0'] for everyone",
      );
    }
    return PRIVATE_RANGES;
  }
  if (given.length === 0) {
    throw new Error('inboundCidrs is empty; the controller would open the balancer to everyone');
  }
  return given.map(checkCidr);
}

function checkCidr(cidr: string): string {
  // A length with zeros in front is one to the controller, and none to AWS.
  if (!isCidr(cidr) || /\/0\d/.test(cidr)) {
    throw new Error(`inboundCidrs holds '${cidr}'; it takes address ranges such as '10.0.0.0/8'`);
  }
  return cidr;
}

/** A list as an annotation has it. */
export function list(what: string, values: readonly string[] | undefined): string | undefined {
  if (values?.length === 0) {
    throw new Error(`${what} is empty; leave it out to have the controller find them`);
  }
  for (const value of values ?? []) {
    if (!/^[^,\s]+( [^,\s]+)*$/.test(value)) {
      throw new Error(`${what} holds '${value}'; it takes one id or one Name tag an entry, without commas`);
    }
  }
  return values?.join(',');
}
