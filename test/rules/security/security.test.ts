import { describe, expect, test } from 'vitest';
import { CPU_GROUP, CPU_POD, edit, INGRESS, POD_SERVICE, together } from '../../../src/rules/examples';
import { runRules } from '../../../src/rules/index';
import { GUARDED_POD, podWith, PUBLIC_INGRESS } from '../../../src/rules/security/examples';
import { objectsOf } from '../manifests';

type Change = readonly [from: string, to: string];

/** What the rules of security say: `severity id object path`. */
function said(...manifests: string[]): string[] {
  return runRules(objectsOf(together(...manifests)))
    .filter(({ id }) => id.startsWith('security/'))
    .map(({ severity, id, object, path }) => `${severity} ${id} ${object.kind}/${object.metadata.name} ${path}`);
}

const PREFIX = 'alb.ingress.kubernetes.io/';
const annotation = (suffix: string, value: string): Change => [
  '  annotations:\n',
  `  annotations:\n    ${PREFIX}${suffix}: ${value}\n`,
];
const WHOLE: Change = ['path: /v1,', 'path: /,'];
const FIRST_PATH = 'spec.rules[0].http.paths[0]';

describe('what an Ingress publishes', () => {
  const OIDC = `'{"issuer":"https://a.example","authorizationEndpoint":"https://a.example/a","tokenEndpoint":"https://a.example/t","userInfoEndpoint":"https://a.example/u","secretName":"oidc"}'`;
  const PLAIN_AND_TLS: Change = ['[{"HTTPS":443}]', '[{"HTTP":80},{"HTTPS":443}]'];
  const plain = `warning security/public-plain-http Ingress/api metadata.annotations['${PREFIX}listen-ports']`;

  test.each<[string, Change[], string, string[]]>([
    ['all of a guarded engine', [WHOLE], GUARDED_POD, [`warning security/unguarded-paths Ingress/api ${FIRST_PATH}`]],
    [
      '/invocations alone',
      [['path: /v1,', 'path: /invocations,']],
      GUARDED_POD,
      [`warning security/unguarded-paths Ingress/api ${FIRST_PATH}`],
    ],
    [
      'all, behind a sign-in',
      [WHOLE, annotation('auth-type', 'oidc'), annotation('auth-idp-oidc', OIDC)],
      GUARDED_POD,
      [],
    ],
    [
      'all, by a middleware that may guard it',
      [WHOLE],
      edit(GUARDED_POD, [
        '            - --port=8000\n',
        '            - --port=8000\n            - --middleware=acme.Guard\n',
      ]),
      [],
    ],
    [
      'all of an engine without a key',
      [WHOLE],
      podWith('{ name: X, value: "1" }'),
      [`warning security/public-without-key Ingress/api ${FIRST_PATH}`],
    ],
    [
      'the API, to an office alone',
      [annotation('inbound-cidrs', '203.0.113.0/24')],
      podWith('{ name: X, value: "1" }'),
      [],
    ],
    [
      'the API, where a key may be hidden',
      [],
      edit(podWith('{ name: X, value: "1" }'), [
        '          env:\n',
        '          envFrom: [{ secretRef: { name: s } }]\n          env:\n',
      ]),
      [],
    ],
    ['clear text beside TLS', [PLAIN_AND_TLS], GUARDED_POD, [plain]],
    ['a redirect to TLS', [PLAIN_AND_TLS, annotation('ssl-redirect', '"443"')], GUARDED_POD, []],
    [
      'the metrics, as a prefix',
      [['path: /v1,', 'path: /metrics,']],
      GUARDED_POD,
      [`warning security/metrics-published Ingress/api ${FIRST_PATH}`],
    ],
    [
      'all of it in development mode',
      [WHOLE],
      podWith('{ name: VLLM_SERVER_DEV_MODE, value: "1" }'),
      [
        'warning security/dev-mode Deployment/small spec.template.spec.containers[0].env[3]',
        `warning security/public-without-key Ingress/api ${FIRST_PATH}`,
      ],
    ],
  ])('%s', (_, changes, pod, expected) => {
    expect(said(edit(PUBLIC_INGRESS, ...changes), POD_SERVICE, pod).sort()).toEqual(expected);
  });

  test('all of a guarded engine on an internal balancer is a note', () => {
    expect(said(edit(INGRESS, WHOLE), POD_SERVICE, GUARDED_POD)).toEqual([
      `note security/unguarded-paths Ingress/api ${FIRST_PATH}`,
    ]);
  });
});

describe('what a Service with a balancer of its own publishes', () => {
  const service = (...lines: string[]): string =>
    edit(POD_SERVICE, [
      'metadata: { name: small-api, namespace: serving }\nspec:\n',
      `metadata:\n  name: small-api\n  namespace: serving\n  annotations:\n${lines.map((line) => `    service.beta.kubernetes.io/aws-load-balancer-${line}\n`).join('')}spec:\n  type: LoadBalancer\n`,
    ]);
  const found = (id: string) => `warning security/${id} Service/small-api spec.ports[0]`;

  test.each<[string, string[], string, string[]]>([
    [
      'to the Internet',
      ['scheme: internet-facing'],
      GUARDED_POD,
      [found('public-plain-http'), found('unguarded-paths')],
    ],
    ['with TLS', ['scheme: internet-facing', 'ssl-cert: arn:aws:acm:x'], GUARDED_POD, [found('unguarded-paths')]],
    [
      'without a key',
      ['scheme: internet-facing', 'ssl-cert: arn:aws:acm:x'],
      podWith('{ name: X, value: "1" }'),
      [found('public-without-key')],
    ],
    [
      'within the network',
      ['scheme: internal'],
      GUARDED_POD,
      ['note security/unguarded-paths Service/small-api spec.ports[0]'],
    ],
    ['nobody knows where', ['name: x'], podWith('{ name: X, value: "1" }'), []],
  ])('%s', (_, lines, pod, expected) => {
    expect(said(service(...lines), pod).sort()).toEqual(expected);
  });
});

describe('security/inline-secret', () => {
  // Put together here, so that nobody takes it for a real one.
  const TOKEN = `hf_${'Ab1'.repeat(12)}`;
  const inEnv = ['warning security/inline-secret Deployment/small spec.template.spec.containers[0].env[3]'];

  test.each([
    ['a key', '{ name: VLLM_API_KEY, value: k7Rd-92pLmQ }', inEnv],
    ['a token', `{ name: HF_TOKEN, value: ${TOKEN} }`, inEnv],
    ['a token under another name', `{ name: DOWNLOAD, value: "${TOKEN}" }`, inEnv],
    ['a placeholder', '{ name: HF_TOKEN, value: <your-hf-token> }', []],
    ['a placeholder of a template', '{ name: HF_TOKEN, value: "{{ .Values.token }}" }', []],
    ['a placeholder in words', '{ name: HF_TOKEN, value: YOUR_HF_TOKEN }', []],
    ['a placeholder of crosses', '{ name: HF_TOKEN, value: hf_xxxxxxxx }', []],
    ['shell syntax', '{ name: HF_TOKEN, value: $HF_TOKEN }', []],
    ['nothing', '{ name: HF_TOKEN, value: "" }', []],
    ['a word that stands for none', '{ name: VLLM_API_KEY, value: EMPTY }', []],
    ['a path', '{ name: HF_TOKEN_PATH, value: /run/secrets/hf-token-file }', []],
  ])('%s in a variable', (_, variable, expected) => {
    expect(said(podWith(variable), POD_SERVICE)).toEqual(expected);
  });

  test.each([
    ['a flag', '--api-key=k7Rd-92pLmQ', 'args[4]'],
    ['a flag of two words', '--api-key\n            - k7Rd-92pLmQ', 'args[5]'],
    ['a reference', '--api-key=$(VLLM_API_KEY)', undefined],
    ['a placeholder', '--api-key=<key>', undefined],
  ])('%s', (_, words, place) => {
    const pod = edit(GUARDED_POD, [
      '            - --port=8000\n',
      `            - --port=8000\n            - ${words}\n`,
    ]);
    const path = `warning security/inline-secret Deployment/small spec.template.spec.containers[0].${place}`;
    expect(said(pod, POD_SERVICE)).toEqual(place === undefined ? [] : [path]);
  });

  test('a variable that a flag refers to is found once', () => {
    const pod = edit(podWith('{ name: VLLM_API_KEY, value: k7Rd-92pLmQ }'), [
      '            - --port=8000\n',
      '            - --port=8000\n            - --api-key=$(VLLM_API_KEY)\n',
    ]);
    expect(said(pod, POD_SERVICE)).toEqual(inEnv);
  });

  test('in a ConfigMap and in a shell line of any container', () => {
    const map = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { env: "HF_TOKEN=${TOKEN}" }\n`;
    const job = `apiVersion: batch/v1
kind: Job
metadata: { name: load }
spec: { template: { spec: { containers: [{ name: a, image: registry.example/a:1, command: [sh, -c, "T=${TOKEN} load"] }] } } }
`;
    expect(said(map, job)).toEqual([
      'warning security/inline-secret Job/load spec.template.spec.containers[0].command[2]',
      "warning security/inline-secret ConfigMap/settings data['env']",
    ]);
  });
});

describe('security/remote-code-unpinned', () => {
  const COMMIT = 'c1899de289a04d12100db370d81485cdf75e47ca';
  const found = ['warning security/remote-code-unpinned Deployment/small spec.template.spec.containers[0].args[1]'];

  test.each<[string, string[], Change[], string[]]>([
    ['no revision', [], [], found],
    ['a branch', ['--revision=main'], [], found],
    ['a commit', [`--revision=${COMMIT}`], [], []],
    ['a tag', ['--revision=v1.2'], [], []],
    ['the code at a commit', [`--code-revision=${COMMIT}`], [], []],
    ['a revision that a variable fills', ['--revision=$(REVISION)'], [], []],
    ['files of a volume', [], [['- Qwen/Qwen3-0.6B', '- /models/qwen3']], []],
    ['a bucket', [], [['- Qwen/Qwen3-0.6B', '- s3://models/qwen3']], []],
    ['what is in the cache alone', [], [['env:\n', 'env:\n            - { name: HF_HUB_OFFLINE, value: "1" }\n']], []],
    ['flags that are not known', [], [['- --port=8000', '- --config=/etc/vllm.yaml']], []],
  ])('%s', (_, flags, changes, expected) => {
    const words = ['--trust-remote-code', ...flags].map((word) => `            - ${word}\n`).join('');
    const model = '            - --dtype=bfloat16\n';
    const pod = edit(CPU_POD, [model, words + model], ...changes);
    expect(said(pod)).toEqual(expected);
  });

  test('every rank runs the code', () => {
    const group = edit(CPU_GROUP, ['              - --dtype=bfloat16\n', '              - --trust-remote-code\n']);
    expect(said(group)).toHaveLength(2);
  });
});
