import { describe, expect, test } from 'vitest';
import { CPU_GROUP, CPU_POD, edit, GPU_GROUP, POD_SERVICE, together } from '../../../src/rules/examples';
import { foundBy } from '../found';

const found = (yaml: string): string[] => foundBy('k8s', yaml);
const severities = (id: string, yaml: string): string[] =>
  found(yaml).flatMap((line) => (line.includes(` k8s/${id} `) ? line.split(' ', 1) : []));
const CONTAINER = 'spec.template.spec.containers[0]';

/** CPU_POD with other words, and other entries of env. */
const POD = (command: string, args: string, env = ''): string =>
  CPU_POD.replace(
    / {10}command: [^]*? {10}env:\n/,
    () => `          command: ${command}
          args: ${args}
          env:
${env && `            - ${env}\n`}`,
  );
const OTHER = (command: string, args: string, env?: string): string =>
  edit(POD(command, args, env), ['vllm/vllm-openai-cpu:v0.31.0-x86_64', 'registry.example/proxy:1.0']);

describe('k8s/undefined-variable', () => {
  const serve = '[vllm, serve]';
  const shell = '[/bin/bash, -c]';
  test.each([
    ['an argument', POD(serve, '[m, --port=$(PORT)]'), 1],
    ['an escaped one', POD(serve, '[m, --chat-template=$$(PORT)]'), 0],
    ['one that env defines', POD(serve, '[m, --port=$(PORT)]', '{ name: PORT, value: "8000" }'), 0],
    [
      'one of a Secret',
      POD(serve, '[m, --api-key=$(KEY)]', '{ name: KEY, valueFrom: { secretKeyRef: { name: k, key: k } } }'),
      0,
    ],
    ['a shell line', POD(shell, '[exec vllm serve m --port $(PORT)]'), 1],
    ['a command in a shell line', POD(shell, '["vllm serve m --host $(hostname -i) --port $(port)"]'), 0],
    ['a command without a shell', POD(serve, '[m, --host=$(hostname)]'), 1],
    ['another program', OTHER('[proxy]', '[--to=$(UPSTREAM)]'), 1],
    ['a small name in an unknown program', OTHER('[proxy]', '[--to=$(upstream)]'), 0],
    ['a later variable', POD(serve, '[m]', '{ name: URL, value: http://x/$(OMP_NUM_THREADS) }'), 1],
    ['a variable of a Service', OTHER('[proxy]', '[--to=$(API_SERVICE_HOST)]'), 0],
    ['a variable of the cloud', OTHER('[proxy]', '[--region=$(AWS_REGION)]'), 0],
    [
      'an unread envFrom',
      edit(POD(serve, '[m, --port=$(PORT)]'), [
        '          env:\n',
        '          envFrom: [{ secretRef: { name: x } }]\n          env:\n',
      ]),
      0,
    ],
    ['the variables of LWS elsewhere', POD(serve, '[m, --master-addr=$(LWS_LEADER_ADDRESS)]'), 1],
  ])('%s', (_, yaml, count) => {
    // A Service outside of the objects may define its own when links are on.
    const linked = edit(yaml, ['      enableServiceLinks: false\n', '']);
    expect(severities('undefined-variable', linked)).toEqual(Array.from({ length: count }, () => 'error'));
  });

  test('an init container', () => {
    const init = edit(CPU_POD, [
      '      containers:\n',
      '      initContainers: [{ name: wait, image: registry.example/wait:1, args: ["$(LEADER)"] }]\n      containers:\n',
    ]);
    expect(found(init)).toEqual([
      'error k8s/undefined-variable Deployment/small spec.template.spec.initContainers[0].args[0]',
    ]);
  });
});

describe('shell syntax', () => {
  const env = (name: string, value: string): string =>
    POD('[vllm, serve]', '[m]', `{ name: ${name}, value: ${JSON.stringify(value)} }`);
  test.each([
    ['HF_TOKEN', '$HF_TOKEN', ['error']],
    ['HF_TOKEN', '${HF_TOKEN}', ['error']],
    ['HF_TOKEN', '${HF_TOKEN:-none}', ['error']],
    ['HF_HOME', '$HOME/models', ['error']],
    ['LD_LIBRARY_PATH', '${LD_LIBRARY_PATH}:/usr/local/nvidia/lib64', ['note']],
    ['PATH', '/opt/x/bin:$PATH', ['note']],
    ['PYTHONPATH', '$HOME/lib', ['note']],
    ['SEARCH', '$HOME/a:/b', ['note']],
    ['HF_ENDPOINT', 'http://$HOST:8080/x', ['error']],
    ['VLLM_HOST_IP', '$(hostname -i)', ['error']],
    ['VLLM_HOST_IP', '`hostname -i`', ['error']],
    ['HF_TOKEN', 'hf_pa$$word', []],
    ['HF_TOKEN', 'pa$sword', []],
    ['START', 'echo $HOME; exec x', []],
    ['TEMPLATE', '{"$schema": "${HOME}"}', []],
    ['HF_TOKEN', '{{ .Values.token }}', []],
    ['PRICE', '$5', []],
  ])('%s=%s', (name, value, expected) => {
    expect(severities('shell-variable-in-env', env(name, value))).toEqual(expected);
  });

  test('another program may expand it', () => {
    expect(severities('shell-variable-in-env', OTHER('[proxy]', '[]', '{ name: TOKEN, value: $TOKEN }'))).toEqual([
      'note',
    ]);
    expect(severities('shell-variable-in-env', OTHER('[proxy]', '[]', '{ name: URL, value: "http://$HOST" }'))).toEqual(
      [],
    );
  });

  test.each([
    ['[vllm, serve]', '["m", "--port=${PORT}"]', 1],
    ['[vllm, serve]', '["m", "--port=$PORT"]', 1],
    ['[python3, -m, vllm.entrypoints.openai.api_server]', '["--model=$MODEL"]', 1],
    ['[sh, -c]', '["vllm serve m --port=$PORT"]', 0],
    ['[vllm, serve]', `["m", '--chat-template={"$ref": 1}']`, 0],
  ])('in the words of %s %s', (command, args, count) => {
    expect(severities('shell-variable-in-args', POD(command, args))).toHaveLength(count);
  });
});

describe('k8s/args-single-string', () => {
  test.each([
    ['[vllm, serve]', '["m --port 8000"]', 'args[0]'],
    ['[vllm, serve]', '[m, "--port 8000"]', 'args[1]'],
    ['[vllm, serve]', '[m, "--port=8000 --dtype=bfloat16"]', 'args[1]'],
    ['["vllm serve m --port 8000"]', '[]', 'command[0]'],
    ['["python3 -m vllm.entrypoints.openai.api_server"]', '[]', 'command[0]'],
    ['[]', '["m\\n--port=8000\\n--dtype=bfloat16\\n"]', 'args[0]'],
    ['[sh, -c]', '["vllm serve m --port 8000"]', undefined],
    ['[/bin/sh, -c, "exec vllm serve m --port 8000"]', '[]', undefined],
    ['[vllm, serve]', `[m, '--override-generation-config={"a": 1, "b": "x --y"}']`, undefined],
    ['[vllm, serve]', `[m, --chat-template, '{{ a }} --b']`, undefined],
    ['[vllm, serve]', '[m, "--served-model-name=two words"]', undefined],
    ['[proxy]', '["--upstream-args=--a 1 --b 2"]', undefined],
  ])('%s %s', (command, args, path) => {
    expect(found(POD(command, args)).filter((line) => line.includes('single-string'))).toEqual(
      path === undefined ? [] : [`error k8s/args-single-string Deployment/small ${CONTAINER}.${path}`],
    );
  });
});

describe('k8s/selector-matches-nothing', () => {
  const service = (selector: string, more = ''): string =>
    `apiVersion: v1\nkind: Service\nmetadata: { name: api, namespace: serving }\nspec: { selector: { ${selector} }, ports: [{ port: 80, targetPort: 8000 }]${more} }\n`;
  const CUSTOM = 'apiVersion: example.com/v1\nkind: EngineFleet\nmetadata: { name: x, namespace: serving }\n';
  test.each([
    ['another value', [CPU_POD, service('app: large')], ['error']],
    ['one label too many', [CPU_POD, service('app: small, tier: api')], ['error']],
    ['nothing in common', [CPU_POD, service('run: proxy')], ['warning']],
    ['pods of an unknown kind', [CPU_POD, CUSTOM, service('app: large')], ['note']],
    ['no pods at all', [service('app: large')], []],
    [
      'pods of another namespace alone',
      [edit(CPU_POD, ['namespace: serving', 'namespace: x']), service('app: small')],
      [],
    ],
    [
      'an invented label of LWS',
      [CPU_GROUP, service('leaderworkerset.sigs.k8s.io/name: chat, leaderworkerset.sigs.k8s.io/role: leader')],
      ['error'],
    ],
    [
      'a worker that there is not',
      [CPU_GROUP, service('leaderworkerset.sigs.k8s.io/name: chat, leaderworkerset.sigs.k8s.io/worker-index: "2"')],
      ['error'],
    ],
    [
      'one group of several',
      [CPU_GROUP, service('leaderworkerset.sigs.k8s.io/name: chat, leaderworkerset.sigs.k8s.io/group-index: "1"')],
      [],
    ],
    [
      'one pod of a StatefulSet',
      [
        edit(CPU_POD, ['Deployment', 'StatefulSet']),
        service('app: small, statefulset.kubernetes.io/pod-name: small-0'),
      ],
      [],
    ],
    ['no selector', [CPU_POD, service('')], []],
    ['pods that have their Service', [CPU_POD, POD_SERVICE, service('app: resolver')], ['note']],
    ['one of them misspelt', [CPU_POD, POD_SERVICE, service('app: smal')], ['error']],
  ])('%s', (_, parts, expected) => {
    expect(severities('selector-matches-nothing', together(...parts))).toEqual(expected);
  });
});

describe('k8s/host-network-dns', () => {
  const host = (yaml: string, ...lines: string[]): string =>
    yaml.replaceAll(
      /^( +)enableServiceLinks: false\n/gm,
      (line, indent: string) => line + lines.map((each) => `${indent}${each}\n`).join(''),
    );
  test.each([
    ['dnsPolicy Default alone', host(CPU_GROUP, 'dnsPolicy: Default'), 2],
    ['the policy for it', host(CPU_GROUP, 'hostNetwork: true', 'dnsPolicy: ClusterFirstWithHostNet'), 0],
    [
      'servers of its own',
      host(CPU_GROUP, 'hostNetwork: true', 'dnsPolicy: None', 'dnsConfig: { nameservers: [10.0.0.10] }'),
      0,
    ],
    [
      'names that a resolver is for',
      host(POD('[vllm, serve]', '[m, --x=a.serving.svc.cluster.local]'), 'dnsPolicy: Default'),
      0,
    ],
    ['no name of the cluster', host(CPU_POD, 'hostNetwork: true'), 0],
    [
      'the name of a Service',
      host(
        POD('[vllm, serve]', '[m]', '{ name: X, value: http://api.serving.svc.cluster.local }'),
        'hostNetwork: true',
      ),
      1,
    ],
  ])('%s', (_, yaml, count) => {
    expect(severities('host-network-dns', yaml)).toHaveLength(count);
  });
});

describe('k8s/unbounded-memory-volume', () => {
  const volume = (source: string): string =>
    edit(
      GPU_GROUP,
      ['emptyDir: { medium: Memory, sizeLimit: 16Gi }', source],
      ['limits: { memory: 512Gi, ', 'limits: { '],
    );
  const RANGE =
    'apiVersion: v1\nkind: LimitRange\nmetadata: { name: x, namespace: serving }\nspec: { limits: [{ type: Container, default: { memory: 8Gi } }] }\n';
  test.each([
    ['no bound', volume('emptyDir: { medium: Memory }'), 2],
    ['a limit', volume('emptyDir: { medium: Memory, sizeLimit: 16Gi }'), 0],
    ['the disk', volume('emptyDir: {}'), 0],
    [
      'a limit of the whole pod',
      edit(volume('emptyDir: { medium: Memory }'), [
        '        enableServiceLinks: false\n',
        '        enableServiceLinks: false\n        resources: { limits: { memory: 512Gi } }\n',
      ]),
      0,
    ],
    ['a default of the namespace', together(volume('emptyDir: { medium: Memory }'), RANGE), 0],
  ])('%s', (_, yaml, count) => {
    expect(severities('unbounded-memory-volume', yaml)).toHaveLength(count);
  });
});

describe('k8s/single-node-volume-shared', () => {
  const claim = (modes: string): string =>
    `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: w, namespace: serving }\nspec: { accessModes: [${modes}] }\n`;
  const mounted = (yaml: string, replicas = 1): string =>
    edit(
      yaml,
      ['volumes: [{ name: shm,', 'volumes: [{ name: w, persistentVolumeClaim: { claimName: w } }, { name: shm,'],
      ['  replicas: 1\n', `  replicas: ${replicas}\n`],
    );
  const exclusive = (yaml: string): string =>
    edit(yaml, [
      'namespace: serving }',
      'namespace: serving, annotations: { leaderworkerset.sigs.k8s.io/exclusive-topology: kubernetes.io/hostname } }',
    ]);
  const keptTogether = edit(mounted(CPU_POD, 2), [
    '      enableServiceLinks: false\n',
    '      enableServiceLinks: false\n      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { app: small } } }] } }\n',
  ]);
  test.each([
    ['a group that may be on one node', mounted(CPU_GROUP), 'ReadWriteOnce', ['warning']],
    ['a group on a node of its own', exclusive(mounted(CPU_GROUP)), 'ReadWriteOnce', []],
    ['groups on nodes of their own', exclusive(mounted(CPU_GROUP, 2)), 'ReadWriteOnce', ['error']],
    ['pods that take whole nodes', mounted(GPU_GROUP), 'ReadWriteOnce', ['error']],
    ['one pod', mounted(CPU_POD), 'ReadWriteOnce', []],
    ['two copies', mounted(CPU_POD, 2), 'ReadWriteOnce', ['warning']],
    ['copies that are kept together', keptTogether, 'ReadWriteOnce', []],
    ['copies that are kept together, for one pod', keptTogether, 'ReadWriteOncePod', ['error']],
    ['another mode as well', mounted(GPU_GROUP), 'ReadWriteOnce, ReadOnlyMany', []],
    [
      'a claim that is not among the objects',
      edit(mounted(GPU_GROUP), ['claimName: w', 'claimName: v']),
      'ReadWriteOnce',
      [],
    ],
  ])('%s', (_, yaml, modes, expected) => {
    expect(severities('single-node-volume-shared', together(yaml, claim(modes)))).toEqual(expected);
  });
});

describe('ports', () => {
  const ports = (list: string): string =>
    edit(CPU_POD, ['ports: [{ name: http, containerPort: 8000 }]', `ports: [${list}]`], ['port: http', 'port: 8000']);
  test.each([
    ['{ name: UPPER, containerPort: 8000 }', 'port-name', 1],
    ['{ name: "8000", containerPort: 8000 }', 'port-name', 1],
    ['{ name: a--b, containerPort: 8000 }', 'port-name', 1],
    ['{ name: a, containerPort: 8000 }, { name: a, containerPort: 8001 }', 'port-name', 1],
    ['{ name: fifteen-letters, containerPort: 8000 }', 'port-name', 0],
    ['{ name: "{{ .port }}", containerPort: 8000 }', 'port-name', 0],
    ['{ containerPort: 8000, hostPort: 8000 }, { containerPort: 8001, hostPort: 8000 }', 'host-port', 1],
    ['{ containerPort: 8000, hostPort: 8000 }, { containerPort: 8001, hostPort: 8000, protocol: UDP }', 'host-port', 0],
  ])('%s', (list, id, count) => {
    expect(severities(id, ports(list))).toHaveLength(count);
  });

  test.each([
    ['8000', []],
    ['8080', ['warning']],
    ['29501', []],
    ['http', []],
    ['web', ['error']],
    ['"{{ .port }}"', []],
  ])('a Service to %s', (port, expected) => {
    const service = edit(POD_SERVICE, ['targetPort: http', `targetPort: ${port}`]);
    expect(severities('service-target-port', together(CPU_POD, service))).toEqual(expected);
  });
});

describe('resources and restart policies', () => {
  test.each([
    ['requests: { cpu: 6001m }', 'request-over-limit', 1],
    ['requests: { cpu: "6", nvidia.com/gpu: 1 }', 'request-over-limit', 1],
    ['requests: { cpu: 500m }', 'request-over-limit', 0],
    ['requests: { cpu: "{{ .cpu }}" }', 'request-over-limit', 0],
  ])('%s', (requests, id, count) => {
    expect(severities(id, edit(CPU_POD, ['requests: { cpu: "6", memory: 16Gi }', requests]))).toHaveLength(count);
  });

  test.each([
    ['Deployment', 'Never', 1],
    ['Deployment', 'Always', 0],
    ['Job', 'Never', 0],
    ['Job', 'Always', 1],
  ])('%s with %s', (kind, policy, count) => {
    const yaml = edit(
      CPU_POD,
      ['kind: Deployment', `kind: ${kind}`],
      ['      enableServiceLinks', `      restartPolicy: ${policy}\n      enableServiceLinks`],
    );
    expect(severities('restart-policy', yaml)).toHaveLength(count);
  });
});

test('a ConfigMap of more than a MiB is refused', () => {
  const map = `kind: ConfigMap\napiVersion: v1\nmetadata: { name: big }\ndata: { a: ${'x'.repeat(1024 ** 2)} }\n`;
  expect(severities('config-map-too-large', map)).toEqual(['error']);
});
