import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type KubernetesObject,
  leadsTo,
  matchesSelector,
  podsMatching,
  podsSelectedBy,
  portOf,
  readGroups,
  readIngress,
  readMonitor,
  readService,
  scaleTargetOf,
  sharedMemory,
} from '../../src/manifest';
import { CPU, deployment, engineOf, flagsOf, lws, objectsIn } from './read';

describe('the rendered bundles', () => {
  test.each(readdirSync('dist').filter((name) => name.endsWith('.yaml')))('%s is read in full', (file) => {
    const { groups, unread } = readGroups(objectsIn(`dist/${file}`));
    expect(unread).toEqual([]);
    for (const { pods, size, worker } of groups) {
      expect([size, worker?.role]).toEqual([2, 'worker']);
      for (const { engine } of pods) {
        const { command } = engine!;
        expect([command.unknownFlags, command.strays, command.hidden, command.isComplete]).toEqual([[], [], [], true]);
        expect(engine!.unresolved).toEqual([]);
      }
    }
  });

  test('the reference, word for word', () => {
    const [group] = readGroups(objectsIn('dist/vllm-gemma.k8s.yaml')).groups;
    const both = {
      '--dtype': 'bfloat16',
      '--max-model-len': '4096',
      '--max-num-batched-tokens': '256',
      '--pipeline-parallel-size': '2',
      '--tensor-parallel-size': '1',
      '--distributed-executor-backend': 'mp',
      '--compilation-config.mode': '2',
      '--compilation-config.backend': 'eager',
      '--async-scheduling': 'false',
      '--nnodes': '2',
      '--master-addr': '$(LWS_LEADER_ADDRESS)',
      '--master-port': '29501',
    };
    const { leader, worker } = group!;
    expect(flagsOf(leader.engine!)).toEqual({
      ...both,
      '--node-rank': '0',
      '--port': '8000',
      '--enable-server-load-tracking': 'true',
      '--shutdown-timeout': '0',
    });
    expect(flagsOf(worker!.engine!)).toEqual({ ...both, '--node-rank': '$(LWS_WORKER_INDEX)', '--headless': 'true' });
    expect(leader.engine!.image).toMatchObject({ backend: 'cpu', version: '0.31.0', architecture: 'arm64' });
    expect(leader.engine!.settings).toMatchObject({
      model: { value: 'google/gemma-3-1b-it' },
      compilationMode: { value: 2 },
      kvCacheSpaceGiB: { value: 4 },
      apiKey: { value: true },
      huggingFaceToken: { value: true },
    });
    expect(worker!.engine!.settings!.nodeRank.value).toBe('worker-index');
    expect(leader.engine!.startupProbe).toMatchObject({
      kind: 'http',
      httpPath: '/health',
      port: 8000,
      patienceSeconds: 900,
    });
    expect(leader.engine!.livenessProbe).toMatchObject({ kind: 'exec', periodSeconds: 15, timeoutSeconds: 40 });
    expect(leader.engine!.resources.limits.get('memory')?.value).toBe(20 * 1024 ** 3);
    expect(leader.engine!.resources.limits.get('cpu')?.millis).toBe(6000);
    expect(sharedMemory(leader.engine!, leader).bytes).toBe(4 * 1024 ** 3);
    expect([leader.nodeSelector.get('kubernetes.io/arch'), leader.enableServiceLinks, leader.isShared]).toEqual([
      'arm64',
      false,
      false,
    ]);
  });
});

describe('a group', () => {
  test('of one template has both roles in it', () => {
    const [group] = readGroups([lws({ args: ['M'] }, 3)]).groups;
    const path = 'spec.leaderWorkerTemplate.workerTemplate';
    expect(group!.pods.map(({ role, templatePath, isShared }) => [role, templatePath, isShared])).toEqual([
      ['leader', path, true],
      ['worker', path, true],
    ]);
    expect([group!.size, group!.replicas]).toEqual([3, 1]);
  });

  test('of one pod is single, and its worker template is not looked at', () => {
    const { groups, unread } = readGroups([
      lws(
        { args: ['M'], resources: { limits: { cpu: 'six' } } },
        1,
        {},
        { leaderTemplate: { spec: { containers: [{ image: CPU, args: ['L'] }] } } },
      ),
    ]);
    expect(groups[0]!.pods.map(({ role }) => role)).toEqual(['single']);
    expect(groups[0]!.leader.engine!.settings!.model.value).toBe('L');
    expect([groups[0]!.worker, unread]).toEqual([undefined, []]);
  });

  test.each([[0], ['2'], [1.5], [{}]])('of size %j has a size that is not read', (size) => {
    const { groups, unread } = readGroups([lws({ args: ['M', '-n', '$(LWS_GROUP_SIZE)'] }, size)]);
    expect([groups[0]!.size, groups[0]!.pods.length]).toEqual([undefined, 2]);
    expect(groups[0]!.leader.engine!.settings!.nnodes).toMatchObject({
      isGiven: true,
      why: 'the size of the group is not known',
    });
    expect(unread).toMatchObject([{ path: 'spec.leaderWorkerTemplate.size' }]);
  });

  test('with a role that is not known to run vLLM says so', () => {
    const other = { containers: [{ image: 'acme/own', command: ['run'] }] };
    const { groups, unread } = readGroups([lws({ args: ['M'] }, 2, {}, { leaderTemplate: { spec: other } })]);
    expect([groups[0]!.leader.engine, groups[0]!.worker!.engine?.command.form]).toEqual([undefined, 'serve']);
    expect(unread).toMatchObject([
      { path: 'spec.leaderWorkerTemplate.leaderTemplate.spec.containers', what: 'what the leader runs' },
    ]);
  });

  test('carries the labels that LWS adds', () => {
    const [group] = readGroups([lws({ args: ['M'] }, 2)]).groups;
    const index = 'leaderworkerset.sigs.k8s.io/worker-index';
    expect([
      group!.leader.labels.get(index),
      group!.worker!.labels.get(index),
      group!.leader.labels.get('app'),
    ]).toEqual(['0', '1', 'a']);
    const [more] = readGroups([lws({ args: ['M'] }, 4)]).groups;
    const selecting = (value: string) =>
      podsMatching({ matchLabels: { [index]: value } }, undefined, [more!]).map(({ pod }) => pod.role);
    expect(['0', '1', '3', '4', 'x'].map(selecting)).toEqual([['leader'], ['worker'], ['worker'], [], []]);
  });

  test('may be of any kind with a pod template', () => {
    const { spec } = deployment({ args: ['M'] });
    const kinds = ['Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet', 'Job'].map((kind) => ({
      apiVersion: 'v1',
      kind,
      metadata: { name: 'a' },
      spec,
    }));
    const pod = { apiVersion: 'v1', kind: 'Pod', ...(spec as { template: object }).template, metadata: { name: 'p' } };
    const cron = { apiVersion: 'v1', kind: 'CronJob', metadata: { name: 'c' }, spec: { jobTemplate: { spec } } };
    const foreign = { apiVersion: 'v1', kind: 'RayCluster', metadata: { name: 'r' }, spec };
    const { groups } = readGroups([...kinds, pod, cron, foreign, null, 'x', {}] as KubernetesObject[]);
    expect(groups.map(({ kind, leader }) => `${kind} ${leader.engine!.path}`)).toEqual([
      ...kinds.map(({ kind }) => `${kind} spec.template.spec.containers[0]`),
      'Pod spec.containers[0]',
      'CronJob spec.jobTemplate.spec.template.spec.containers[0]',
    ]);
  });

  test('keeps other containers, and other workloads apart', () => {
    const { groups, workloads, unread } = readGroups([
      deployment(
        { args: ['M'] },
        { initContainers: [{ name: 'wait', image: 'busybox', command: ['sh', '-c', 'sleep 1'] }] },
      ),
      { ...deployment({ image: 'nginx', resources: { limits: { cpu: 'six' } } }), metadata: { name: 'web' } },
    ]);
    expect([groups.length, workloads.length, unread]).toEqual([1, 2, []]);
    expect(groups[0]!.leader.initContainers.map(({ name, isInit }) => [name, isInit])).toEqual([['wait', true]]);
  });
});

describe('a container', () => {
  test('has probes with the defaults of Kubernetes', () => {
    const engine = engineOf({
      args: ['M'],
      ports: [{ name: 'http', containerPort: 8000 }],
      startupProbe: { httpGet: { path: '/health?x=1', port: 'http' }, failureThreshold: 90, periodSeconds: 0 },
      readinessProbe: { tcpSocket: { port: 8000 } },
      livenessProbe: { exec: { command: ['true'] }, initialDelaySeconds: 30 },
    });
    expect(engine.startupProbe).toMatchObject({
      kind: 'http',
      httpPath: '/health',
      port: 8000,
      writtenPort: 'http',
      periodSeconds: 10,
      patienceSeconds: 900,
    });
    expect(engine.readinessProbe).toMatchObject({
      kind: 'tcp',
      port: 8000,
      timeoutSeconds: 1,
      successThreshold: 1,
      failureThreshold: 3,
    });
    expect(engine.livenessProbe).toMatchObject({ kind: 'exec', command: ['true'], patienceSeconds: 60 });
    const odd = engineOf({
      args: ['M'],
      startupProbe: {},
      readinessProbe: { httpGet: { port: 'web' } },
      livenessProbe: 7,
    });
    expect(odd.startupProbe?.kind).toBe('unknown');
    expect(odd.readinessProbe).toMatchObject({ httpPath: '/', writtenPort: 'web' });
    expect([odd.readinessProbe?.port, odd.livenessProbe]).toEqual([undefined, undefined]);
  });

  test('has resources; a limit is the request where none is written', () => {
    const { resources } = engineOf({
      args: ['M'],
      resources: { limits: { 'nvidia.com/gpu': 4, cpu: '1500m' }, requests: { cpu: 1 } },
    });
    expect([resources.limits.get('nvidia.com/gpu')?.value, resources.requests.get('nvidia.com/gpu')?.value]).toEqual([
      4, 4,
    ]);
    expect([resources.limits.get('cpu')?.millis, resources.requests.get('cpu')?.millis]).toEqual([1500, 1000]);
    const { unread } = readGroups([deployment({ args: ['M'], resources: { limits: { memory: '4gb' } } })]);
    expect(unread).toMatchObject([{ path: 'spec.template.spec.containers[0].resources.limits.memory' }]);
  });

  test('has shared memory', () => {
    const memory = (container: object, pod: object) => {
      const { leader } = readGroups([deployment({ args: ['M'], ...container }, pod)]).groups[0]!;
      const { bytes, volume } = sharedMemory(leader.engine!, leader);
      return [bytes, volume?.medium];
    };
    const mount = { volumeMounts: [{ name: 'shm', mountPath: '/dev/shm/' }] };
    expect(memory({}, {})).toEqual([64 * 1024 ** 2, undefined]);
    expect(memory({}, { hostIPC: true })).toEqual([undefined, undefined]);
    expect(memory(mount, { volumes: [{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '2Gi' } }] })).toEqual([
      2 * 1024 ** 3,
      'Memory',
    ]);
    expect(memory(mount, { volumes: [{ name: 'shm', emptyDir: { medium: 'Memory' } }] })).toEqual([
      undefined,
      'Memory',
    ]);
  });
});

describe('what stands around a group', () => {
  const named = (kind: string, spec: object, namespace?: string) => ({
    apiVersion: 'v1',
    kind,
    metadata: { name: 'x', ...(namespace && { namespace }) },
    spec,
  });

  test('a Service selects pods of its own namespace', () => {
    const { groups } = readGroups([
      deployment({ args: ['M'] }),
      { ...deployment({ args: ['M'] }), metadata: { name: 'b' } },
    ]);
    const names = (selector: object, namespace?: string) =>
      podsSelectedBy(readService(named('Service', { selector }, namespace)), groups).map(
        ({ workload }) => workload.name,
      );
    expect([names({ app: 'a' }, 'n'), names({ app: 'a' }), names({ app: 'b' }, 'n'), names({}, 'n')]).toEqual([
      ['a'],
      ['b'],
      [],
      [],
    ]);
  });

  test('a Service port leads to a container port', () => {
    const service = readService(
      named('Service', { ports: [{ name: 'web', port: 80, targetPort: 'http' }, { port: 81 }] }),
    );
    const ports = [{ name: 'http', containerPort: 8000 }];
    expect(service.ports.map((port) => leadsTo(port, ports))).toEqual([8000, 81]);
    expect([portOf(service, { name: 'web' })?.port, portOf(service, 81)?.port, portOf(service, 82)]).toEqual([
      80,
      81,
      undefined,
    ]);
  });

  test.each([
    [{ matchLabels: { a: '1' } }, true],
    [{ matchLabels: { a: '2' } }, false],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '2'] }] }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, false],
    [{ matchExpressions: [{ key: 'b', operator: 'NotIn', values: ['1'] }] }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, false],
    [{ matchExpressions: [{ key: 'a', operator: 'Gt' }] }, undefined],
    [{ matchExpressions: [7] }, undefined],
    [{ matchLabels: { a: 1 } }, undefined],
    [{}, true],
    [undefined, false],
    ['a=1', undefined],
  ])('selector %j', (selector, isMatch) => {
    expect(matchesSelector(selector, new Map([['a', '1']]))).toBe(isMatch);
  });

  test('an Ingress, a monitor and an autoscaler', () => {
    const backend = { service: { name: 's', port: { name: 'http' } } };
    const ingress = readIngress(
      named('Ingress', {
        ingressClassName: 'alb',
        defaultBackend: backend,
        rules: [{ host: 'h', http: { paths: [{ path: '/v1', pathType: 'Prefix', backend }] } }],
      }),
    );
    expect(ingress.paths).toMatchObject([
      { host: 'h', path: '/v1', service: 's', port: 'http', jsonPath: 'spec.rules[0].http.paths[0]' },
      { service: 's', jsonPath: 'spec.defaultBackend' },
    ]);
    const monitor = readMonitor(
      named('ServiceMonitor', { endpoints: [{ port: 'http' }], namespaceSelector: { any: true } }),
    );
    expect([monitor.endpoints[0]!.httpPath, monitor.endpoints[0]!.path, monitor.namespaces]).toEqual([
      '/metrics',
      'spec.endpoints[0]',
      undefined,
    ]);
    expect(readMonitor(named('PodMonitor', {}, 'n')).namespaces).toEqual(['n']);
    expect(scaleTargetOf(named('ScaledObject', { scaleTargetRef: { name: 'a' } }))).toMatchObject({
      kind: 'Deployment',
      name: 'a',
    });
  });
});
