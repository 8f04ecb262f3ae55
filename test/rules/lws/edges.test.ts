import { describe, expect, test } from 'vitest';
import { CPU_GROUP, CPU_POD, edit, GPU_GROUP, GROUP_SERVICE, POD_SERVICE, together } from '../../../src/rules/examples';
import { foundBy } from '../found';

const TEMPLATE = 'spec.leaderWorkerTemplate';
const found = (yaml: string, lws?: string): string[] => foundBy('lws', yaml, { lws });
const ofGroup = (...lines: string[]): string =>
  edit(CPU_GROUP, ['  replicas: 1\n', `${lines.map((line) => `  ${line}\n`).join('')}`]);
const rollout = (config: string): string => `rolloutStrategy: { rollingUpdateConfiguration: { ${config} } }`;
const ALL_PODS = edit(
  GROUP_SERVICE,
  ['    leaderworkerset.sigs.k8s.io/worker-index: "0"\n', ''],
  ['targetPort: http', 'targetPort: 8000'],
);
const AGENTS = edit(
  CPU_GROUP,
  ['vllm/vllm-openai-cpu:v0.31.0-x86_64', 'registry.example/agent:1.0'],
  ['command: [vllm, serve]', 'command: [agent]'],
);
const RAY = edit(
  GPU_GROUP,
  [
    '--distributed-executor-backend=mp\n              - --nnodes=2\n              - --node-rank=0',
    '--distributed-executor-backend=ray',
  ],
  ['command: [vllm, serve]', 'command: [sh, -c, \'ray start --head && exec vllm serve "$@"\', serve]'],
);
const RAY_GROUP = `${RAY.slice(0, RAY.indexOf('    workerTemplate:'))}    workerTemplate:
      spec:
        containers:
          - name: vllm
            image: vllm/vllm-openai:v0.31.0
            command: [sh, -c, "ray start --address=$(LWS_LEADER_ADDRESS):6379 --block"]
`;

describe('numbers that the API server or the webhook refuses', () => {
  const place = 'spec.rolloutStrategy.rollingUpdateConfiguration';
  test.each([
    ['replicas: "2"', 'spec.replicas'],
    ['replicas: 1.5', 'spec.replicas'],
    ['replicas: 1000001', 'spec.replicas'],
    ['replicas: 1000000', undefined],
    ['replicas: 0', undefined],
    ['replicas: ${REPLICAS}', undefined],
    [rollout('partition: -1'), `${place}.partition`],
    [rollout('partition: 9'), undefined],
    [rollout('maxUnavailable: 101%'), `${place}.maxUnavailable`],
    [rollout('maxUnavailable: "1"'), `${place}.maxUnavailable`],
    [rollout('maxSurge: -1'), `${place}.maxSurge`],
    [rollout('maxUnavailable: 100%, maxSurge: 5'), undefined],
  ])('%s', (line, path) => {
    expect(found(ofGroup(line))).toEqual(
      path === undefined ? [] : [`error lws/invalid-number LeaderWorkerSet/chat ${path}`],
    );
  });

  test('more groups than newer releases take are none too many for an older one', () => {
    const many = ofGroup('replicas: 1000001');
    expect(found(many, '0.9.0')).toEqual([]);
    expect(found(many, '0.10.0')).toEqual(['error lws/invalid-number LeaderWorkerSet/chat spec.replicas']);
    expect(found(ofGroup('replicas: 2147483648'), '0.9.0')).toHaveLength(1);
  });

  test('all pods together', () => {
    const large = edit(ofGroup('replicas: 1000000'), ['    size: 2\n', '    size: 3000\n']);
    expect(found(large)).toEqual(['error lws/invalid-number LeaderWorkerSet/chat spec.replicas']);
  });
});

describe('lws/rollout-budget-zero', () => {
  test.each([
    ['replicas: 3', 'maxUnavailable: 33%', true],
    ['replicas: 3', 'maxUnavailable: 0', true],
    ['replicas: 3', 'maxUnavailable: 0%, maxSurge: 0%', true],
    ['replicas: 3', 'maxUnavailable: 0000%', true],
    ['replicas: 3', 'maxUnavailable: 0, maxSurge: 1%', false],
    ['replicas: 3', 'maxSurge: 0', false],
    ['replicas: 0', 'maxUnavailable: 0', false],
    ['replicas: ${N}', 'maxUnavailable: 20%', false],
  ])('%s with %s', (replicas, config, isFound) => {
    expect(found(ofGroup(replicas, rollout(config)))).toEqual(
      isFound
        ? ['error lws/rollout-budget-zero LeaderWorkerSet/chat spec.rolloutStrategy.rollingUpdateConfiguration']
        : [],
    );
  });
});

describe('lws/subgroup-size', () => {
  test.each([
    [9, '{ subGroupSize: 3 }', true],
    [9, '{ subGroupSize: 4 }', true],
    [9, '{ subGroupSize: 4, subGroupPolicyType: LeaderExcluded }', true],
    [9, '{ subGroupSize: 3, subGroupPolicyType: LeaderExcluded }', false],
    [9, '{ subGroupSize: 5 }', false],
    [9, '{ subGroupSize: 0 }', false],
    [9, '{ subGroupSize: 10 }', false],
    [1, '{ subGroupSize: 2 }', false],
    [9, '{ subGroupSize: 1.5 }', false],
    [9, '{ subGroupSize: "3" }', false],
    [9, '{ subGroupSize: "{{ .Values.subGroupSize }}" }', true],
  ])('of %d pods: %s', (size, policy, isFine) => {
    const group = edit(AGENTS, ['    size: 2\n', `    size: ${size}\n    subGroupPolicy: ${policy}\n`]);
    expect(found(group)).toEqual(
      isFine ? [] : [`error lws/subgroup-size LeaderWorkerSet/chat ${TEMPLATE}.subGroupPolicy.subGroupSize`],
    );
  });
});

describe('lws/name-too-long', () => {
  test.each([
    [50, 'replicas: 10', false],
    [50, 'replicas: 11', true],
    [50, `replicas: 10\n  ${rollout('maxSurge: 1')}`, true],
    [50, `replicas: 10\n  ${rollout('maxSurge: 1%')}`, true],
    [49, 'replicas: 100', false],
    [51, 'replicas: 1', true],
  ])('%d characters, %s', (length, line, isFound) => {
    const name = 'x'.repeat(length);
    const group = edit(ofGroup(line), ['name: chat, namespace', `name: ${name}, namespace`]);
    expect(found(group)).toEqual(isFound ? [`error lws/name-too-long LeaderWorkerSet/${name} metadata.name`] : []);
  });

  test('a group of one pod has more room', () => {
    const name = 'x'.repeat(52);
    const group = edit(
      AGENTS,
      ['    size: 2\n', '    size: 1\n'],
      ['name: chat, namespace', `name: ${name}, namespace`],
    );
    expect(found(group)).toEqual([]);
  });
});

describe('restart policies', () => {
  const policy = (group: string, name: string): string => edit(group, ['RecreateGroupOnPodRestart', name]);
  const path = `LeaderWorkerSet/chat ${TEMPLATE}.restartPolicy`;
  test.each([
    ['an engine of two nodes', policy(CPU_GROUP, 'Default'), [`error lws/no-group-restart ${path}`]],
    [
      'a Ray cluster',
      policy(RAY_GROUP, 'None'),
      [`error lws/no-group-restart LeaderWorkerSet/large ${TEMPLATE}.restartPolicy`],
    ],
    ['an unknown program', policy(AGENTS, 'None'), []],
    ['an unknown program', policy(AGENTS, 'RecreateGroupAfterStart'), []],
    [
      'a group of one',
      edit(policy(AGENTS, 'Default'), ['size: 2', 'size: 1']),
      [`note lws/restart-policy-default ${path}`],
    ],
    ['a policy of pods', policy(AGENTS, 'OnFailure'), [`error lws/unknown-value ${path}`]],
    ['one to be filled in', policy(AGENTS, '"{{ .Values.policy }}"'), []],
    ['an empty word, for which LWS takes its default', policy(AGENTS, '""'), []],
    ['no word', policy(AGENTS, 'null'), []],
    ['a number', policy(AGENTS, '7'), [`error lws/unknown-value ${path}`]],
    [
      'an empty word that nobody fills in',
      edit(AGENTS, ['  replicas: 1\n', '  replicas: 1\n  startupPolicy: ""\n']),
      ['error lws/unknown-value LeaderWorkerSet/chat spec.startupPolicy'],
    ],
  ])('%s', (_, group, expected) => {
    expect(found(group)).toEqual(expected);
  });
});

describe('lws/leader-ready-deadlock', () => {
  const ready = (group: string): string =>
    edit(group, ['  replicas: 1\n', '  replicas: 1\n  startupPolicy: LeaderReady\n']);
  const startup = / {12}startupProbe: .*\n/;
  const readiness = / {12}readinessProbe: .*\n/;
  const without = CPU_GROUP.replace(startup, '').replace(readiness, '');
  const asks = (probe: string): string =>
    ready(CPU_GROUP.replace(startup, '').replace(readiness, `            readinessProbe: ${probe}\n`));
  test.each([
    ['no probe: ready at once', ready(without), 0],
    ['a TCP probe of the engine', asks('{ tcpSocket: { port: 8000 } }'), 1],
    ['a command that asks the engine', asks('{ exec: { command: [curl, -sf, "http://localhost:8000/health"] } }'), 1],
    ['a command that asks something else', asks('{ exec: { command: [test, -f, /tmp/up] } }'), 0],
    ['a port of something else', asks('{ tcpSocket: { port: 29501 } }'), 0],
    ['an unknown program', ready(AGENTS), 0],
    ['a Ray cluster that needs the GPUs of both', ready(RAY_GROUP), 1],
    [
      'a Ray cluster that could do without',
      edit(ready(RAY_GROUP), ['--pipeline-parallel-size=2', '--pipeline-parallel-size=1']),
      0,
    ],
  ])('%s', (_, group, count) => {
    expect(found(group).filter((line) => line.includes('leader-ready'))).toHaveLength(count);
  });
});

describe('lws/service-selects-workers', () => {
  const worker = CPU_GROUP.lastIndexOf('            env:');
  const ofWorker = (lines: string): string => `${CPU_GROUP.slice(0, worker)}${lines}${CPU_GROUP.slice(worker)}`;
  test.each([
    [
      'all pods by a label of their own',
      together(CPU_GROUP, edit(ALL_PODS, ['leaderworkerset.sigs.k8s.io/name: chat', 'app: chat'])),
      1,
    ],
    [
      'workers alone',
      together(CPU_GROUP, edit(ALL_PODS, ['leaderworkerset.sigs.k8s.io/name: chat', 'role: worker'])),
      1,
    ],
    ['Ray workers', together(edit(RAY_GROUP, ['name: large', 'name: chat']), ALL_PODS), 1],
    ['a headless Service', together(CPU_GROUP, edit(ALL_PODS, ['spec:\n', 'spec:\n  clusterIP: None\n'])), 0],
    ['another port', together(CPU_GROUP, edit(ALL_PODS, ['targetPort: 8000', 'targetPort: 29501'])), 0],
    [
      'a name that workers do not declare',
      together(CPU_GROUP, edit(ALL_PODS, ['targetPort: 8000', 'targetPort: http'])),
      0,
    ],
    [
      'a name that they declare',
      together(
        ofWorker('            ports: [{ name: http, containerPort: 8000 }]\n'),
        edit(ALL_PODS, ['targetPort: 8000', 'targetPort: http']),
      ),
      1,
    ],
    [
      'workers that are never ready',
      together(ofWorker('            readinessProbe: { httpGet: { path: /health, port: 8000 } }\n'), ALL_PODS),
      0,
    ],
    ['another program', together(AGENTS, ALL_PODS), 0],
    ['another namespace', together(CPU_GROUP, edit(ALL_PODS, ['namespace: serving', 'namespace: other'])), 0],
  ])('%s', (_, yaml, count) => {
    expect(found(yaml)).toEqual(
      Array.from({ length: count }, () => 'error lws/service-selects-workers Service/chat-leader spec.selector'),
    );
  });
});

describe('lws/service-name-collision', () => {
  const headless = edit(GROUP_SERVICE, ['name: chat-leader', 'name: chat'], ['spec:\n', 'spec:\n  clusterIP: None\n']);
  test.each([
    ['a headless one that names the leader once it is ready', headless, 1],
    [
      'one that does the work',
      edit(headless, ['  clusterIP: None\n', '  clusterIP: None\n  publishNotReadyAddresses: true\n']),
      0,
    ],
  ])('%s', (_, service, count) => {
    expect(found(together(CPU_GROUP, service))).toHaveLength(count);
  });
});

describe('lws/autoscaler-target', () => {
  const scaler = (kind: string, target: string): string =>
    together(
      CPU_GROUP,
      `kind: ${kind}\napiVersion: x/v1\nmetadata: { name: s, namespace: serving }\nspec: { scaleTargetRef: { ${target} } }\n`,
    );
  test.each([
    ['HorizontalPodAutoscaler', 'kind: StatefulSet, name: chat-0', 'error', ''],
    ['HorizontalPodAutoscaler', 'kind: StatefulSet, name: chat-b', undefined, ''],
    ['HorizontalPodAutoscaler', 'kind: LeaderWorkerSet, name: chat', 'error', '.apiVersion'],
    [
      'HorizontalPodAutoscaler',
      'apiVersion: leaderworkerset.sigs.k8s.io/v1, kind: LeaderWorkerSet, name: chat',
      'error',
      '.apiVersion',
    ],
    [
      'HorizontalPodAutoscaler',
      'apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: chat',
      undefined,
      '',
    ],
    ['ScaledObject', 'name: chat', 'error', ''],
    ['ScaledObject', 'name: other', undefined, ''],
  ])('%s of %s', (kind, target, severity, more) => {
    expect(found(scaler(kind, target))).toEqual(
      severity === undefined ? [] : [`${severity} lws/autoscaler-target ${kind}/s spec.scaleTargetRef${more}`],
    );
  });

  test('a Deployment or StatefulSet of that name is there', () => {
    const own = edit(CPU_POD, ['name: small, namespace', 'name: chat, namespace']);
    expect(found(together(scaler('ScaledObject', 'name: chat'), own))).toEqual([]);
  });
});

describe('lws/unknown-annotation', () => {
  const field = (path: string, name = 'PEER'): string =>
    edit(CPU_GROUP, [
      '              - { name: OMP_NUM_THREADS',
      `              - { name: ${name}, valueFrom: { fieldRef: { fieldPath: "metadata.${path}" } } }\n              - { name: OMP_NUM_THREADS`,
    ]);
  const key = (name: string): string => `['leaderworkerset.sigs.k8s.io/${name}']`;
  test.each([
    [`annotations${key('leader-address')}`, 'error'],
    [`labels${key('role')}`, 'error'],
    ["labels['leaderworkerset.x-k8s.io/worker-index']", 'error'],
    [`labels${key('subgroup-index')}`, 'error'],
    [`labels${key('worker-index')}`, undefined],
    [`annotations${key('leader-name')}`, undefined],
    ["labels['role']", undefined],
    ["annotations['example.com/any']", undefined],
    ['name', undefined],
  ])('%s', (path, severity) => {
    const lines = found(field(path));
    expect([...new Set(lines.map((line) => line.split(' ', 2).join(' ')))]).toEqual(
      severity === undefined ? [] : [`${severity} lws/unknown-annotation`],
    );
  });

  test('an entry that LWS drops does no harm', () => {
    const lines = found(field(`annotations${key('leader-address')}`, 'LWS_LEADER_ADDRESS'));
    expect(lines.every((line) => line.startsWith('note lws/reserved-variable'))).toBe(true);
    expect(lines).toHaveLength(2);
  });

  test('a newer LWS may know it', () => {
    expect(found(field(`labels${key('role')}`), '0.11.0').every((line) => line.startsWith('note '))).toBe(true);
  });

  test.each([
    ['exclusive-topolgy', 'warning'],
    ['exclusive-topology', undefined],
    ['owner', 'note'],
  ])('the annotation %s on the group', (name, severity) => {
    const group = edit(AGENTS, [
      'namespace: serving }',
      `namespace: serving, annotations: { leaderworkerset.sigs.k8s.io/${name}: x } }`,
    ]);
    expect(found(group)).toEqual(
      severity === undefined ? [] : [`${severity} lws/unknown-annotation LeaderWorkerSet/chat metadata.annotations`],
    );
  });
});

describe('lws/pdb-leaders-only', () => {
  const budget = (name: string, selector: string): string =>
    `apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: ${name}, namespace: serving }\nspec: { selector: ${selector} }\n`;
  const LEADERS = '{ matchExpressions: [{ key: role, operator: In, values: [leader] }] }';
  const WORKERS = '{ matchLabels: { role: worker } }';
  test.each([
    ['expressions', CPU_GROUP, [budget('a', LEADERS)], 1],
    ['workers alone', CPU_GROUP, [budget('a', WORKERS)], 1],
    ['one for each role', CPU_GROUP, [budget('a', LEADERS), budget('b', WORKERS)], 0],
    ['all pods of the namespace', CPU_GROUP, [budget('a', '{}')], 0],
    ['a group of one', edit(AGENTS, ['size: 2', 'size: 1']), [budget('a', LEADERS)], 0],
    ['pods that restart alone', edit(AGENTS, ['RecreateGroupOnPodRestart', 'None']), [budget('a', LEADERS)], 0],
  ])('%s', (_, group, budgets, count) => {
    expect(found(together(group, ...budgets))).toHaveLength(count);
  });
});

describe('lws/reserved-variable', () => {
  const set = (name: string, value: string): string =>
    edit(CPU_GROUP, [
      '              - { name: OMP_NUM_THREADS',
      `              - { name: ${name}, value: ${value} }\n              - { name: OMP_NUM_THREADS`,
    ]);
  test.each([
    ['LWS_GROUP_SIZE', '"2"', ['note', 'note']],
    ['LWS_GROUP_SIZE', '"3"', ['warning', 'warning']],
    ['LWS_WORKER_INDEX', '"0"', ['note', 'warning']],
    ['LWS_OTHER', '"3"', []],
  ])('%s: %s', (name, value, severities) => {
    expect(found(set(name, value)).map((line) => line.split(' ', 1)[0])).toEqual(severities);
  });
});

test('lists that are held as maps', () => {
  const twice = edit(
    CPU_GROUP,
    ['volumes: [{ name: shm,', 'volumes: [{ name: shm, emptyDir: {} }, { name: shm,'],
    ['mountPath: /dev/shm }]', 'mountPath: /dev/shm }, { name: shm, mountPath: /dev/shm }]'],
  );
  expect(new Set(found(twice).map((line) => line.replace(/.*Template\./, '')))).toEqual(
    new Set(['spec.volumes[1]', 'spec.containers[0].volumeMounts[1]']),
  );
  const protocols = edit(CPU_GROUP, [
    'containerPort: 8000 }]',
    'containerPort: 8000 }, { containerPort: 8000, protocol: UDP }]',
  ]);
  expect(found(protocols)).toEqual([]);
});

test('pods that LWS made, as read back from a cluster, are its own', () => {
  const own = (annotations: string): string =>
    edit(CPU_POD, [
      'labels: { app: small }',
      `labels: { app: small, leaderworkerset.sigs.k8s.io/name: x }${annotations}`,
    ]);
  expect(found(together(own(''), POD_SERVICE))).toHaveLength(1);
  expect(found(own('\n      annotations: { leaderworkerset.sigs.k8s.io/size: "2" }'))).toEqual([]);
});

test('a Service of another API has no part in it', () => {
  const other = edit(GROUP_SERVICE, ['apiVersion: v1', 'apiVersion: serving.knative.dev/v1'], ['chat-leader', 'chat']);
  expect(found(together(CPU_GROUP, other))).toEqual([]);
});

test('a patch of a group need not be whole', () => {
  const patch = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: chat }
spec: { leaderWorkerTemplate: { leaderTemplate: { spec: { containers: [{ name: vllm, args: [--port=1] }] } } } }
`;
  expect(found(patch)).toEqual([]);
});
