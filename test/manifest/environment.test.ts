import { describe, expect, test } from 'vitest';
import { expand, readGroups, readService, serviceLinks, Text } from '../../src/manifest';
import { deployment, engineOf, first, lws } from './read';

const known = new Map([
  ['A', 'foo'],
  ['B', ''],
]);
const expanded = (text: string) =>
  expand(text, (name) => (known.has(name) ? Text.of(known.get(name)!) : undefined)).text.value;

describe('$(NAME)', () => {
  // The table of k8s.io/kubernetes expansion_test.go in kind: each form that it has.
  test.each([
    ['$(A)', 'foo'],
    ['___$(A)___', '___foo___'],
    ['$(A)$(A)', 'foofoo'],
    ['$(B)', ''],
    ['$(NONE)', '$(NONE)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$foo'],
    ['$$$$(A)', '$$(A)'],
    ['$A', '$A'],
    ['${A}', '${A}'],
    ['$(A', '$(A'],
    ['$', '$'],
    ['$$', '$'],
    ['a$', 'a$'],
    ['$()', '$()'],
    ['$(A)$', 'foo$'],
    ['$($(A))', '$($(A))'],
    ['$$(A$(A)', '$(Afoo'],
    ['$(A $$ x', '$(A $ x'],
    ['\\$(A)', '\\foo'],
    ['$?(A)', '$?(A)'],
  ])('%s gives %s', (text, value) => {
    expect(expanded(text)).toBe(value);
  });

  test('says what nothing defines', () => {
    expect(expand('$(A) $(X) $(Y)', () => undefined).unresolved).toEqual(['A', 'X', 'Y']);
  });
});

describe('the environment', () => {
  test('expands earlier entries alone', () => {
    const { environment } = engineOf({
      env: [
        { name: 'LATE', value: '$(X)' },
        { name: 'X', value: 'one' },
        { name: 'EARLY', value: '$(X)-$$(X)' },
      ],
    });
    expect(environment.lookUp('LATE')?.value).toBe('$(X)');
    expect(environment.get('LATE')?.unresolved).toEqual(['X']);
    expect(environment.lookUp('EARLY')?.value).toBe('one-$(X)');
  });

  test('keeps repeated entries; the last counts in a Deployment, the first in a LeaderWorkerSet', () => {
    const env = [
      { name: 'X', value: '1' },
      { name: 'X', value: '2' },
    ];
    const plain = engineOf({ env }).environment;
    expect(plain.variables.map(({ state }) => state)).toEqual(['repeated', 'used']);
    expect([plain.lookUp('X')?.value, plain.get('X')?.path]).toEqual(['2', 'spec.template.spec.containers[0].env[1]']);
    const group = first(readGroups([lws({ env })])).environment;
    expect(group.get('X')?.text.value).toBe('1');
    expect(group.variables.filter(({ origin }) => origin === 'container').map(({ state }) => state)).toEqual([
      'used',
      'repeated',
    ]);
  });

  test('of a LeaderWorkerSet begins with what LWS adds, and drops what repeats that', () => {
    const { groups } = readGroups([lws({ env: [{ name: 'LWS_GROUP_SIZE', value: '9' }] }, 3)]);
    const { leader, worker } = groups[0]!;
    const { variables, lookUp } = leader.engine!.environment;
    expect(variables.map(({ name, origin, state }) => `${name} ${origin} ${state}`)).toEqual([
      'LWS_LEADER_ADDRESS lws used',
      'LWS_GROUP_SIZE lws used',
      'LWS_WORKER_INDEX lws used',
      'LWS_GROUP_SIZE container dropped',
    ]);
    expect([lookUp('LWS_GROUP_SIZE')?.value, lookUp('LWS_WORKER_INDEX')?.value]).toEqual(['3', '0']);
    expect(worker!.engine!.environment.lookUp('LWS_WORKER_INDEX')?.source).toBe('LWS_WORKER_INDEX');
    expect(worker!.indices).toEqual({ lowest: 1, highest: 2 });
  });

  test('names where a value comes from', () => {
    const from = (valueFrom: object) => engineOf({ env: [{ name: 'X', valueFrom }] }).environment.get('X');
    const secret = from({ secretKeyRef: { name: 's', key: 'k' } });
    expect(secret?.source).toEqual({ kind: 'secret', name: 's', key: 'k' });
    expect([secret?.text.value, secret?.text.source]).toEqual([undefined, 'secret s/k']);
    expect(from({ fieldRef: { fieldPath: 'metadata.namespace' } })?.text.value).toBe('n');
    expect(from({ fieldRef: { fieldPath: "metadata.labels['app']" } })?.text.value).toBe('a');
    expect(from({ fieldRef: { fieldPath: 'status.podIP' } })?.text.source).toBe('field status.podIP');
    expect(from({ resourceFieldRef: { resource: 'limits.cpu' } })?.source).toEqual({
      kind: 'resource',
      field: 'limits.cpu',
    });
    expect(from({})?.text.value).toBeUndefined();
  });

  test('reads a ConfigMap of the bundle, and says what else it did not read', () => {
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm', namespace: 'n' },
      data: { TP: '4', N: 1 },
    };
    const container = {
      args: ['M', '-tp', '$(E_TP)'],
      envFrom: [{ prefix: 'E_', configMapRef: { name: 'm' } }],
      env: [{ name: 'K', valueFrom: { configMapKeyRef: { name: 'm', key: 'TP' } } }],
    };
    const engine = first(readGroups([deployment(container), map]));
    expect([engine.settings?.tensorParallelSize.value, engine.environment.lookUp('K')?.value]).toEqual([4, '4']);
    const alone = readGroups([deployment(container)]);
    expect(first(alone).settings?.tensorParallelSize).toMatchObject({ isGiven: true, why: /envFrom/ });
    expect(alone.unread).toMatchObject([{ path: 'spec.template.spec.containers[0].envFrom[0]', what: 'variables' }]);
  });

  test('a value that is no text is read and reported', () => {
    const { groups, unread } = readGroups([deployment({ env: [{ name: 'X', value: 4 }, { value: 'no name' }, 7] })]);
    expect(groups[0]!.leader.engine!.environment.lookUp('X')?.value).toBe('4');
    expect(unread.map(({ path }) => path.split('containers[0].')[1])).toEqual(['env[0].value', 'env[1]', 'env[2]']);
  });

  test('that refers to itself over and over stays small', () => {
    const env = Array.from({ length: 60 }, (_, i) => ({
      name: `V${i}`,
      value: i === 0 ? 'x'.repeat(64) : `$(V${i - 1})$(V${i - 1})`,
    }));
    const { environment } = engineOf({ env });
    expect(environment.lookUp('V5')?.value).toHaveLength(64 * 32);
    expect(environment.lookUp('V59')?.value).toBeUndefined();
  });
});

describe('a Service of the namespace', () => {
  const service = (spec: object) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'vllm-api', namespace: 'n' },
    spec,
  });

  test('gives variables', () => {
    const ports = [
      { name: 'web', port: 8000 },
      { port: 9, protocol: 'UDP' },
    ];
    expect(serviceLinks(readService(service({ ports })))).toEqual([
      'VLLM_API_SERVICE_HOST',
      'VLLM_API_SERVICE_PORT',
      'VLLM_API_SERVICE_PORT_WEB',
      'VLLM_API_PORT',
      ...[
        'VLLM_API_PORT_8000_TCP',
        'VLLM_API_PORT_8000_TCP_PROTO',
        'VLLM_API_PORT_8000_TCP_PORT',
        'VLLM_API_PORT_8000_TCP_ADDR',
      ],
      ...['VLLM_API_PORT_9_UDP', 'VLLM_API_PORT_9_UDP_PROTO', 'VLLM_API_PORT_9_UDP_PORT', 'VLLM_API_PORT_9_UDP_ADDR'],
    ]);
    expect(serviceLinks(readService(service({ clusterIP: 'None' })))).toEqual([]);
    expect(serviceLinks(readService(service({ type: 'ExternalName' })))).toEqual([]);
  });

  test('whose values are not known', () => {
    const container = { args: ['M', '--host', '$(VLLM_API_SERVICE_HOST)', '--port', '$(KUBERNETES_SERVICE_PORT)'] };
    const objects = (pod: object) => [deployment(container, pod), service({ ports: [{ port: 8000 }] })];
    expect(first(readGroups(objects({}))).settings?.host).toMatchObject({
      isGiven: true,
      why: /Service of the namespace/,
    });
    const without = first(readGroups(objects({ enableServiceLinks: false })));
    expect(without.settings?.host.value).toBe('$(VLLM_API_SERVICE_HOST)');
    expect(without.unresolved.map(({ name }) => name)).toEqual(['VLLM_API_SERVICE_HOST']);
  });
});

describe('envFrom', () => {
  const sizes = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'sizes', namespace: 'n' },
    data: { VLLM_CPU_KVCACHE_SPACE: '4', EXTRA: '--enforce-eager' },
  };
  const engineWith = (more: object) =>
    readGroups([deployment({ envFrom: [{ configMapRef: { name: 'sizes' } }], ...more }), sizes]).groups[0]!.leader
      .engine!;

  test('sets what the engine reads, and says where', () => {
    const { settings, environment } = engineWith({});
    expect(settings?.kvCacheSpaceGiB).toMatchObject({ value: 4, isGiven: true });
    expect(environment.get('VLLM_CPU_KVCACHE_SPACE')?.path).toMatch(/\.envFrom\[0\]$/);
  });

  test('yields to env', () => {
    const { settings, environment } = engineWith({ env: [{ name: 'VLLM_CPU_KVCACHE_SPACE', value: '8' }] });
    expect(settings?.kvCacheSpaceGiB.value).toBe(8);
    expect(environment.variables.map(({ origin, state }) => `${origin} ${state}`)).toEqual([
      'envFrom repeated',
      'envFrom used',
      'container used',
    ]);
  });

  test('fills references in arguments', () => {
    expect(engineWith({ args: ['--model', 'M', '$(EXTRA)'] }).settings?.enforceEager.value).toBe(true);
  });
});

test('an argument that nobody knows may be a flag, so the absence of one is not known', () => {
  const { command } = engineOf({
    args: ['--model', 'M', '$(EXTRA)'],
    env: [{ name: 'EXTRA', valueFrom: { secretKeyRef: { name: 'extra', key: 'flag' } } }],
  });
  expect(command.strays).toEqual([]);
  expect(command.hidden).toHaveLength(1);
  expect(command.isComplete).toBe(false);
});
