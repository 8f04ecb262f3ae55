import { isIP } from 'node:net';
import { type ApiObject, Chart, Duration } from 'cdk8s';
import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import type { IngressClassParamsProps } from '../../imports/elbv2.k8s.aws';
import { checkDnsSubdomain } from '../common/names';
import { checkInteger, checkSeconds } from '../common/numbers';
import { ALB, stringMap } from './alb-annotations';
import { AlbIngressClass } from './alb-ingress-class';
import {
  type AlbAttributes,
  AlbScheme,
  type AlbTargetGroupAttributes,
  type AlbTls,
  balancerAttributes,
  listenPorts,
  targetGroupAttributes,
} from './alb-options';
import type { AlbRoute } from './alb-route';
import { defineClusterObject, defineObject, type Plain } from './api-object';

/** What an Application Load Balancer serves, and to whom. */
export interface AlbIngressProps {
  /** Paths and the Services behind them, in any order. */
  readonly routes: AlbRoute[];

  /**
   * Name of the Ingress.
   * @default - the id of the construct
   */
  readonly name?: string;

  /**
   * Host that requests must name.
   * @default - any
   */
  readonly host?: string;

  /**
   * Who can reach the balancer.
   * @default AlbScheme.INTERNAL
   */
  readonly scheme?: AlbScheme;

  /**
   * Client addresses that the balancer's security group lets in. The controller's own default is the whole Internet,
   * even for an internal balancer.
   * @default - the private ranges 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16; to be given for INTERNET_FACING
   */
  readonly inboundCidrs?: string[];

  /**
   * How long a connection may carry no byte, 1 to 4000 s. It has to cover the wait for the first token, and has to be
   * shorter than the keep-alive of every pod behind it.
   * @default Duration.minutes(5)
   */
  readonly idleTimeout?: Duration;

  /**
   * Port for plain HTTP.
   * @default 80
   */
  readonly httpPort?: number;

  /**
   * TLS on port 443.
   * @default - none: keys and passwords cross the network in clear text
   */
  readonly tls?: AlbTls;

  /**
   * Other attributes of the balancer.
   * @default - those of AWS
   */
  readonly attributes?: AlbAttributes;

  /**
   * Attributes of the target groups.
   * @default - those of AWS
   */
  readonly targetGroupAttributes?: AlbTargetGroupAttributes;

  /**
   * Ingresses of one group share a balancer.
   * @default - a balancer of its own
   */
  readonly groupName?: string;

  /**
   * Place among the Ingresses of the group, -1000 to 1000, lower first.
   * @default 0
   */
  readonly groupOrder?: number;

  /**
   * Name of the balancer in AWS, at most 32 characters; settled when it is made.
   * @default - made up by the controller
   */
  readonly loadBalancerName?: string;

  /**
   * Subnets of the balancer, ids or Name tags, in two zones or more.
   * @default - found by their tags
   */
  readonly subnets?: string[];

  /**
   * Security groups of the balancer, ids or Name tags. The controller then ignores `inboundCidrs`.
   * @default - one that the controller manages
   */
  readonly securityGroups?: string[];

  /**
   * AWS tags of everything the controller makes.
   * @default - none
   */
  readonly tags?: { [key: string]: string };

  /**
   * The class that the Ingress belongs to.
   * @default AlbIngressClass.existing()
   */
  readonly ingressClass?: AlbIngressClass;
}

const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];
const DEFAULT_TLS_POLICY = 'ELBSecurityPolicy-TLS13-1-2-2021-06';

/**
 * An Application Load Balancer in front of the leaders and the chat page, made by the AWS Load Balancer Controller
 * from one Ingress.
 *
 * @example
 *   new AlbIngress(chart, 'ingress', { routes: [AlbRoute.chat(chat), AlbRoute.api(api)] });
 */
export class AlbIngress extends Construct {
  /** Name of the Ingress. */
  public readonly ingressName: string;
  /** How long a connection may carry no byte. */
  public readonly idleTimeout: Duration;

  public constructor(scope: Construct, id: string, props: AlbIngressProps) {
    super(scope, id);
    this.ingressName = checkDnsSubdomain('name of the Ingress', props.name ?? this.node.id);
    this.idleTimeout = props.idleTimeout ?? Duration.minutes(5);
    const idleSeconds = checkSeconds('idleTimeout', this.idleTimeout, 1, 4000);
    checkRoutes(props.routes, idleSeconds, Chart.of(this).namespace);

    const cidrs = inboundCidrs(props);
    const ingressClass = props.ingressClass ?? AlbIngressClass.existing();
    if (props.host !== undefined) {
      checkDnsSubdomain('host', props.host.replace(/^\*\./, ''));
      if (isIP(props.host) !== 0) {
        throw new Error(`host is '${props.host}'; it takes a name, since an Ingress does not match addresses`);
      }
    }
    if (ingressClass.isOwned) {
      this.defineClass(ingressClass, props, cidrs);
    }
    defineObject<k8s.KubeIngressProps>(this, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: this.ingressName, annotations: annotations(props, idleSeconds, cidrs) },
      spec: {
        ingressClassName: ingressClass.className,
        rules: [
          {
            ...(props.host !== undefined && { host: props.host }),
            http: { paths: specificFirst(props.routes).map(ingressPath) },
          },
        ],
      },
    });
  }

  private defineClass(ingressClass: AlbIngressClass, props: AlbIngressProps, cidrs: string[] | undefined): ApiObject {
    const name = ingressClass.className;
    const scope = new Construct(this, 'IngressClass');
    const spec = {
      scheme: props.scheme ?? AlbScheme.INTERNAL,
      targetType: 'ip',
      ...(cidrs && { inboundCIDRs: cidrs }),
      ...(props.tls && {
        certificateArn: props.tls.certificateArns,
        sslPolicy: props.tls.policy ?? DEFAULT_TLS_POLICY,
      }),
    } as const;
    defineClusterObject<IngressClassParamsProps>(
      scope,
      // The generator spells `inboundCIDRs` in its own way; the object is written as the API wants it.
      { apiVersion: 'elbv2.k8s.aws/v1beta1', kind: 'IngressClassParams', metadata: { name }, spec },
      'Params',
    );
    return defineClusterObject<k8s.KubeIngressClassProps>(scope, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name },
      spec: {
        controller: 'ingress.k8s.aws/alb',
        parameters: { apiGroup: 'elbv2.k8s.aws', kind: 'IngressClassParams', name },
      },
    });
  }
}

function checkRoutes(routes: readonly AlbRoute[], idleSeconds: number, namespace: string | undefined): void {
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

function inboundCidrs({ scheme, inboundCidrs: given, securityGroups }: AlbIngressProps): string[] | undefined {
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
  const [address = '', length = '', more] = cidr.split('/');
  const family = isIP(address);
  if (
    family === 0 ||
    more !== undefined ||
    !/^(0|[1-9]\d{0,2})$/.test(length) ||
    address.includes('%') ||
    Number(length) > (family === 4 ? 32 : 128)
  ) {
    throw new Error(`inboundCidrs holds '${cidr}'; it takes address ranges such as '10.0.0.0/8'`);
  }
  return cidr;
}

/** Longest first, so that a general path never stands before a specific one, in whatever order they are given. */
function specificFirst(routes: readonly AlbRoute[]): AlbRoute[] {
  return [...routes].sort((a, b) => b.path.length - a.path.length || (a.path < b.path ? -1 : 1));
}

function ingressPath({ path, serviceName, port }: AlbRoute): Plain<k8s.HttpIngressPath> {
  return { path, pathType: 'Prefix', backend: { service: { name: serviceName, port: { number: port } } } };
}

function annotations(props: AlbIngressProps, idleSeconds: number, cidrs: string[] | undefined): Record<string, string> {
  const { tls, groupName, groupOrder, loadBalancerName } = props;
  const httpPort = props.httpPort ?? 80;
  if (tls?.redirect === false && props.httpPort !== undefined) {
    throw new Error(`httpPort is ${httpPort} and tls.redirect is false, which closes it; leave one of the two out`);
  }
  if (tls !== undefined && httpPort === 443) {
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
  if (groupName !== undefined && !/^([a-z0-9][-a-z0-9.]{0,61})?[a-z0-9]$/.test(groupName)) {
    throw new Error(`groupName is '${groupName}'; it takes lower-case letters, digits, '-' and '.', at most 63`);
  }
  if (groupOrder !== undefined && groupName === undefined) {
    throw new Error(`groupOrder is ${groupOrder} and groupName is missing; an order needs a group`);
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
  const groups = targetGroupAttributes(props.targetGroupAttributes);
  const entries: [string, string | undefined][] = [
    [ALB.scheme, props.scheme ?? AlbScheme.INTERNAL],
    // Straight to the pod: the Services are ClusterIP, which the controller's default of `instance` cannot reach.
    [ALB.targetType, 'ip'],
    [ALB.listenPorts, listenPorts(httpPort, tls)],
    [ALB.inboundCidrs, cidrs?.join(',')],
    [ALB.loadBalancerAttributes, stringMap(balancerAttributes(idleSeconds, props.attributes), 'attributes')],
    [ALB.targetGroupAttributes, groups.length === 0 ? undefined : stringMap(groups, 'targetGroupAttributes')],
    [ALB.certificateArn, tls?.certificateArns.join(',')],
    [ALB.sslPolicy, tls && (tls.policy ?? DEFAULT_TLS_POLICY)],
    [ALB.sslRedirect, tls && (tls.redirect ?? true) ? '443' : undefined],
    [ALB.groupName, groupName],
    [
      ALB.groupOrder,
      groupOrder === undefined ? undefined : String(checkInteger('groupOrder', groupOrder, -1000, 1000)),
    ],
    [ALB.loadBalancerName, loadBalancerName],
    [ALB.subnets, list('subnets', props.subnets)],
    [ALB.securityGroups, list('securityGroups', props.securityGroups)],
    [ALB.tags, props.tags && stringMap(Object.entries(props.tags), 'tags')],
  ];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function list(what: string, values: readonly string[] | undefined): string | undefined {
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
