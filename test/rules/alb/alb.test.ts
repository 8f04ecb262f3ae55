import { describe, expect, test } from 'vitest';
import {
  CPU_GROUP,
  CPU_POD,
  CPU_POD_BEHIND_BALANCER,
  edit,
  GROUP_SERVICE,
  INGRESS,
  POD_SERVICE,
  together,
} from '../../../src/rules/examples';
import { runRules } from '../../../src/rules/index';
import { objectsOf } from '../manifests';

type Change = readonly [from: string, to: string];

const PREFIX = 'alb.ingress.kubernetes.io/';
const HEALTH = `    ${PREFIX}healthcheck-path: /health\n`;
const IDLE = `    ${PREFIX}load-balancer-attributes: idle_timeout.timeout_seconds=300\n`;
const FLAG = '            - --port=8000\n';
const health = (path: string, more = ''): Change => [HEALTH, `    ${PREFIX}healthcheck-path: ${path}\n${more}`];
const annotation = (suffix: string, value: string): Change => [HEALTH, `${HEALTH}    ${PREFIX}${suffix}: ${value}\n`];
const flag = (...flags: string[]): Change => [FLAG, FLAG + flags.map((each) => `            - ${each}\n`).join('')];
const KEY = '            - { name: VLLM_API_KEY, valueFrom: { secretKeyRef: { name: key, key: key } } }\n';
const THREADS = '            - { name: OMP_NUM_THREADS, value: "5" }\n';
const KEYED: Change = [THREADS, THREADS + KEY];

/** What the rules of balancers say, `severity id object path`, of a pod behind a balancer with some changes. */
function said(changes: { ingress?: Change[]; service?: Change[]; pod?: Change[]; also?: string[] }): string[] {
  const { ingress = [], service = [], pod = [], also = [] } = changes;
  return saidOf(
    edit(INGRESS, ...ingress),
    edit(POD_SERVICE, ...service),
    edit(CPU_POD_BEHIND_BALANCER, ...pod),
    ...also,
  );
}

function saidOf(...manifests: string[]): string[] {
  return runRules(objectsOf(together(...manifests)))
    .filter(({ id }) => id.startsWith('alb/'))
    .map(({ severity, id, object, path }) => `${severity} ${id} ${object.kind}/${object.metadata.name} ${path}`);
}

const annotated = (suffix: string): string => `metadata.annotations['${PREFIX}${suffix}']`;

describe('alb/healthcheck-path', () => {
  const found = `error alb/healthcheck-path Ingress/api ${annotated('healthcheck-path')}`;

  test.each<[string, Change[], Change[]]>([
    ['/', [health('/')], []],
    ['/ with a query', [health('/?probe=1')], []],
    ['a path of other programs', [health('/healthz')], []],
    ['a path that vLLM never had', [health('/alive')], []],
    ['a path by POST alone', [health('/invocations')], []],
    ['a guarded path', [health('/v1/models')], [KEYED]],
    ['a path outside of the root path that is right within', [health('/')], [flag('--root-path=/llm')]],
    ['/ on an image without a release', [health('/')], [['v0.31.0-x86_64', 'latest']]],
    ['codes that do not hold it', [health('/', `    ${PREFIX}success-codes: 200-299,401\n`)], []],
    ['/ with flags that are not known', [health('/')], [flag('$(EXTRA)')]],
  ])('%s is found', (_, ingress, pod) => {
    expect(said({ ingress, pod })).toEqual([found]);
  });

  test.each<[string, Change[], Change[]]>([
    ['/ping', [health('/ping')], []],
    ['/metrics', [health('/metrics')], []],
    ['/v1/models without a key', [health('/v1/models')], []],
    ['codes that hold it', [health('/', `    ${PREFIX}success-codes: 200-499\n`)], []],
    ['another port', [health('/', `    ${PREFIX}healthcheck-port: "9000"\n`)], []],
    ['a middleware that may answer', [health('/')], [flag('--middleware=acme.Health')]],
    ['a root path', [health('/llm/health')], [flag('--root-path=/llm')]],
    ['a path of a release that is not known', [health('/alive')], [['v0.31.0-x86_64', 'latest']]],
    ['a path below another', [health('/acme/alive')], []],
    ['another program on the port', [health('/')], [['--port=8000', '--port=8001']]],
    ['an Ingress of another class', [health('/'), ['ingressClassName: alb', 'ingressClassName: nginx']], []],
  ])('%s is not', (_, ingress, pod) => {
    expect(said({ ingress, pod })).toEqual([]);
  });

  test('the annotation of the Service wins, and is what is named', () => {
    const own = (path: string): Change => [
      'metadata: { name: small-api, namespace: serving }',
      `metadata: { name: small-api, namespace: serving, annotations: { ${PREFIX}healthcheck-path: ${path} } }`,
    ];
    expect(said({ ingress: [health('/')], service: [own('/health')] })).toEqual([]);
    expect(said({ service: [own('/')] })).toEqual([
      `error alb/healthcheck-path Service/small-api ${annotated('healthcheck-path')}`,
    ]);
  });

  test('the leaders of a group are engines, its workers are not', () => {
    const ingress = edit(INGRESS, ['name: small-api', 'name: chat-leader'], health('/'), [IDLE, '']);
    expect(saidOf(ingress, GROUP_SERVICE, CPU_GROUP)).toEqual([
      `error alb/healthcheck-path Ingress/api ${annotated('healthcheck-path')}`,
      'warning alb/idle-timeout Ingress/api metadata.annotations',
      'warning alb/keep-alive-below-idle LeaderWorkerSet/chat ' +
        'spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].env',
    ]);
  });
});

describe('alb/idle-timeout and alb/keep-alive-below-idle', () => {
  const PARAMS = `apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: { name: alb }
spec:
  controller: ingress.k8s.aws/alb
  parameters: { apiGroup: elbv2.k8s.aws, kind: IngressClassParams, name: shared }
`;
  const idle = (seconds: number): Change => ['timeout_seconds=300', `timeout_seconds=${seconds}`];
  const keepAlive = (value: string): Change => ['value: "310"', `value: ${value}`];
  const idleFound = (severity: string, path = 'metadata.annotations') => [
    `${severity} alb/idle-timeout Ingress/api ${path}`,
  ];
  const keepFound = ['warning alb/keep-alive-below-idle Deployment/small spec.template.spec.containers[0].env[3]'];

  test.each<[string, Parameters<typeof said>[0], string[]]>([
    ['60 s, given', { ingress: [idle(60)] }, idleFound('warning', annotated('load-balancer-attributes'))],
    ['61 s', { ingress: [idle(61)] }, []],
    [
      'with comments that keep a stream open',
      { ingress: [idle(60)], pod: [flag('--sse-keep-alive-interval=15')] },
      idleFound('note', annotated('load-balancer-attributes')),
    ],
    ['in front of an embedding model', { ingress: [idle(60)], pod: [flag('--runner=pooling')] }, []],
    ['for the metrics alone', { ingress: [idle(60), ['path: /v1,', 'path: /metrics,']] }, []],
    ['parameters of the class that are elsewhere', { ingress: [[IDLE, '']], also: [PARAMS] }, idleFound('note')],
    ['a group that may have others', { ingress: [annotation('group.name', 'shared'), [IDLE, '']] }, idleFound('note')],
    ['as long as the balancer', { pod: [keepAlive('"300"')] }, keepFound],
    ['longer by a second', { pod: [keepAlive('"301"')] }, []],
    ['a text that is no number', { pod: [keepAlive('"5m"')] }, []],
  ])('%s', (_, changes, expected) => {
    expect(said(changes)).toEqual(expected);
  });

  test('a variable that may come from elsewhere is not judged', () => {
    const pod = edit(CPU_POD, [
      '          env:\n',
      '          envFrom: [{ configMapRef: { name: settings } }]\n          env:\n',
    ]);
    expect(saidOf(INGRESS, POD_SERVICE, pod)).toEqual([]);
  });
});

describe('what the controller refuses', () => {
  const INSTANCE: Change = [`    ${PREFIX}target-type: ip\n`, ''];
  const onService = (annotations: string): Change => [
    'metadata: { name: small-api, namespace: serving }',
    `metadata: { name: small-api, namespace: serving, annotations: { ${annotations} } }`,
  ];

  test.each<[string, Parameters<typeof said>[0], string[]]>([
    [
      'an interval that is no number',
      { ingress: [annotation('healthcheck-interval-seconds', 'fast')] },
      [`error alb/build-fails Ingress/api ${annotated('healthcheck-interval-seconds')}`],
    ],
    [
      'JSON that is none',
      { ingress: [['[{"HTTP":80}]', '[{HTTP:80}]']] },
      [`error alb/build-fails Ingress/api ${annotated('listen-ports')}`],
    ],
    [
      'a port that the Service does not have',
      { ingress: [['number: 8000', 'number: 80']] },
      ['error alb/build-fails Ingress/api spec'],
    ],
    [
      'a wildcard in a prefix',
      { ingress: [['path: /v1,', 'path: /v1*,']] },
      ['error alb/build-fails Ingress/api spec'],
    ],
    [
      'a time-out as long as the interval',
      { ingress: [annotation('healthcheck-timeout-seconds', '"15"')] },
      [`error alb/build-fails Ingress/api ${annotated('healthcheck-timeout-seconds')}`],
    ],
    [
      'a name of a group that is none',
      { ingress: [annotation('group.name', 'No_Name')] },
      [`error alb/build-fails Ingress/api ${annotated('group.name')}`],
    ],
    [
      'a ClusterIP behind nodes',
      { ingress: [INSTANCE] },
      ['error alb/instance-target Ingress/api metadata.annotations'],
    ],
    [
      'asked for',
      { ingress: [['target-type: ip', 'target-type: instance']] },
      [`error alb/instance-target Ingress/api ${annotated('target-type')}`],
    ],
    ['the type on the Service', { ingress: [INSTANCE], service: [onService(`${PREFIX}target-type: ip`)] }, []],
    ['a NodePort behind nodes', { ingress: [INSTANCE], service: [['spec:\n', 'spec:\n  type: NodePort\n']] }, []],
    [
      'an attribute beyond its bounds',
      { ingress: [['timeout_seconds=300', 'timeout_seconds=5000']], pod: [['value: "310"', 'value: "5010"']] },
      [`error alb/refused-by-aws Ingress/api ${annotated('load-balancer-attributes')}`],
    ],
    [
      'a threshold on the Service',
      { service: [onService(`${PREFIX}healthy-threshold-count: "1"`)] },
      [`error alb/refused-by-aws Service/small-api ${annotated('healthy-threshold-count')}`],
    ],
    [
      'HTTP/2 to an engine',
      { ingress: [annotation('backend-protocol-version', 'HTTP2')] },
      [`error alb/backend-protocol Ingress/api ${annotated('backend-protocol-version')}`],
    ],
    [
      'HTTPS to an engine with a certificate',
      { ingress: [annotation('backend-protocol', 'HTTPS')], pod: [flag('--ssl-certfile=/tls/tls.crt')] },
      [],
    ],
    [
      'HTTP to an engine with a certificate',
      { pod: [flag('--ssl-certfile=/tls/tls.crt')] },
      ['error alb/backend-protocol Ingress/api metadata.annotations'],
    ],
    [
      'an annotation of the Ingress on the Service',
      { service: [onService(`${PREFIX}scheme: internal`)] },
      [`warning alb/unknown-annotation Service/small-api ${annotated('scheme')}`],
    ],
    [
      'an annotation of the first controller',
      { ingress: [annotation('connection-idle-timeout', '"300"')] },
      [`warning alb/unknown-annotation Ingress/api ${annotated('connection-idle-timeout')}`],
    ],
    [
      'an annotation near to none',
      { ingress: [annotation('zzzzzzzzzzzzzzzz', '"1"')] },
      [`note alb/unknown-annotation Ingress/api ${annotated('zzzzzzzzzzzzzzzz')}`],
    ],
  ])('%s', (_, changes, expected) => {
    expect(said(changes)).toEqual(expected);
  });

  test('a Service that is missing from a bundle without any is a note', () => {
    expect(saidOf(INGRESS)).toEqual(['note alb/missing-service Ingress/api spec.rules[0].http.paths[0].backend']);
  });

  test('the headless Service of a group is there', () => {
    const ingress = edit(INGRESS, ['name: small-api', 'name: chat']);
    expect(saidOf(ingress, GROUP_SERVICE, CPU_GROUP)).toEqual([]);
  });
});

describe('alb/rule-never-matches', () => {
  const path = (text: string): string =>
    `          - { path: ${text}, pathType: Prefix, backend: { service: { name: small-api, port: { number: 8000 } } } }\n`;
  const rules = (...hosts: [host: string, ...paths: string[]][]): Change[] => [
    ['    - http:\n        paths:\n', ''],
    [
      path('/v1'),
      hosts.map(([host, ...paths]) => `    - ${host}http:\n        paths:\n${paths.map(path).join('')}`).join(''),
    ],
  ];

  test.each<[string, Change[], string[]]>([
    ['the same path twice', rules(['', '/v1', '/v1']), ['spec.rules[0].http.paths[1]']],
    ['any host before one', rules(['', '/'], ['host: a.example\n      ', '/v1']), ['spec.rules[1].http.paths[0]']],
    ['one host before any', rules(['host: a.example\n      ', '/v1'], ['', '/']), []],
    ['two hosts', rules(['host: a.example\n      ', '/'], ['host: b.example\n      ', '/']), []],
    [
      'hosts that a pattern holds',
      rules(['host: "*.example"\n      ', '/'], ['host: B.example\n      ', '/x']),
      ['spec.rules[1].http.paths[0]'],
    ],
    ['the catch-all first', rules(['', '/', '/v1']), []],
    ['a longer path of the same start', rules(['', '/v1', '/v11']), []],
  ])('%s', (_, ingress, paths) => {
    expect(said({ ingress })).toEqual(paths.map((each) => `warning alb/rule-never-matches Ingress/api ${each}`));
  });
});
