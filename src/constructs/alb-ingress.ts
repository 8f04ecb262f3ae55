import { type ApiObject, Chart, Duration } from 'cdk8s';
import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import type { IngressClassParamsProps } from '../../imports/elbv2.k8s.aws';
import { BALANCER_ATTRIBUTES } from '../balancer/attributes';
import { ALB_CONTROLLER, PARAMS_GROUP } from '../balancer/classes';
import { checkDnsSubdomain } from '../common/names';
import { checkSeconds } from '../common/numbers';
import { ALB, stringMap } from './alb-annotations';
import { checkBalancer, checkRoutes, DEFAULT_TLS_POLICY, inboundCidrs, list } from './alb-checks';
import { AlbIngressClass } from './alb-ingress-class';
import type { AlbIngressProps } from './alb-ingress-props';
import { AlbScheme, balancerAttributes, listenPorts, targetGroupAttributes } from './alb-options';
import type { AlbRoute } from './alb-route';
import { defineClusterObject, defineObject, type Plain } from './api-object';

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
    const { min, max } = BALANCER_ATTRIBUTES['idle_timeout.timeout_seconds'];
    const idleSeconds = checkSeconds('idleTimeout', this.idleTimeout, min, max);
    checkBalancer(props);
    checkRoutes(props.routes, idleSeconds, Chart.of(this).namespace);

    const cidrs = inboundCidrs(props);
    const ingressClass = props.ingressClass ?? AlbIngressClass.existing();
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
      { apiVersion: `${PARAMS_GROUP}/v1beta1`, kind: 'IngressClassParams', metadata: { name }, spec },
      'Params',
    );
    return defineClusterObject<k8s.KubeIngressClassProps>(scope, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name },
      spec: {
        controller: ALB_CONTROLLER,
        parameters: { apiGroup: PARAMS_GROUP, kind: 'IngressClassParams', name },
      },
    });
  }
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
    [ALB.groupOrder, groupOrder === undefined ? undefined : String(groupOrder)],
    [ALB.loadBalancerName, loadBalancerName],
    [ALB.subnets, list('subnets', props.subnets)],
    [ALB.securityGroups, list('securityGroups', props.securityGroups)],
    [ALB.tags, props.tags && stringMap(Object.entries(props.tags), 'tags')],
  ];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
