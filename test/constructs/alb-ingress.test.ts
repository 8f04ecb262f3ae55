import { type Chart, Duration } from 'cdk8s';
import {
  AlbAlgorithm,
  type AlbAttributes,
  AlbIngress,
  AlbIngressClass,
  type AlbIngressProps,
  AlbRoute,
  AlbScheme,
  type AlbTargetGroupAttributes,
  type AlbTls,
} from 'cdk8s-vllm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { find, newChart, newChat, synth } from './harness';

interface IngressSpec {
  readonly ingressClassName: string;
  readonly rules: { host?: string; http: { paths: { path: string; pathType: string; backend: unknown }[] } }[];
}

const arn = 'arn:aws:acm:us-east-1:123456789012:certificate/1';
const attributes: Required<AlbAttributes> = {
  clientKeepAlive: Duration.hours(2),
  http2: false,
  dropInvalidHeaderFields: true,
  deletionProtection: true,
  accessLogsBucket: 'logs',
  accessLogsPrefix: 'vllm,a',
};
const targetGroupAttributes: Required<AlbTargetGroupAttributes> = {
  deregistrationDelay: Duration.seconds(45),
  algorithm: AlbAlgorithm.ROUND_ROBIN,
  stickiness: Duration.hours(1),
  slowStart: Duration.seconds(60),
};
const tls: Required<AlbTls> = { certificateArns: [arn, `${arn}2`], policy: 'ELBSecurityPolicy-X', redirect: true };
const common: Required<Omit<AlbIngressProps, 'inboundCidrs' | 'securityGroups'>> = {
  routes: [AlbRoute.service('/grafana', 'grafana', 3000)],
  name: 'front',
  host: '*.example.com',
  scheme: AlbScheme.INTERNET_FACING,
  idleTimeout: Duration.seconds(250),
  httpPort: 8080,
  tls,
  attributes,
  targetGroupAttributes,
  groupName: 'shared',
  groupOrder: -7,
  loadBalancerName: 'vllm-front',
  subnets: ['subnet-1', 'subnet-2'],
  tags: { team: 'ai', note: 'a,b' },
  ingressClass: AlbIngressClass.create('own'),
};
// The controller ignores the addresses when the security groups are given: two objects cover all props.
const byAddress: Required<Omit<AlbIngressProps, 'securityGroups'>> = {
  ...common,
  inboundCidrs: ['203.0.113.0/24', '2001:db8::/32'],
};
const byGroup: Required<Omit<AlbIngressProps, 'inboundCidrs'>> = { ...common, securityGroups: ['sg-1', 'sg-2'] };

function newIngress(props: Partial<AlbIngressProps> = {}): { chart: Chart; ingress: AlbIngress } {
  const chart = newChart();
  const routes = [AlbRoute.service('/x', 'x', 80)];
  return { chart, ingress: new AlbIngress(chart, 'ingress', { routes, ...props }) };
}

function render(props: Partial<AlbIngressProps> = {}) {
  const { chart, ingress } = newIngress(props);
  const object = find<IngressSpec>(chart, 'Ingress');
  const annotations = Object.entries(object.metadata.annotations!).map(([key, value]) => [
    key.replace('alb.ingress.kubernetes.io/', ''),
    value,
  ]);
  return { chart, ingress, object, annotations: Object.fromEntries(annotations) as Record<string, string | undefined> };
}

const all = render(byAddress);
const params = () => find(all.chart, 'IngressClassParams').spec;

/** What each prop does. One line a prop, or this file does not compile. */
const effects: Record<keyof AlbIngressProps, () => void> = {
  routes: () =>
    expect(all.object.spec.rules[0]!.http.paths).toEqual([
      { path: '/grafana', pathType: 'Prefix', backend: { service: { name: 'grafana', port: { number: 3000 } } } },
    ]),
  name: () => expect([all.object.metadata.name, all.ingress.ingressName]).toEqual(['front', 'front']),
  host: () => expect(all.object.spec.rules[0]!.host).toBe('*.example.com'),
  scheme: () => expect([all.annotations.scheme, params().scheme]).toEqual(['internet-facing', 'internet-facing']),
  inboundCidrs: () => {
    expect(all.annotations['inbound-cidrs']).toBe('203.0.113.0/24,2001:db8::/32');
    expect(params().inboundCIDRs).toEqual(byAddress.inboundCidrs);
  },
  idleTimeout: () => {
    expect(all.annotations['load-balancer-attributes']).toContain('idle_timeout.timeout_seconds=250');
    expect(all.ingress.idleTimeout.toSeconds()).toBe(250);
  },
  httpPort: () => expect(all.annotations['listen-ports']).toBe('[{"HTTP":8080},{"HTTPS":443}]'),
  tls: () => {
    expect(all.annotations).toMatchObject({
      'certificate-arn': `${arn},${arn}2`,
      'ssl-policy': 'ELBSecurityPolicy-X',
      'ssl-redirect': '443',
    });
    expect(params()).toMatchObject({ certificateArn: tls.certificateArns, sslPolicy: 'ELBSecurityPolicy-X' });
  },
  attributes: () =>
    expect(all.annotations['load-balancer-attributes']!.split(/(?<!\\),/)).toEqual([
      'idle_timeout.timeout_seconds=250',
      'client_keep_alive.seconds=7200',
      'routing.http2.enabled=false',
      'routing.http.drop_invalid_header_fields.enabled=true',
      'deletion_protection.enabled=true',
      'access_logs.s3.enabled=true',
      'access_logs.s3.bucket=logs',
      'access_logs.s3.prefix=vllm\\,a',
    ]),
  targetGroupAttributes: () =>
    expect(all.annotations['target-group-attributes']!.split(',')).toEqual([
      'deregistration_delay.timeout_seconds=45',
      'load_balancing.algorithm.type=round_robin',
      'stickiness.enabled=true',
      'stickiness.type=lb_cookie',
      'stickiness.lb_cookie.duration_seconds=3600',
      'slow_start.duration_seconds=60',
    ]),
  groupName: () => expect(all.annotations['group.name']).toBe('shared'),
  groupOrder: () => expect(all.annotations['group.order']).toBe('-7'),
  loadBalancerName: () => expect(all.annotations['load-balancer-name']).toBe('vllm-front'),
  subnets: () => expect(all.annotations.subnets).toBe('subnet-1,subnet-2'),
  securityGroups: () => {
    const { annotations, chart } = render(byGroup);
    expect(annotations['security-groups']).toBe('sg-1,sg-2');
    expect(annotations['inbound-cidrs']).toBeUndefined();
    expect(find(chart, 'IngressClassParams').spec.inboundCIDRs).toBeUndefined();
  },
  tags: () => expect(all.annotations.tags).toBe('team=ai,note=a\\,b'),
  ingressClass: () => {
    expect(all.object.spec.ingressClassName).toBe('own');
    expect(find(all.chart, 'IngressClass')).toEqual({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'own' },
      spec: {
        controller: 'ingress.k8s.aws/alb',
        parameters: { apiGroup: 'elbv2.k8s.aws', kind: 'IngressClassParams', name: 'own' },
      },
    });
    expect(find(all.chart, 'IngressClassParams').metadata).toEqual({ name: 'own' });
    expect(params().targetType).toBe('ip');
  },
};

describe('AlbIngress, all props', () => {
  test.each(Object.entries(effects))('%s', (_, check) => check());
});

describe('AlbIngress by default', () => {
  test('is internal, straight to the pods, on port 80, for private addresses, five minutes', () => {
    const { annotations, object, chart } = render();
    expect(annotations).toEqual({
      scheme: 'internal',
      'target-type': 'ip',
      'listen-ports': '[{"HTTP":80}]',
      'inbound-cidrs': '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16',
      'load-balancer-attributes': 'idle_timeout.timeout_seconds=300',
    });
    expect(object.spec.ingressClassName).toBe('alb');
    expect(synth(chart)).toHaveLength(1);
  });

  test('routes the chat page and the guarded API, and nothing else of the server', () => {
    const chart = newChart();
    const { api, chat } = newChat(chart);
    new AlbIngress(chart, 'ingress', { routes: [AlbRoute.api(api), AlbRoute.chat(chat)] });
    expect(find<IngressSpec>(chart, 'Ingress').spec.rules[0]!.http.paths).toEqual([
      { path: '/chat', pathType: 'Prefix', backend: { service: { name: 'chat-app', port: { number: 8080 } } } },
      { path: '/v1', pathType: 'Prefix', backend: { service: { name: 'gemma-leader', port: { number: 8000 } } } },
    ]);
  });

  test('the whole server stands last, and only by that name', () => {
    const chart = newChart();
    const { api, chat } = newChat(chart);
    new AlbIngress(chart, 'ingress', { routes: [AlbRoute.wholeServer('/', api), AlbRoute.chat(chat)] });
    const { paths } = find<IngressSpec>(chart, 'Ingress').spec.rules[0]!.http;
    expect(paths.map(({ path }) => path)).toEqual(['/chat', '/']);
  });
});

describe('paths', () => {
  const known = ['/', '/v1', '/v1/models', '/v1/chat', '/v', '/chat', '/chat/api', '/chatter', '/a/b/c', '/a/b'];

  test('stand from specific to general, the same for any order of routes', () => {
    const inOrder = (paths: string[]): string[] => {
      const routes = paths.map((path, i) => AlbRoute.service(path, `s${i}`, 80));
      return render({ routes }).object.spec.rules[0]!.http.paths.map(({ path }) => path);
    };
    fc.assert(
      fc.property(fc.shuffledSubarray(known, { minLength: 1 }), (paths) => {
        const sorted = inOrder(paths);
        expect([...sorted].sort()).toEqual([...paths].sort());
        for (const [i, general] of sorted.entries()) {
          const later = sorted.slice(i + 1).filter((path) => path.startsWith(general === '/' ? '/' : `${general}/`));
          expect(later).toEqual([]);
        }
        expect(inOrder([...paths].reverse())).toEqual(sorted);
      }),
      { numRuns: 50 },
    );
  });
});

describe('TLS', () => {
  test.each([
    [{ certificateArns: [arn] }, '[{"HTTP":80},{"HTTPS":443}]', '443'],
    [{ certificateArns: [arn], redirect: true }, '[{"HTTP":80},{"HTTPS":443}]', '443'],
    [{ certificateArns: [arn], redirect: false }, '[{"HTTPS":443}]', undefined],
  ])('%j', (given, ports, redirect) => {
    const { annotations } = render({ tls: given });
    expect(annotations['listen-ports']).toBe(ports);
    expect(annotations['ssl-redirect']).toBe(redirect);
    expect(annotations['ssl-policy']).toBe('ELBSecurityPolicy-TLS13-1-2-2021-06');
  });
});
