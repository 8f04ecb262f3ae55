import { App, Duration } from 'cdk8s';
import {
  AlbAlgorithm,
  AlbIngress,
  AlbIngressClass,
  type AlbIngressProps,
  AlbRoute,
  AlbScheme,
  LeaderService,
  VllmPipelineGroup,
} from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { type ErrorCase, expectError } from '../common/errors';
import { newChart, newChat, newGroup } from './harness';

const arn = 'arn:aws:acm:us-east-1:123456789012:certificate/1';
const routes = [AlbRoute.service('/x', 'x', 80)];
const ingress =
  (props: Partial<AlbIngressProps>, id = 'ingress') =>
  () =>
    new AlbIngress(newChart(), id, { routes, ...props });

const errors: ErrorCase[] = [
  ['id as a name', ingress({}, 'A_b'), "name of the Ingress is 'A_b'"],
  ['no routes', ingress({ routes: [] }), 'routes is empty', 'AlbRoute.api(api)'],
  ['two ways', ingress({ routes: [...routes, AlbRoute.service('/x', 'y', 80)] }), "path '/x' to both 'x' and 'y'"],
  ['host', ingress({ host: 'a_b' }), "host is 'a_b'"],
  [
    'everyone by default',
    ingress({ scheme: AlbScheme.INTERNET_FACING }),
    'inboundCidrs is missing',
    "['0.0.0.0/0'] for everyone",
  ],
  ['no addresses', ingress({ inboundCidrs: [] }), 'inboundCidrs is empty', 'open the balancer to everyone'],
  [
    'two guards',
    ingress({ inboundCidrs: ['10.0.0.0/8'], securityGroups: ['sg'] }),
    'securityGroups and inboundCidrs',
    'leave one out',
  ],
  ['no subnets', ingress({ subnets: [] }), 'subnets is empty', 'leave it out'],
  ['no security groups', ingress({ securityGroups: [] }), 'securityGroups is empty', 'leave it out'],
  [
    'httpPort without HTTP',
    ingress({ httpPort: 81, tls: { certificateArns: [arn], redirect: false } }),
    'httpPort is 81',
    'tls.redirect is false',
  ],
  ['httpPort of TLS', ingress({ httpPort: 443, tls: { certificateArns: [arn] } }), 'httpPort is 443', 'take another'],
  ['no certificate', ingress({ tls: { certificateArns: [] } }), 'tls.certificateArns is empty', 'port 443'],
  ['certificate', ingress({ tls: { certificateArns: ['x'] } }), "tls.certificateArns holds 'x'", 'arn:aws:acm:'],
  ['two certificates in one', ingress({ tls: { certificateArns: [`${arn},${arn}`] } }), 'tls.certificateArns holds'],
  ['policy', ingress({ tls: { certificateArns: [arn], policy: '' } }), "tls.policy is ''", 'name of a policy'],
  ['an address as host', ingress({ host: '192.168.0.1' }), "host is '192.168.0.1'", 'takes a name'],
  ['one subnet', ingress({ subnets: ['subnet-1'] }), "subnets is ['subnet-1']", 'two or more'],
  ['two subnets in one', ingress({ subnets: ['a,b', 'c'] }), "subnets holds 'a,b'", 'without commas'],
  ['a subnet without a name', ingress({ subnets: ['', 'c'] }), "subnets holds ''"],
  ['prefix with zeros', ingress({ inboundCidrs: ['10.0.0.0/008'] }), "inboundCidrs holds '10.0.0.0/008'"],
  ['address of a link', ingress({ inboundCidrs: ['fe80::1%eth0/64'] }), "inboundCidrs holds 'fe80::1%eth0/64'"],
  ['a path upwards', () => AlbRoute.service('/a/../b', 'x', 80), "path is '/a/../b'", "'.' and '..'"],
  ['a path of 127', () => AlbRoute.service(`/${'a'.repeat(126)}`, 'x', 80), 'at most 126 characters'],
  ['groupName', ingress({ groupName: 'A' }), "groupName is 'A'", 'at most 63'],
  ['groupName of 64', ingress({ groupName: 'a'.repeat(64) }), 'at most 63'],
  ['order without a group', ingress({ groupOrder: 1 }), 'groupOrder is 1 and groupName is missing'],
  ['loadBalancerName', ingress({ loadBalancerName: '-a' }), "loadBalancerName is '-a'", 'at most 32'],
  ['loadBalancerName of 33', ingress({ loadBalancerName: 'a'.repeat(33) }), 'at most 32'],
  ['loadBalancerName of AWS', ingress({ loadBalancerName: 'internal-a' }), "not starting with 'internal-'"],
  ['class', () => AlbIngressClass.create('A'), "name of the IngressClass is 'A'"],
  [
    'prefix without a bucket',
    ingress({ attributes: { accessLogsPrefix: 'p' } }),
    "accessLogsPrefix is 'p'",
    'accessLogsBucket is missing',
  ],
  [
    'bucket',
    ingress({ attributes: { accessLogsBucket: 's3://b' } }),
    "accessLogsBucket is 's3://b'",
    "without 's3://'",
  ],
  [
    'slow start',
    ingress({ targetGroupAttributes: { slowStart: Duration.seconds(30), algorithm: AlbAlgorithm.WEIGHTED_RANDOM } }),
    'slowStart works with round_robin alone, and algorithm is weighted_random',
  ],
  ['name behind a route', () => AlbRoute.service('/x', '1x', 80), "name of the Service is '1x'"],
  ['port behind a route', () => AlbRoute.service('/x', 'x', 0), 'port of Service x is 0', 'from 1 to 65535'],
];

describe('AlbIngress refuses', () => {
  test.each(errors)('%s', (_, cause, ...parts) => expectError(cause, ...parts));

  test.each([
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0/8',
    '::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    'all',
    ' 10.0.0.0/8',
    '10.0.0.0/-1',
  ])("range '%s'", (cidr) =>
    expectError(ingress({ inboundCidrs: [cidr] }), `inboundCidrs holds '${cidr}'`, "'10.0.0.0/8'"),
  );

  test.each(['', 'x', '/x/', '//', '/x*', '/a b', '/a//b', '/ä', '/a,b'])("path '%s'", (path) => {
    expectError(() => AlbRoute.service(path, 'x', 80), `path is '${path}'`, "'/chat'", 'without wildcards');
  });
});

/** A number of seconds by the prop that holds it. */
const seconds = {
  idleTimeout: (n: number) => ingress({ idleTimeout: Duration.seconds(n) }),
  clientKeepAlive: (n: number) => ingress({ attributes: { clientKeepAlive: Duration.seconds(n) } }),
  deregistrationDelay: (n: number) => ingress({ targetGroupAttributes: { deregistrationDelay: Duration.seconds(n) } }),
  stickiness: (n: number) => ingress({ targetGroupAttributes: { stickiness: Duration.seconds(n) } }),
  slowStart: (n: number) => ingress({ targetGroupAttributes: { slowStart: Duration.seconds(n) } }),
  httpPort: (n: number) => ingress({ httpPort: n }),
  groupOrder: (n: number) => ingress({ groupName: 'g', groupOrder: n }),
};

describe('ranges', () => {
  test.each([
    ['idleTimeout', 1, 4000],
    ['clientKeepAlive', 60, 604_800],
    ['deregistrationDelay', 0, 3600],
    ['stickiness', 1, 604_800],
    ['slowStart', 30, 900],
    ['httpPort', 1, 65_535],
    ['groupOrder', -1000, 1000],
  ] as const)('%s goes from %d to %d', (prop, min, max) => {
    const make = seconds[prop];
    expect(make(min)).not.toThrow();
    expect(make(max)).not.toThrow();
    expectError(make(max + 1), `${prop} is ${max + 1}`, `from ${min} to ${max}`);
    if (min !== 0) {
      expectError(make(min - 1), `${prop} is ${min - 1}`, `from ${min} to ${max}`);
    }
  });

  test.each(['10.0.0.0/0', '10.0.0.0/32', '::/0', '2001:db8::1/128'])("'%s' is a range", (cidr) => {
    expect(ingress({ inboundCidrs: [cidr] })).not.toThrow();
  });

  test.each(['/', '/x', '/a/b.c', "/~u:@&+$'_-", '/a"b'])("'%s' is a path", (path) => {
    expect(() => AlbRoute.service(path, 'x', 80)).not.toThrow();
  });
});

describe('the idle timeout', () => {
  const chart = newChart();
  const { api, chat } = newChat(chart);
  const slow = new LeaderService(chart, 'elsewhere', { group: VllmPipelineGroup.fromName('far') });

  test.each([
    ['API', AlbRoute.api(api), 'gemma-leader', 310],
    ['chat', AlbRoute.chat(chat), 'chat-app', 310],
    ['server', AlbRoute.wholeServer('/', api), 'gemma-leader', 310],
    ['group made elsewhere', AlbRoute.wholeServer('/far', slow), 'elsewhere', 5],
  ])('stays below the keep-alive of the %s', (_, route, service, keepAlive) => {
    const make = (n: number) => ingress({ routes: [...routes, route], idleTimeout: Duration.seconds(n) });
    expect(make(keepAlive - 1)).not.toThrow();
    expectError(
      make(keepAlive),
      `idleTimeout is ${keepAlive} s and '${service}' closes idle connections after ${keepAlive} s`,
      'answer 502',
      'raise the keepAliveTimeout of the ',
    );
  });
});

describe('routes', () => {
  test('to an API without a key are taken by name only', () => {
    const chart = newChart();
    const api = new LeaderService(chart, 'leader', { group: newGroup(chart) });
    expectError(
      () => AlbRoute.api(api),
      "group 'gemma' has no apiKey",
      "SecretKey.of('vllm-api-key', 'key')",
      "AlbRoute.wholeServer('/v1', api)",
    );
    expect(AlbRoute.wholeServer('/v1', api).path).toBe('/v1');
  });

  test('stay within the namespace of the Ingress', () => {
    const app = new App();
    const { api, chat } = newChat(newChart({ namespace: 'a' }, app, 'a'));
    for (const route of [AlbRoute.api(api), AlbRoute.chat(chat)]) {
      expectError(
        () => new AlbIngress(newChart({ namespace: 'b' }, app, `b${route.path.slice(1)}`), 'i', { routes: [route] }),
        `Service '${route.serviceName}' in namespace 'a'`,
        "the Ingress is in 'b'",
        'its own namespace only',
      );
    }
    expect(
      () => new AlbIngress(newChart({ namespace: 'a' }, app, 'c'), 'i', { routes: [AlbRoute.api(api)] }),
    ).not.toThrow();
  });

  test('from a chart without a namespace do not reach into one', () => {
    const app = new App();
    const { api } = newChat(newChart({}, app, 'a'));
    const other = newChart({ namespace: 'b' }, app, 'b');
    expect(() => new AlbIngress(other, 'i', { routes: [AlbRoute.api(api)] })).toThrow('its own namespace only');
  });
});
