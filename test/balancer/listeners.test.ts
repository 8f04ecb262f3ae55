import { describe, expect, test } from 'vitest';
import { buildErrorOf, ingress, ingressClass, modelOf, planOf, type Suffixes } from './objects';

describe('ports', () => {
  test.each([
    [{}, [[80, 'HTTP']]],
    [{ 'certificate-arn': 'arn:1' }, [[443, 'HTTPS']]],
    [{ 'certificate-arn': '' }, [[80, 'HTTP']]],
    [
      { 'listen-ports': '[{"HTTPS":8443},{"HTTP":80}]' },
      [
        [80, 'HTTP'],
        [8443, 'HTTPS'],
      ],
    ],
    [
      { 'listen-ports': '[{"HTTP":80,"HTTPS":443}]' },
      [
        [80, 'HTTP'],
        [443, 'HTTPS'],
      ],
    ],
    [{ 'listen-ports': '[{"HTTP":80},{"HTTPS":80}]' }, [[80, 'HTTPS']]],
  ])('%j', (suffixes, ports) => {
    expect(modelOf(suffixes).listeners.map(({ port, protocol }) => [port, protocol])).toEqual(ports);
  });

  test.each([
    ['[]', 'empty listen-ports configuration: `[]`'],
    ['null', 'empty listen-ports configuration: `null`'],
    ['', 'failed to parse listen-ports configuration: ``: unexpected end of JSON input'],
    ['[{"HTTP":0}]', 'listen port must be within [1, 65535]: 0'],
    ['[{"HTTP":65536}]', 'listen port must be within [1, 65535]: 65536'],
    ['[{"TCP":80}]', 'listen protocol must be within [HTTP, HTTPS]: TCP'],
    [
      '[{"HTTP":"80"}]',
      'failed to parse listen-ports configuration: `[{"HTTP":"80"}]`: json: cannot unmarshal string into Go value of ' +
        'type int32',
    ],
    [
      '{"HTTP":80}',
      'failed to parse listen-ports configuration: `{"HTTP":80}`: json: cannot unmarshal object into Go value of type ' +
        '[]map[string]int32',
    ],
    [
      "[{'HTTP':80}]",
      "failed to parse listen-ports configuration: `[{'HTTP':80}]`: invalid character '\\'' looking for beginning of " +
        'object key string',
    ],
    ['80,443', "failed to parse listen-ports configuration: `80,443`: invalid character ',' after top-level value"],
  ])('%s is refused', (ports, message) => {
    expect(buildErrorOf({ 'listen-ports': ports })).toBe(`ingress: ing/web: ${message}`);
  });
});

describe('who may connect', () => {
  test('everyone, unless somebody is named', () => {
    expect(modelOf().listeners[0]!.inbound).toEqual({ cidrs: ['0.0.0.0/0'], prefixLists: [] });
  });

  test('IPv6 ranges count on a balancer of both families', () => {
    const cidrs = { 'inbound-cidrs': '10.0.0.0/8, fd00::/8' };
    expect(modelOf(cidrs).listeners[0]!.inbound!.cidrs).toEqual(['10.0.0.0/8']);
    expect(modelOf({ ...cidrs, 'ip-address-type': 'dualstack' }).listeners[0]!.inbound!.cidrs).toEqual([
      '10.0.0.0/8',
      'fd00::/8',
    ]);
    expect(modelOf({ 'ip-address-type': 'dualstack' }).listeners[0]!.inbound!.cidrs).toEqual(['0.0.0.0/0', '::/0']);
  });

  test('prefix lists leave no room for everyone', () => {
    expect(modelOf({ 'security-group-prefix-lists': 'pl-2,pl-1' }).listeners[0]!.inbound).toEqual({
      cidrs: [],
      prefixLists: ['pl-1', 'pl-2'],
    });
  });

  test('security groups of the user leave the rest unread', () => {
    const model = modelOf({ 'security-groups': 'sg-1,web', 'inbound-cidrs': '10.0.0.0/8' });
    expect(model.loadBalancer.securityGroups).toEqual(['sg-1', 'web']);
    expect(model.listeners[0]!.inbound).toBeUndefined();
  });

  test.each(['10.0.0.0', '10.0.0.0/33', 'all', '10.0.0/8', 'fe80::1%eth0/64'])('%s is no range', (cidr) => {
    expect(buildErrorOf({ 'inbound-cidrs': cidr })).toBe(
      `ingress: ing/web: invalid inbound-cidrs settings on Ingress: ing/web: invalid CIDR address: ${cidr}`,
    );
  });

  test('ranges of the class win', () => {
    const own = { spec: { ingressClassName: 'own' } };
    const plan = planOf(
      ...ingressClass('own', { inboundCIDRs: ['172.16.0.0/12'] }),
      ingress({ 'target-type': 'ip', 'inbound-cidrs': '10.0.0.0/8' }, undefined, own),
    );
    expect(plan.model!.listeners[0]!.inbound!.cidrs).toEqual(['172.16.0.0/12']);
    const wrong = planOf(...ingressClass('own', { inboundCIDRs: ['x'] }), ingress({}, undefined, own));
    expect(wrong.event.message).toContain('invalid CIDR in IngressClassParams InboundCIDR x: invalid CIDR address: x');
  });
});

describe('TLS', () => {
  test('certificates, the default one first, and the policy', () => {
    const model = modelOf({ 'certificate-arn': 'arn:2,arn:1', 'ssl-policy': 'P' });
    expect(model.listeners[0]).toMatchObject({ certificates: ['arn:2', 'arn:1'], sslPolicy: 'P', discoveryHosts: [] });
    expect(modelOf({ 'certificate-arn': 'arn:1' }).listeners[0]!.sslPolicy).toBe('ELBSecurityPolicy-2016-08');
  });

  test('without one they are looked up by host', () => {
    const { listeners } = modelOf({ 'listen-ports': '[{"HTTPS":443}]' }, [], {
      spec: { rules: [{ host: 'b.example' }], tls: [{ hosts: ['a.example', 'b.example'] }] },
    });
    expect(listeners[0]!.discoveryHosts).toEqual(['a.example', 'b.example']);
  });

  test.each([
    [
      'x',
      "failed to parse mutualAuthentication configuration from ingress annotation: `x`: invalid character 'x' looking for beginning of value",
    ],
    ['[]', 'empty mutualAuthentication configuration from ingress annotation: `[]`'],
    ['[{"mode":"off"}]', 'listen port must be within [1, 65535]: 0'],
    ['[{"port":443}]', 'mutualAuthentication mode cannot be empty for port 443'],
    [
      '[{"port":443,"mode":"on"}]',
      'mutualAuthentication mode value must be among [off, passthrough, verify] for port 443 : on',
    ],
    ['[{"port":443,"mode":"verify"}]', 'trustStore is required when mutualAuthentication mode is verify for port 443'],
    [
      '[{"port":443,"mode":"off","trustStore":"t"}]',
      'Mutual Authentication mode off does not support trustStore for port 443',
    ],
    [
      '[{"port":443,"mode":"off","ignoreClientCertificateExpiry":true}]',
      'Mutual Authentication mode off does not support ignoring client certificate expiry for port 443',
    ],
  ])('mutual-authentication %s is refused', (value, message) => {
    expect(buildErrorOf({ 'mutual-authentication': value })).toBe(`ingress: ing/web: ${message}`);
  });
});

describe('Ingresses of one port', () => {
  const both = (a: Suffixes, b: Suffixes) =>
    planOf(
      ingress({ 'target-type': 'ip', 'group.name': 'g', ...a }, undefined, { name: 'a' }),
      ingress({ 'target-type': 'ip', 'group.name': 'g', ...b }, [], { name: 'b' }),
    );

  test.each([
    [
      { 'listen-ports': '[{"HTTP":443}]' },
      { 'listen-ports': '[{"HTTPS":443}]' },
      443,
      'conflicting protocol, ing/a: HTTP | ing/b: HTTPS',
    ],
    [
      { 'inbound-cidrs': '10.0.0.0/8' },
      { 'inbound-cidrs': 'fd00::/8' },
      80,
      'conflicting inbound-cidrs, ing/a: [10.0.0.0/8], [] | ing/b: [], [fd00::/8]',
    ],
    [
      { 'security-group-prefix-lists': 'pl-1' },
      { 'security-group-prefix-lists': 'pl-2' },
      80,
      'conflicting inbound-prefix-lists, ing/a: [pl-1] | ing/b: [pl-2]',
    ],
    [
      { 'certificate-arn': 'x', 'ssl-policy': 'A' },
      { 'certificate-arn': 'y', 'ssl-policy': 'B' },
      443,
      'conflicting sslPolicy, ing/a: A | ing/b: B',
    ],
  ])('%j and %j', (a, b, port, message) => {
    expect(both(a, b).event.message).toBe(
      `Failed build model due to failed to merge listenPort config for port: ${port}: ${message}`,
    );
  });

  test('what one says holds for the other', () => {
    const { model } = both({}, { 'inbound-cidrs': '10.0.0.0/8' });
    expect(model!.listeners[0]!.inbound!.cidrs).toEqual(['10.0.0.0/8']);
  });

  test('certificates are joined', () => {
    const { model } = both({ 'certificate-arn': 'x' }, { 'certificate-arn': 'y,x' });
    expect(model!.listeners[0]!.certificates).toEqual(['x', 'y']);
  });

  test('attributes of the listener', () => {
    const key = 'listener-attributes.HTTP-80';
    expect(both({ [key]: 'a=1' }, { [key]: 'b=2' }).model!.listeners[0]!.attributes).toEqual({ a: '1', b: '2' });
    expect(both({ [key]: 'a=1' }, { [key]: 'a=2' }).event.message).toContain(
      'conflicting listener attributes a: 1 | 2 for ingress ing/b',
    );
  });
});
