import { describe, expect, test } from 'vitest';
import { balancerSections } from '../../src/cli/balancers';
import { ingress, type PathRow, service, SERVICES, type Suffixes } from '../balancer/objects';

const paths: PathRow[] = [
  ['Prefix', '/v1', 'vllm-leader', 8000],
  ['Prefix', '/chat', 'chat-app', 8080],
];

const sectionOf = (suffixes: Suffixes, rows: readonly PathRow[] = paths, options: { spec?: object } = {}): string[] => {
  const sections = balancerSections([...SERVICES, ingress({ 'target-type': 'ip', ...suffixes }, rows, options)]);
  expect(sections).toHaveLength(1);
  expect(sections[0]!.filter((line) => line.length > 80)).toEqual([]);
  return sections[0]!;
};

describe('the section of a balancer', () => {
  test('says where requests go', () => {
    expect(
      sectionOf({ 'healthcheck-path': '/health', 'load-balancer-attributes': 'idle_timeout.timeout_seconds=300' }),
    ).toEqual([
      'Balancer of Ingress ing/web',
      '  internal, idle timeout 300 s; clients: 0.0.0.0/0',
      '  HTTP 80  1  /chat, /chat/*  chat-app:8080     health /healthz',
      '           2  /v1, /v1/*      vllm-leader:8000  health /health',
      '              any other       answer 404',
    ]);
  });

  test('of TLS with a redirect', () => {
    expect(
      sectionOf({
        'listen-ports': '[{"HTTP":80},{"HTTPS":443}]',
        'certificate-arn': 'arn:1',
        'ssl-redirect': '443',
        'security-groups': 'sg-1',
      }),
    ).toEqual([
      'Balancer of Ingress ing/web',
      '  internal, idle timeout 60 s; clients: of security groups sg-1',
      '  HTTP 80       any request     redirect to HTTPS 443',
      '  HTTPS 443  1  /chat, /chat/*  chat-app:8080          health /healthz',
      '             2  /v1, /v1/*      vllm-leader:8000       health /',
      '                any other       answer 404',
    ]);
  });

  test('that cannot be built', () => {
    expect(sectionOf({ scheme: 'intern' })).toEqual([
      'Balancer of Ingress ing/web',
      '  FailedBuildModel: Failed build model due to unknown scheme: intern',
    ]);
  });

  test('says what is passed by, refused or not there', () => {
    expect(
      sectionOf({ 'healthcheck-pth': '/x', 'load-balancer-attributes': 'idle_timeout.timeout_seconds=9999' }, [
        ['Prefix', '/', 'nope', 80],
      ]),
    ).toEqual([
      'Balancer of Ingress ing/web',
      '  internal, idle timeout 9999 s; clients: 0.0.0.0/0',
      '  HTTP 80  1  /*         answer 503',
      '              any other  answer 404',
      "  AWS refuses load-balancer-attributes: idle_timeout.timeout_seconds is '9999';",
      '    it takes 1 to 4000',
      '  not in this bundle: Service ing/nope',
      '  unknown annotation alb.ingress.kubernetes.io/healthcheck-pth on Ingress',
      '    ing/web; did you mean alb.ingress.kubernetes.io/healthcheck-path?',
    ]);
  });

  test('stays within the line, whatever the names', () => {
    const long = `/${'a'.repeat(120)}`;
    const targetGroups = ['chat-app', 'vllm-leader'].map((serviceName) => ({ serviceName, servicePort: 'http', weight: 1 })); // prettier-ignore
    const header = [{ field: 'http-header', httpHeaderConfig: { httpHeaderName: 'X', values: ['é\u001b[2J'] } }];
    const lines = sectionOf(
      {
        'actions.both': JSON.stringify({ type: 'forward', forwardConfig: { targetGroups } }),
        'conditions.both': JSON.stringify(header),
      },
      [...paths, ['Exact', long, 'chat-app', 8080], ['Prefix', '/both', 'both', 'use-annotation']],
    );
    expect(lines.join('\n')).toContain('chat-app:http (1), vllm-leader:http (1)');
    expect(lines.join('\n')).not.toContain('\u001b');
  });

  test('is cut when there are many rules', () => {
    const many = Array.from({ length: 30 }, (_, n): PathRow => ['Exact', `/${n}`, 'chat-app', 8080]);
    expect(sectionOf({}, many)).toContain('               and 10 rules more');
  });

  test('of a group names it', () => {
    const member = (name: string) => ingress({ 'group.name': 'shared', 'target-type': 'ip' }, paths, { name });
    const [section, ...others] = balancerSections([member('b'), member('a'), service('x', 1), ...SERVICES]);
    expect(others).toEqual([]);
    expect(section![0]).toBe('Balancer of group shared: Ingress ing/a, ing/b');
  });
});
