import { describe, expect, test } from 'vitest';
import type { TargetGroup } from '../../src/balancer/types';
import { buildErrorOf, ingress, ingressClass, modelOf, planOf, service, type Suffixes } from './objects';

/** The target group of a Service of one's own. */
function groupOf(
  onIngress: Suffixes,
  onService: Suffixes,
  options: { spec?: object; targetPort?: unknown } = {},
): TargetGroup {
  const plan = planOf(
    ingress({ 'target-type': 'ip', ...onIngress }, [['Prefix', '/', 'own', 80]]),
    service('own', 80, onService, options),
  );
  if (plan.model === undefined) {
    throw new Error(plan.event.message);
  }
  return plan.model.targetGroups[0]!;
}

describe('where a setting comes from', () => {
  test('Service over Ingress over default', () => {
    const { healthCheck } = groupOf(
      { 'healthcheck-path': '/ingress', 'healthcheck-interval-seconds': '20', 'success-codes': '200-299' },
      { 'healthcheck-path': '/service' },
    );
    expect(healthCheck).toEqual({
      path: '/service',
      port: 'traffic-port',
      protocol: 'HTTP',
      intervalSeconds: 20,
      timeoutSeconds: 5,
      healthyThreshold: 2,
      unhealthyThreshold: 2,
      successCodes: '200-299',
    });
  });

  test('an annotation of the Service replaces that of the Ingress as a whole', () => {
    const { attributes } = groupOf({ 'target-group-attributes': 'a=1,b=2' }, { 'target-group-attributes': 'b=3' });
    expect(attributes).toEqual({ b: '3' });
  });

  test('tags come from both', () => {
    expect(groupOf({ tags: 'a=1,b=2' }, { tags: 'b=3' }).tags).toEqual({ a: '1', b: '3' });
  });

  test('the class wins over both', () => {
    const plan = planOf(
      ...ingressClass('own', { targetType: 'ip' }),
      ingress({ 'target-type': 'instance' }, undefined, { spec: { ingressClassName: 'own' } }),
    );
    expect(plan.model!.targetGroups[0]!.targetType).toBe('ip');
  });

  test('gRPC has defaults of its own', () => {
    expect(groupOf({ 'backend-protocol-version': 'GRPC' }, {})).toMatchObject({
      protocolVersion: 'GRPC',
      healthCheck: { path: '/AWS.ALB/healthcheck', successCodes: '12' },
    });
  });

  test('health checks speak as the backend does', () => {
    expect(groupOf({ 'backend-protocol': 'HTTPS' }, {}).healthCheck.protocol).toBe('HTTPS');
  });
});

describe('ports', () => {
  test.each([
    ['a number', 8000, { targetPort: 8000, port: 8000 }],
    ['a name', 'web', { targetPort: 'web', port: 1 }],
    ['not given', null, { targetPort: 80, port: 80 }],
  ])('targetPort is %s', (_, targetPort, expected) => {
    expect(groupOf({}, {}, { targetPort })).toMatchObject(expected);
  });

  test.each([
    ['NodePort', { nodePort: 30_080 }, { targetPort: 30_080, port: 30_080 }],
    ['LoadBalancer', {}, {}],
  ])('of a Service of type %s in instance mode', (type, port, expected) => {
    const group = groupOf({ 'target-type': 'instance' }, {}, { spec: { type, ports: [{ port: 80, ...port }] } });
    expect({ targetPort: group.targetPort, port: group.port }).toEqual({ targetPort: undefined, port: undefined, ...expected }); // prettier-ignore
  });

  test('of a Service of another name', () => {
    expect(groupOf({}, {}, { spec: { type: 'ExternalName', ports: undefined } }).targetPort).toBe(80);
  });

  test.each([
    [9999, 'unable to find port 9999 on service ing/vllm-leader'],
    ['https', 'unable to find port https on service ing/vllm-leader'],
  ])('%s is not there', (port, message) => {
    expect(buildErrorOf({}, [['Prefix', '/', 'vllm-leader', port]])).toBe(`ingress: ing/web: ${message}`);
  });

  test('of a default backend, without the name of the Ingress', () => {
    const defaultBackend = { service: { name: 'vllm-leader', port: { number: 1 } } };
    expect(buildErrorOf({}, [], { spec: { defaultBackend } })).toBe('unable to find port 1 on service ing/vllm-leader');
  });

  test('for health checks', () => {
    expect(groupOf({ 'healthcheck-port': '9000' }, {}).healthCheck.port).toBe(9000);
    expect(groupOf({ 'healthcheck-port': 'http' }, {}, { targetPort: 8000 }).healthCheck.port).toBe(8000);
    expect(buildErrorOf({ 'healthcheck-port': 'http' })).toBe(
      "ingress: ing/web: cannot use named healthCheckPort for IP TargetType when service's targetPort is a named port",
    );
    expect(buildErrorOf({ 'healthcheck-port': 'metrics' })).toBe(
      'ingress: ing/web: failed to resolve healthCheckPort: unable to find port metrics on service ing/vllm-leader',
    );
  });
});

describe('refused by the controller', () => {
  test.each([
    [{ 'target-type': 'pod' }, 'unknown targetType: pod'],
    [{ 'backend-protocol': 'http' }, 'backend protocol must be within [HTTP, HTTPS]: http'],
    [{ 'backend-protocol-version': 'HTTP3' }, 'backend protocol version must be within [HTTP1, HTTP2, GRPC]: HTTP3'],
    [{ 'healthcheck-protocol': 'TCP' }, 'healthCheckProtocol must be within [HTTP, HTTPS]'],
    [
      { 'healthy-threshold-count': '99999999999' },
      'failed to parse int32 annotation, alb.ingress.kubernetes.io/healthy-threshold-count: 99999999999: ' +
        'strconv.ParseInt: parsing "99999999999": value out of range',
    ],
    [
      { 'target-group-attributes': '=1' },
      'failed to parse stringMap annotation, alb.ingress.kubernetes.io/target-group-attributes: =1',
    ],
  ])('%j', (suffixes, message) => {
    expect(buildErrorOf(suffixes)).toBe(`ingress: ing/web: ${message}`);
  });

  test('IPv6 pods behind an IPv4 balancer', () => {
    expect(() => groupOf({}, {}, { spec: { ipFamilies: ['IPv6'] } })).toThrow('lb not dual-stack');
    expect(groupOf({ 'ip-address-type': 'dualstack' }, {}, { spec: { ipFamilies: ['IPv6'] } }).ipAddressType).toBe('ipv6'); // prettier-ignore
  });
});

describe('refused by AWS', () => {
  test('a timeout that is not below the interval', () => {
    const plan = planOf(ingress({ 'target-type': 'ip', 'healthcheck-timeout-seconds': '15' }));
    expect(plan.event).toMatchObject({
      reason: 'FailedDeployModel',
      message: expect.stringContaining("Health check timeout '15' must be smaller than the interval '15'") as string,
    });
    expect(plan.model).toBeDefined();
  });

  test.each([
    [{ 'healthcheck-interval-seconds': '301' }, 'healthcheck-interval-seconds', '301 is not from 5 to 300'],
    [{ 'unhealthy-threshold-count': '11' }, 'unhealthy-threshold-count', '11 is not from 2 to 10'],
    [
      { 'target-group-attributes': 'deregistration_delay.timeout_seconds=1h' },
      'target-group-attributes',
      "deregistration_delay.timeout_seconds is '1h'; it takes 0 to 3600",
    ],
    [
      { 'target-group-attributes': 'slow_start.duration_seconds=10' },
      'target-group-attributes',
      'it takes 0 or 30 to 900',
    ],
    [{ 'target-group-attributes': 'sticky=true' }, 'target-group-attributes', 'attribute sticky is not known'],
    [
      {
        'target-group-attributes':
          'load_balancing.algorithm.type=least_outstanding_requests,slow_start.duration_seconds=30,' +
          'load_balancing.algorithm.anomaly_mitigation=on',
      },
      'target-group-attributes',
      'slow start works with round_robin alone',
    ],
  ])('%j', (suffixes, annotation, what) => {
    const { refusals } = planOf(ingress({ 'target-type': 'ip', ...suffixes }));
    expect(refusals[0]).toMatchObject({ annotation, targetGroup: 'ing/vllm-leader:8000' });
    expect(refusals[0]!.what).toContain(what);
  });

  test('slow start of 0 is none', () => {
    expect(modelOf({ 'target-group-attributes': 'slow_start.duration_seconds=0' })).toBeDefined();
    expect(planOf(ingress({ 'target-type': 'ip', 'target-group-attributes': 'slow_start.duration_seconds=0' })).refusals).toEqual([]); // prettier-ignore
  });
});
