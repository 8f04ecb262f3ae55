import { ApiObject, Duration, JsonPatch } from 'cdk8s';
import { NodeShape, SecretKey, type VllmGroupAttributes, VllmImage, VllmPipelineGroup, WeightsCache } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { env, find, newChart, newGroup, render, synth, templates } from './harness';

describe('VllmPipelineGroup by default', () => {
  test('says every field that the webhook would fill in', () => {
    const { leaderWorkerTemplate, ...rest } = render().spec;
    expect(leaderWorkerTemplate).toMatchObject({ size: 2, restartPolicy: 'RecreateGroupOnPodRestart' });
    expect(rest).toEqual({
      replicas: 1,
      startupPolicy: 'LeaderCreated',
      networkConfig: { subdomainPolicy: 'Shared' },
      rolloutStrategy: {
        type: 'RollingUpdate',
        rollingUpdateConfiguration: { partition: 0, maxUnavailable: 1, maxSurge: 0 },
      },
    });
  });

  test('is hardened as far as the image allows', () => {
    for (const { spec } of [render().leader, render().worker]) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(spec.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(spec.containers[0].terminationMessagePolicy).toBe('FallbackToLogsOnError');
    }
  });

  test('keeps two ranks of a name off one node', () => {
    expect(render().worker.spec.affinity).toEqual({
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'gemma' } } },
        ],
      },
    });
  });

  test('ends fast and drains nothing in a group, and drains in a single pod', () => {
    const { leader, worker } = render();
    expect([leader, worker].map((t) => t.spec.terminationGracePeriodSeconds)).toEqual([1, 1]);
    expect(worker.spec.containers[0].lifecycle).toBeUndefined();
    expect(render({ pipelineParallelSize: 1 }).leader.spec.terminationGracePeriodSeconds).toBe(50);
  });

  test('the budget covers all pods of the group and forbids evictions of the only one', () => {
    const chart = newChart();
    newGroup(chart);
    expect(find(chart, 'PodDisruptionBudget').spec).toEqual({
      maxUnavailable: 0,
      selector: { matchLabels: { 'leaderworkerset.sigs.k8s.io/name': 'gemma' } },
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    });
    const many = newChart();
    newGroup(many, { replicas: 2 });
    expect(find(many, 'PodDisruptionBudget').spec.maxUnavailable).toBe(1);
  });

  test('a weights cache on the node is mounted where vLLM downloads to', () => {
    const { worker } = render({ weightsCache: WeightsCache.hostPath('/mnt/models') });
    expect(worker.spec.volumes).toContainEqual({
      name: 'weights',
      hostPath: { path: '/mnt/models', type: 'DirectoryOrCreate' },
    });
    expect(worker.spec.containers[0].volumeMounts).toContainEqual({
      name: 'weights',
      mountPath: '/root/.cache/huggingface',
    });
  });
});

describe('the version in the image', () => {
  test.each([
    ['0.20.0', { VLLM_CPU_OMP_THREADS_BIND: '0-4', OMP_NUM_THREADS: undefined }],
    ['0.20.2', { VLLM_CPU_OMP_THREADS_BIND: '0-4', OMP_NUM_THREADS: undefined }],
    ['0.21.0', { VLLM_CPU_OMP_THREADS_BIND: 'nobind', OMP_NUM_THREADS: '5' }],
    ['0.32.0', { VLLM_CPU_OMP_THREADS_BIND: 'nobind', OMP_NUM_THREADS: '5' }],
  ])('%s gets its threads by %j', (version, expected) => {
    const { leader, worker } = render({ image: VllmImage.cpu(version) });
    for (const [name, value] of Object.entries(expected)) {
      expect([env(leader, name), env(worker, name)]).toEqual([value, value]);
    }
  });

  test('one thread is one core, not a range', () => {
    const { leader } = render({ image: VllmImage.cpu('0.20.0'), threads: 1 });
    expect(env(leader, 'VLLM_CPU_OMP_THREADS_BIND')).toBe('0');
  });

  test('a newer one behaves as it is said to', () => {
    const { leader } = render({ image: VllmImage.cpu('0.50.0', { like: '0.20.0' }) });
    expect(leader.spec.containers[0].image).toBe('vllm/vllm-openai-cpu:v0.50.0-arm64');
    expect(env(leader, 'VLLM_CPU_OMP_THREADS_BIND')).toBe('0-4');
  });
});

describe('a single pod', () => {
  test('has one template, the leader without its rendezvous, and as many copies as asked', () => {
    const { spec, leader } = render({ pipelineParallelSize: 1, replicas: 3 });
    expect(spec).toMatchObject({ replicas: 3, leaderWorkerTemplate: { size: 1, restartPolicy: 'None' } });
    expect(spec.leaderWorkerTemplate.leaderTemplate).toBeUndefined();
    expect(leader.metadata.labels).toEqual({ app: 'gemma', role: 'leader' });
    const { args } = leader.spec.containers[0];
    expect(args.filter((a) => /^--(nnodes|node-rank|master-addr|master-port|headless)/.test(a))).toEqual([]);
    expect(args).toEqual(expect.arrayContaining(['--port=8000', '--pipeline-parallel-size=1']));
    expect(args.some((a) => a.startsWith('--max-num-batched-tokens'))).toBe(false);
  });
});

describe('patches of the API object', () => {
  test('keep unknown fields, plain numbers and quantities', () => {
    const chart = newChart();
    const container = '/spec/leaderWorkerTemplate/workerTemplate/spec/containers/0';
    ApiObject.of(newGroup(chart)).addJsonPatch(
      JsonPatch.add('/spec/fieldOfTomorrow', { deep: [1, 'two'] }),
      JsonPatch.add(`${container}/resources/limits/nvidia.com~1gpu`, 8),
      JsonPatch.add(`${container}/fieldOfTomorrow`, true),
      JsonPatch.add('/status', { replicas: 1 }),
    );
    const lws = find(chart, 'LeaderWorkerSet');
    const { worker, leader } = templates(chart);
    expect(lws.spec.fieldOfTomorrow).toEqual({ deep: [1, 'two'] });
    expect(lws).toHaveProperty('status', { replicas: 1 });
    expect(worker.spec.containers[0].resources.limits).toHaveProperty(['nvidia.com/gpu'], 8);
    expect(worker.spec.containers[0].fieldOfTomorrow).toBe(true);
    expect(leader.spec.containers[0].fieldOfTomorrow).toBeUndefined();
  });
});

describe('patchPods', () => {
  const grow = [JsonPatch.add('/spec/list', []), JsonPatch.add('/spec/list/-', 1), JsonPatch.add('/spec/list/-', 2)];

  test('reaches both roles alike, whenever it is called and however often the chart is rendered', () => {
    const chart = newChart();
    const group = newGroup(chart);
    group.patchPods(...grow);
    expect(synth(chart)).toEqual(synth(chart));
    group.patchPods(JsonPatch.add('/spec/priorityClassName', 'serving'));
    const { leader, worker } = templates(chart);
    for (const { spec } of [leader, worker]) {
      expect(spec.list).toEqual([1, 2]);
      expect(spec.priorityClassName).toBe('serving');
    }
  });

  test('reaches the only template of a single pod', () => {
    const chart = newChart();
    newGroup(chart, { pipelineParallelSize: 1 }).patchPods(...grow);
    expect(templates(chart).leader.spec.list).toEqual([1, 2]);
  });
});

describe('what others see of a group', () => {
  test('one of this App', () => {
    const group = newGroup(newChart(), { tensorParallelSize: 2, replicas: 3, apiKey: SecretKey.of('a', 'b') });
    expect(group).toMatchObject({ groupName: 'gemma', port: 8000, size: 4, replicas: 3 });
    expect(group.servedModelName).toBe('google/gemma-3-1b-it');
    expect(group.keepAliveTimeout.toSeconds()).toBe(310);
    expect(group.apiKey).toEqual(SecretKey.of('a', 'b'));
    expect(VllmPipelineGroup.isVllmPipelineGroup(group)).toBe(true);
    expect(VllmPipelineGroup.isVllmPipelineGroup(group.node.scope)).toBe(false);
    expect(VllmPipelineGroup.isVllmPipelineGroup(undefined)).toBe(false);
  });

  test('one that was made elsewhere', () => {
    const attributes: Required<VllmGroupAttributes> = {
      groupNamespace: 'far',
      port: 9000,
      keepAliveTimeout: Duration.minutes(10),
      servedModelName: 'llama',
      apiKey: SecretKey.of('a', 'b'),
    };
    const leaderSelector = {
      'leaderworkerset.sigs.k8s.io/name': 'llama',
      'leaderworkerset.sigs.k8s.io/worker-index': '0',
    };
    expect(VllmPipelineGroup.fromName('llama', attributes)).toMatchObject({
      groupName: 'llama',
      leaderSelector,
      ...attributes,
    });
    // vLLM's own keep-alive: a balancer in front of it is refused until the real one is said.
    expect(VllmPipelineGroup.fromName('llama').keepAliveTimeout.toSeconds()).toBe(5);
  });
});

describe('props are read once', () => {
  test('what a caller does to its arrays and maps afterwards changes nothing', () => {
    const environment: Record<string, string> = { A: '1' };
    const extraArgs = ['--seed=1'];
    const chart = newChart();
    newGroup(chart, { environment, extraArgs, node: NodeShape.of('m7g.4xlarge') });
    const before = synth(chart);
    environment.B = '2';
    extraArgs.push('--nnodes=7');
    expect(synth(chart)).toEqual(before);
  });
});
