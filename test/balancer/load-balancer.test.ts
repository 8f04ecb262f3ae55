import { describe, expect, test } from 'vitest';
import { buildErrorOf, ingress, ingressClass, modelOf, planOf, type Suffixes } from './objects';

const both = (a: Suffixes, b: Suffixes) =>
  planOf(
    ingress({ 'target-type': 'ip', 'group.name': 'g', ...a }, undefined, { name: 'a' }),
    ingress({ 'target-type': 'ip', 'group.name': 'g', ...b }, [], { name: 'b' }),
  );

describe('one Ingress', () => {
  test('what holds without annotations', () => {
    expect(modelOf().loadBalancer).toEqual({
      scheme: 'internal',
      ipAddressType: 'ipv4',
      attributes: {},
      tags: {},
      hasFrontendNlb: false,
    });
  });

  test('what annotations say', () => {
    const suffixes = {
      scheme: 'internet-facing',
      'ip-address-type': 'dualstack-without-public-ipv4',
      subnets: 'a, b',
      'load-balancer-attributes': 'idle_timeout.timeout_seconds=300,access_logs.s3.prefix=a\\,b',
      tags: 'team=x',
      'load-balancer-name': 'web',
      'wafv2-acl-arn': 'arn:waf',
      'shield-advanced-protection': 'true',
      'enable-frontend-nlb': 'true',
    };
    expect(modelOf(suffixes).loadBalancer).toEqual({
      name: 'web',
      scheme: 'internet-facing',
      ipAddressType: 'dualstack-without-public-ipv4',
      subnets: ['a', 'b'],
      attributes: { 'idle_timeout.timeout_seconds': '300', 'access_logs.s3.prefix': 'a,b' },
      tags: { team: 'x' },
      wafAcl: 'arn:waf',
      shield: true,
      hasFrontendNlb: true,
    });
  });

  test.each([
    [{ scheme: 'public' }, 'unknown scheme: public'],
    [{ scheme: '' }, 'unknown scheme: '],
    [{ 'ip-address-type': 'ipv6' }, 'unknown IPAddressType: ipv6'],
    [{ 'load-balancer-name': 'ä'.repeat(17) }, 'load balancer name cannot be longer than 32 characters'],
    [
      { 'customer-owned-ipv4-pool': '' },
      'cannot use empty value for customer-owned-ipv4-pool annotation, ingress: ing/web',
    ],
    [{ tags: 'a' }, 'failed to parse stringMap annotation, alb.ingress.kubernetes.io/tags: a'],
  ])('%j is refused', (suffixes, message) => {
    expect(buildErrorOf(suffixes)).toBe(message);
  });

  test('an unknown attribute is refused by AWS, at every try', () => {
    const plan = planOf(ingress({ 'target-type': 'ip', 'load-balancer-attributes': 'idle_timeout=60' }));
    expect(plan.event.reason).toBe('FailedDeployModel');
    expect(plan.event.message).toMatch(/ModifyLoadBalancerAttributes.*: Key idle_timeout not valid$/);
  });
});

describe('a group', () => {
  test.each([
    [{ scheme: 'internal' }, { scheme: 'internet-facing' }, 'conflicting scheme: map[internal:{} internet-facing:{}]'],
    [{ 'ip-address-type': 'ipv4' }, { 'ip-address-type': 'dualstack' }, 'conflicting IPAddressType: [dualstack ipv4]'],
    [{ subnets: 'a,b' }, { subnets: 'a,c' }, 'conflicting subnets: [a b] | [a c]'],
    [{ 'security-groups': 'a,b' }, { 'security-groups': 'b,a' }, 'conflicting securityGroups: [a b] | [b a]'],
    [{ 'load-balancer-attributes': 'a=1' }, { 'load-balancer-attributes': 'a=2' }, 'conflicting attributes a: 1 | 2'],
    [{ tags: 'a=1' }, { tags: 'a=2' }, 'conflicting tag a: 1 | 2'],
    [{ 'load-balancer-name': 'x' }, { 'load-balancer-name': 'y' }, 'conflicting load balancer name: map[x:{} y:{}]'],
    [{ 'wafv2-acl-arn': 'x' }, { 'wafv2-acl-arn': 'y' }, 'conflicting WAFv2 WebACL ARNs: [x y]'],
    [{ 'waf-acl-id': 'x' }, { 'web-acl-id': 'y' }, 'conflicting WAFClassic WebACL IDs: [x y]'],
    [
      { 'shield-advanced-protection': 'true' },
      { 'shield-advanced-protection': 'false' },
      'conflicting enable shield advanced protection',
    ],
    [
      { 'security-groups': 'a', 'manage-backend-security-group-rules': '1' },
      { 'manage-backend-security-group-rules': 'F' },
      'conflicting manage backend security group rules settings',
    ],
  ])('%j and %j', (a, b, message) => {
    expect(both(a, b).event).toEqual({ reason: 'FailedBuildModel', message: `Failed build model due to ${message}` });
  });

  test('redirects to one port', () => {
    const ports = { 'listen-ports': '[{"HTTPS":443},{"HTTPS":8443}]' };
    expect(both({ ...ports, 'ssl-redirect': '8443' }, { ...ports, 'ssl-redirect': '443' }).event.message).toContain(
      'conflicting sslRedirect port: [443 8443]',
    );
  });

  test('subnets in another order are the same', () => {
    expect(both({ subnets: 'a,b' }, { subnets: 'b,a' }).model!.loadBalancer.subnets).toEqual(['a', 'b']);
  });

  test('what only one says holds', () => {
    const { model } = both({}, { scheme: 'internet-facing', 'load-balancer-attributes': 'waf.fail_open.enabled=true' });
    expect(model!.loadBalancer).toMatchObject({
      scheme: 'internet-facing',
      attributes: { 'waf.fail_open.enabled': 'true' },
    });
  });
});

describe('parameters of the class', () => {
  const own = (params: object, suffixes: Suffixes = {}) =>
    planOf(
      ...ingressClass('own', params),
      ingress({ 'target-type': 'ip', ...suffixes }, undefined, { spec: { ingressClassName: 'own' } }),
    );

  test('win over annotations', () => {
    const plan = own(
      {
        scheme: 'internet-facing',
        ipAddressType: 'dualstack',
        subnets: { ids: ['subnet-1', 'subnet-2'] },
        tags: [{ key: 'a', value: 'class' }],
        loadBalancerAttributes: [{ key: 'idle_timeout.timeout_seconds', value: '90' }],
        loadBalancerName: 'class',
        certificateArn: ['arn:class'],
        sslPolicy: 'class',
        prefixListsIDs: ['pl-9'],
        listeners: [{ protocol: 'HTTPS', port: 443, listenerAttributes: [{ key: 'l', value: '1' }] }],
      },
      {
        scheme: 'internal',
        subnets: 'x,y',
        tags: 'a=ingress,b=2',
        'load-balancer-attributes': 'idle_timeout.timeout_seconds=300,waf.fail_open.enabled=true',
        'load-balancer-name': 'ingress',
        'certificate-arn': 'arn:ingress',
        'listener-attributes.HTTPS-443': 'l=2,m=3',
      },
    );
    expect(plan.model!.loadBalancer).toEqual({
      name: 'class',
      scheme: 'internet-facing',
      ipAddressType: 'dualstack',
      subnets: ['subnet-1', 'subnet-2'],
      attributes: { 'idle_timeout.timeout_seconds': '90', 'waf.fail_open.enabled': 'true' },
      tags: { a: 'class', b: '2' },
      hasFrontendNlb: false,
    });
    expect(plan.model!.listeners[0]).toMatchObject({
      certificates: ['arn:class'],
      sslPolicy: 'class',
      inbound: { cidrs: [], prefixLists: ['pl-9'] },
      attributes: { l: '1', m: '3' },
    });
  });

  test('a redirect port that is no number turns the redirect off', () => {
    const ports = { 'listen-ports': '[{"HTTP":80},{"HTTPS":443}]', 'ssl-redirect': '443' };
    expect(own({ sslRedirectPort: 'https' }, ports).model!.listeners[0]!.rules).toHaveLength(1);
    expect(own({ sslRedirectPort: '443' }, ports).model!.listeners[0]!.rules).toHaveLength(0);
  });

  test('subnets of a class and of an annotation elsewhere in the group', () => {
    const plan = planOf(
      ...ingressClass('own', { subnets: { ids: ['s'] } }),
      ingress({ 'group.name': 'g' }, [], { name: 'a', spec: { ingressClassName: 'own' } }),
      ingress({ 'group.name': 'g', subnets: 'x,y' }, [], { name: 'b' }),
    );
    expect(plan.event.message).toContain('conflicting subnet specifications: IngressClassParams versus annotation');
  });
});
