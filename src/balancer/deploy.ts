import { type AlbSuffix, boundsOf } from './annotations';
import { type AlbAttribute, allowedValues, BALANCER_ATTRIBUTES, takes, TARGET_GROUP_ATTRIBUTES } from './attributes';
import type { BalancerModel, Refusal, TargetGroup } from './types';

/** What AWS answers to a model that the controller could build, in the words of the event; nothing when it takes it. */
export function deployError({ loadBalancer, targetGroups }: BalancerModel): string | undefined {
  // Target groups are made first.
  for (const { healthCheck } of targetGroups) {
    const { timeoutSeconds, intervalSeconds } = healthCheck;
    if (timeoutSeconds >= intervalSeconds) {
      return (
        `${request('CreateTargetGroup')}, api error ValidationError: Health check timeout '${timeoutSeconds}' must be ` +
        `smaller than the interval '${intervalSeconds}'`
      );
    }
  }
  const unknown = Object.keys(loadBalancer.attributes).find((key) => !Object.hasOwn(BALANCER_ATTRIBUTES, key));
  return unknown === undefined
    ? undefined
    : `${request('ModifyLoadBalancerAttributes')}, InvalidConfigurationRequest: Key ${unknown} not valid`;
}

function request(operation: string): string {
  return `operation error Elastic Load Balancing v2: ${operation}, https response error StatusCode: 400`;
}

/** What AWS documents that it refuses, and was not seen to: in our words. */
export function refusals(model: BalancerModel): Refusal[] {
  const { loadBalancer, listeners, targetGroups } = model;
  const found = attributeRefusals('load-balancer-attributes', loadBalancer.attributes, BALANCER_ATTRIBUTES);
  for (const { port, protocol, certificates, discoveryHosts } of listeners) {
    if (protocol === 'HTTPS' && certificates.length === 0 && discoveryHosts.length === 0) {
      found.push({
        annotation: 'certificate-arn',
        what: `port ${port} speaks HTTPS without a certificate, and no host is named to find one for`,
      });
    }
  }
  return [...found, ...targetGroups.flatMap(targetGroupRefusals)];
}

function targetGroupRefusals(group: TargetGroup): Refusal[] {
  const { healthCheck, attributes, namespace, service, servicePort } = group;
  const counts: [AlbSuffix, number][] = [
    ['healthcheck-interval-seconds', healthCheck.intervalSeconds],
    ['healthcheck-timeout-seconds', healthCheck.timeoutSeconds],
    ['healthy-threshold-count', healthCheck.healthyThreshold],
    ['unhealthy-threshold-count', healthCheck.unhealthyThreshold],
  ];
  const found = attributeRefusals('target-group-attributes', attributes, TARGET_GROUP_ATTRIBUTES);
  for (const [annotation, value] of counts) {
    const { min, max } = boundsOf(annotation);
    if (value < min || value > max) {
      found.push({ annotation, what: `${value} is not from ${min} to ${max}` });
    }
  }
  const algorithm = attributes['load_balancing.algorithm.type'] ?? 'round_robin';
  const annotation = 'target-group-attributes';
  if (algorithm !== 'round_robin' && (attributes['slow_start.duration_seconds'] ?? '0') !== '0') {
    found.push({ annotation, what: `slow start works with round_robin alone, not with ${algorithm}` });
  }
  if (attributes['load_balancing.algorithm.anomaly_mitigation'] === 'on' && algorithm !== 'weighted_random') {
    found.push({ annotation, what: `anomaly mitigation works with weighted_random alone, not with ${algorithm}` });
  }
  return found.map((refusal) => ({ ...refusal, targetGroup: `${namespace}/${service}:${servicePort}` }));
}

function attributeRefusals(
  annotation: 'load-balancer-attributes' | 'target-group-attributes',
  attributes: Readonly<Record<string, string>>,
  known: Readonly<Record<string, AlbAttribute>>,
): Refusal[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    const attribute = Object.hasOwn(known, key) ? known[key] : undefined;
    if (attribute === undefined) {
      // An unknown attribute of the balancer is the error of its event.
      return annotation === 'load-balancer-attributes' ? [] : [{ annotation, what: `attribute ${key} is not known` }];
    }
    return takes(attribute, value)
      ? []
      : [{ annotation, what: `${key} is '${value}'; it takes ${allowedValues(attribute)}` }];
  });
}
