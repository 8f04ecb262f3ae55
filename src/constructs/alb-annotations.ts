/** Annotations of the AWS Load Balancer Controller that this library writes. Source: its guide, version 3.5.0. */
const PREFIX = 'alb.ingress.kubernetes.io';

export const ALB = {
  /** On a Service: path of the health check of its target group, over whatever the Ingress says. */
  healthCheckPath: `${PREFIX}/healthcheck-path`,

  // On an Ingress.
  scheme: `${PREFIX}/scheme`,
  targetType: `${PREFIX}/target-type`,
  listenPorts: `${PREFIX}/listen-ports`,
  loadBalancerName: `${PREFIX}/load-balancer-name`,
  loadBalancerAttributes: `${PREFIX}/load-balancer-attributes`,
  targetGroupAttributes: `${PREFIX}/target-group-attributes`,
  inboundCidrs: `${PREFIX}/inbound-cidrs`,
  subnets: `${PREFIX}/subnets`,
  securityGroups: `${PREFIX}/security-groups`,
  groupName: `${PREFIX}/group.name`,
  groupOrder: `${PREFIX}/group.order`,
  certificateArn: `${PREFIX}/certificate-arn`,
  sslPolicy: `${PREFIX}/ssl-policy`,
  sslRedirect: `${PREFIX}/ssl-redirect`,
  tags: `${PREFIX}/tags`,
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
