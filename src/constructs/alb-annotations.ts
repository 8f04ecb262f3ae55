import { albAnnotation } from '../balancer/annotations';

/** Annotations of the AWS Load Balancer Controller that this library writes. */
export const ALB = {
  /** On a Service: path of the health check of its target group, over whatever the Ingress says. */
  healthCheckPath: albAnnotation('healthcheck-path'),

  // On an Ingress.
  scheme: albAnnotation('scheme'),
  targetType: albAnnotation('target-type'),
  listenPorts: albAnnotation('listen-ports'),
  loadBalancerName: albAnnotation('load-balancer-name'),
  loadBalancerAttributes: albAnnotation('load-balancer-attributes'),
  targetGroupAttributes: albAnnotation('target-group-attributes'),
  inboundCidrs: albAnnotation('inbound-cidrs'),
  subnets: albAnnotation('subnets'),
  securityGroups: albAnnotation('security-groups'),
  groupName: albAnnotation('group.name'),
  groupOrder: albAnnotation('group.order'),
  certificateArn: albAnnotation('certificate-arn'),
  sslPolicy: albAnnotation('ssl-policy'),
  sslRedirect: albAnnotation('ssl-redirect'),
  tags: albAnnotation('tags'),
} as const;

/** `key=value,key=value`; a comma in a value is escaped, and nothing else can be. */
export function stringMap(
  entries: Iterable<readonly [string, string | number | boolean]>,
  what: string = 'annotation',
): string {
  return [...entries]
    .map(([key, value]) => {
      if (!/^[^=,\\]+$/.test(key) || String(value).includes('\\')) {
        throw new Error(
          `${what} holds '${key}' = '${String(value)}'; the annotation can carry keys without '=', ',' and '\\', and ` +
            "values without '\\'",
        );
      }
      return `${key}=${String(value).replaceAll(',', '\\,')}`;
    })
    .join(',');
}
