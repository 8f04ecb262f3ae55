import { describe, expect, test } from 'vitest';
import type { Action } from '../../src/balancer/types';
import { buildErrorOf, ingress, modelOf, type PathRow, planOf, rulesOf, service, SERVICES } from './objects';

const annotated: PathRow[] = [['Prefix', '/', 'go', 'use-annotation']];

function actionOf(action: unknown): Action {
  return modelOf({ 'actions.go': JSON.stringify(action) }, annotated).listeners[0]!.rules[0]!.actions[0]!;
}

describe('actions of an annotation', () => {
  test('fixed response', () => {
    expect(
      actionOf({ type: 'fixed-response', fixedResponseConfig: { statusCode: '503', messageBody: 'later' } }),
    ).toEqual({ type: 'fixed-response', status: '503', body: 'later' });
  });

  test('redirect, in capitals as version 1 of the controller had it', () => {
    expect(actionOf({ Type: 'redirect', RedirectConfig: { Host: 'a.example', StatusCode: 'HTTP_302' } })).toEqual({
      type: 'redirect',
      status: 'HTTP_302',
      to: { host: 'a.example' },
    });
  });

  test('weighted forward', () => {
    const targetGroups = [
      { serviceName: 'chat-app', servicePort: '8080', weight: 1 },
      { serviceName: 'vllm-leader', servicePort: 'http', weight: 3 },
      { targetGroupARN: 'arn:aws:x', weight: 0 },
    ];
    const targetGroupStickinessConfig = { enabled: true, durationSeconds: 60 };
    expect(actionOf({ type: 'forward', forwardConfig: { targetGroups, targetGroupStickinessConfig } })).toEqual({
      type: 'forward',
      targets: [
        { targetGroup: 'ing/web-chat-app:8080', weight: 1 },
        { targetGroup: 'ing/web-vllm-leader:http', weight: 3 },
        { arn: 'arn:aws:x', weight: 0 },
      ],
      stickySeconds: 60,
    });
  });

  test('forward to a target group that is there', () => {
    expect(actionOf({ type: 'forward', targetGroupARN: 'arn:aws:x' })).toEqual({
      type: 'forward',
      targets: [{ arn: 'arn:aws:x' }],
    });
  });

  test('an action that is not there answers 503', () => {
    const [rule] = modelOf({}, annotated).listeners[0]!.rules;
    expect(rule!.actions).toEqual([{ type: 'fixed-response', status: '503', body: 'Backend action does not exist' }]);
  });

  test.each([
    [{}, 'unknown action type: '],
    [{ type: 'teleport' }, 'unknown action type: teleport'],
    [{ type: 'redirect' }, 'missing RedirectConfig'],
    [{ type: 'redirect', redirectConfig: {} }, 'invalid RedirectConfig: statusCode is required'],
    [{ type: 'fixed-response', fixedResponseConfig: {} }, 'invalid FixedResponseConfig: statusCode is required'],
    [{ type: 'forward' }, 'precisely one of TargetGroupArn and ForwardConfig can be specified'],
    [
      { type: 'forward', forwardConfig: { targetGroups: [{}] } },
      'invalid ForwardConfig: invalid TargetGroupTuple: precisely one of targetGroupARN and serviceName can be specified',
    ],
    [
      { type: 'forward', forwardConfig: { targetGroups: [{ serviceName: 'a' }] } },
      'invalid ForwardConfig: invalid TargetGroupTuple: missing servicePort',
    ],
    [
      { type: 'forward', forwardConfig: { targetGroups: [{ targetGroupARN: 'a' }, { targetGroupARN: 'b' }] } },
      'invalid ForwardConfig: weight must be set when route to multiple target groups',
    ],
    [
      {
        type: 'forward',
        forwardConfig: {
          targetGroups: ['x', 'vllm-leader'].map((serviceName) => ({ serviceName, servicePort: 80, weight: 1 })),
        },
      },
      'services "x" not found',
    ],
    [
      { type: 'redirect', redirectConfig: { statusCode: 301 } },
      'failed to parse json annotation, alb.ingress.kubernetes.io/actions.go: ' +
        '{"type":"redirect","redirectConfig":{"statusCode":301}}: json: cannot unmarshal number into Go struct field ' +
        'RedirectActionConfig.redirectConfig.statusCode of type string',
    ],
  ])('%j is refused', (action, message) => {
    expect(buildErrorOf({ 'actions.go': JSON.stringify(action) }, annotated)).toBe(`ingress: ing/web: ${message}`);
  });
});

describe('redirects', () => {
  const toTls = JSON.stringify({ type: 'redirect', redirectConfig: { protocol: 'HTTPS', port: '443', statusCode: 'HTTP_301' } }); // prettier-ignore
  const both = { 'listen-ports': '[{"HTTP":80},{"HTTPS":443}]', 'actions.tls': toTls };

  test('the old way to TLS: no rule that would turn in circles, none behind the redirect', () => {
    const model = modelOf(both, [
      ['ImplementationSpecific', '/*', 'tls', 'use-annotation'],
      ['ImplementationSpecific', '/*', 'vllm-leader', 8000],
    ]);
    expect(rulesOf(model, 80)).toEqual([['/*', 'redirect']]);
    expect(rulesOf(model, 443)).toEqual([['/*', 'vllm-leader:8000']]);
    expect(model.listeners[1]!.rules[0]!.priority).toBe(1);
  });

  test('a redirect of one host leaves the rules of another', () => {
    const rule = (host: string, name: string, port: object) => ({
      host,
      http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name, port } } }] },
    });
    const rules = [
      rule('a.example', 'tls', { name: 'use-annotation' }),
      rule('a.example', 'vllm-leader', { number: 8000 }),
      rule('b.example', 'vllm-leader', { number: 8000 }),
    ];
    expect(rulesOf(modelOf(both, [], { spec: { rules } }), 80)).toEqual([
      ['a.example & /*', 'redirect'],
      ['b.example & /*', 'vllm-leader:8000'],
    ]);
  });

  test('ssl-redirect leaves no rule on HTTP', () => {
    const model = modelOf({ ...both, 'ssl-redirect': '443' });
    expect(model.listeners[0]).toMatchObject({
      port: 80,
      rules: [],
      defaultActions: [{ type: 'redirect', status: 'HTTP_301', to: { port: '443', protocol: 'HTTPS' } }],
    });
  });

  test.each([
    ['8443', 'listener does not exist for SSLRedirect port: 8443'],
    ['80', 'listener protocol non-SSL for SSLRedirect port: 80'],
    [
      'https',
      'ingress: ing/web: failed to parse int32 annotation, alb.ingress.kubernetes.io/ssl-redirect: https: ' +
        'strconv.ParseInt: parsing "https": invalid syntax',
    ],
  ])('ssl-redirect %s is refused', (port, message) => {
    expect(buildErrorOf({ ...both, 'ssl-redirect': port })).toBe(message);
  });
});

describe('sign-in', () => {
  const cognito = JSON.stringify({ userPoolARN: 'a', userPoolClientID: 'b', userPoolDomain: 'c' });
  const tls = { 'listen-ports': '[{"HTTP":80},{"HTTPS":443}]', 'certificate-arn': 'arn:1' };

  test('stands before the backend, on HTTPS alone', () => {
    const model = modelOf({ ...tls, 'auth-type': 'cognito', 'auth-idp-cognito': cognito });
    const typesOf = (index: number) => model.listeners[index]!.rules[0]!.actions.map(({ type }) => type);
    expect([typesOf(0), typesOf(1)]).toEqual([['forward'], ['authenticate-cognito', 'forward']]);
  });

  test('of the only Service behind a path wins', () => {
    const plan = planOf(
      ingress({ ...tls, 'target-type': 'ip', 'auth-type': 'cognito' }, [['Prefix', '/', 'open', 80]]),
      service('open', 80, { 'auth-type': 'none' }),
    );
    expect(plan.model!.listeners[1]!.rules[0]!.actions.map(({ type }) => type)).toEqual(['forward']);
  });

  test.each([
    [{ 'auth-type': 'basic' }, 'unknown authType: basic'],
    [{ 'auth-type': 'cognito' }, 'missing IDPConfigCognito'],
    [{ 'auth-type': 'oidc' }, 'missing IDPConfigOIDC'],
    [
      { 'auth-idp-oidc': '{' },
      'failed to parse json annotation, alb.ingress.kubernetes.io/auth-idp-oidc: {: unexpected end of JSON input',
    ],
  ])('%j is refused', (suffixes, message) => {
    expect(buildErrorOf({ ...tls, ...suffixes })).toBe(`ingress: ing/web: ${message}`);
  });
});

describe('backends', () => {
  test('of a kind that is no Service', () => {
    const backend = { resource: { kind: 'Bucket', name: 'x' } };
    const rules = [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }];
    expect(buildErrorOf({}, [], { spec: { rules } })).toBe('ingress: ing/web: missing required "service" field');
  });

  test('in another namespace are not there', () => {
    const [plan] = [planOf(ingress({}, undefined, { metadata: { namespace: 'other' } }))];
    expect(plan.notSeen).toEqual(['Service other/vllm-leader']);
    expect(rulesOf(plan.model!)).toEqual([['/*', 'fixed-response']]);
  });

  test('a default backend of two Ingresses', () => {
    const member = (name: string) =>
      ingress({ 'group.name': 'g', 'target-type': 'ip' }, [], {
        name,
        spec: { defaultBackend: { service: { name: 'vllm-leader', port: { number: 8000 } } } },
      });
    expect(planOf(member('b'), member('a')).event.message).toBe(
      'Failed build model due to multiple ingress defined default backend: [ing/a ing/b]',
    );
    expect(SERVICES).toHaveLength(2);
  });
});
