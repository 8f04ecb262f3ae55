import { Duration, Size } from 'cdk8s';
import {
  CapacityType,
  Compilation,
  Cpu,
  DType,
  Model,
  NamespacePolicy,
  NodeShape,
  NumaPolicy,
  SecretKey,
  TaintEffect,
  Toleration,
  VllmImage,
  VllmPipelineGroup,
  type VllmPipelineGroupProps,
  WeightsCache,
} from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { env, find, newChart, render, synth, templates } from './harness';

const props: Required<VllmPipelineGroupProps> = {
  name: 'qwen',
  model: Model.of('Qwen/Qwen3-8B'),
  image: VllmImage.cpu('0.32.0'),
  node: NodeShape.of('m7i.4xlarge'),
  modelRevision: '4a5b6c',
  servedModelName: 'qwen3',
  dtype: DType.FLOAT32,
  compilation: Compilation.INDUCTOR,
  maxModelLen: 8192,
  maxNumBatchedTokens: 384,
  kvCacheMemory: Size.gibibytes(7),
  cpu: Cpu.units(12),
  memory: Size.gibibytes(48),
  sharedMemory: Size.gibibytes(2),
  ephemeralStorage: Size.gibibytes(70),
  threads: 9,
  systemPods: [{ name: 'agent', cpu: Cpu.millis(1500) }],
  numaPolicy: NumaPolicy.BIND,
  weightsCache: WeightsCache.persistentVolumeClaim('weights'),
  huggingFaceToken: SecretKey.of('hf', 'tok'),
  apiKey: SecretKey.of('api', 'k'),
  port: 9000,
  keepAliveTimeout: Duration.seconds(700),
  startupBudget: Duration.seconds(1865),
  stepTimeout: Duration.seconds(123),
  progressLiveness: true,
  stallTimeout: Duration.seconds(456),
  drainTimeout: Duration.seconds(45),
  extraArgs: ['--max-num-seqs=64'],
  extraServerArgs: ['--disable-uvicorn-access-log'],
  environment: { VLLM_LOGGING_LEVEL: 'DEBUG' },
  secretEnvironment: { S3_KEY: SecretKey.of('s3', 'k') },
  imageRegistry: 'mirror.example/hub',
  imagePullSecrets: ['regcred'],
  nodeSelector: { pool: 'llm' },
  zone: 'us-east-1b',
  capacityType: CapacityType.SPOT,
  tolerations: [Toleration.equal('dedicated', 'llm', TaintEffect.NO_SCHEDULE), Toleration.exists('spot')],
  podLabels: { team: 'ai' },
  podAnnotations: { 'Example.com/note': 'x y' },
  namespacePolicy: NamespacePolicy.EXISTING,
  pipelineParallelSize: 3,
  tensorParallelSize: 2,
  layerPartition: [13, 12, 11],
  replicas: 4,
  rolloutMaxSurge: 3,
  rolloutMaxUnavailable: 2,
  rolloutPartition: 1,
  disruptionMaxUnavailable: 5,
  masterPort: 29999,
};

const chart = newChart();
const group = new VllmPipelineGroup(chart, 'id', props);
const { spec, leader, worker } = templates(chart);
const both = [leader, worker];
const container = leader.spec.containers[0];

/** In the arguments of the leader and, unless told otherwise, of the worker. */
function argument(word: string, onWorker = true): void {
  expect(container.args).toContain(word);
  expect(worker.spec.containers[0].args.includes(word)).toBe(onWorker);
}
function variable(name: string, value: string, onWorker = true): void {
  expect(env(leader, name)).toBe(value);
  expect(env(worker, name)).toBe(onWorker ? value : undefined);
}
function secret(name: string, secretName: string, key: string, onWorker: boolean): void {
  const entry = { name, valueFrom: { secretKeyRef: { name: secretName, key } } };
  expect(container.env).toContainEqual(entry);
  expect(worker.spec.containers[0].env.some((e) => e.name === name)).toBe(onWorker);
}
function inBoth(expected: object): void {
  for (const template of both) {
    expect(template).toMatchObject(expected);
  }
}
function resources(name: string, value: string): void {
  for (const { resources: r } of both.map((t) => t.spec.containers[0])) {
    expect([r.requests[name], r.limits[name]]).toEqual([value, value]);
  }
}
function selector(label: string, value: string): void {
  inBoth({ spec: { nodeSelector: { [label]: value } } });
}

/** What each prop does. One line a prop, or this file does not compile. */
const effects: Record<keyof VllmPipelineGroupProps, () => void> = {
  name: () => {
    expect(find(chart, 'LeaderWorkerSet').metadata.name).toBe('qwen');
    expect(find(chart, 'PodDisruptionBudget').metadata.name).toBe('qwen');
    inBoth({ metadata: { labels: { app: 'qwen' } } });
  },
  model: () => both.forEach((t) => expect(t.spec.containers[0].args[0]).toBe('Qwen/Qwen3-8B')),
  image: () => inBoth({ spec: { containers: [{ image: expect.stringContaining(':v0.32.0-') as string }] } }),
  node: () => {
    selector('kubernetes.io/arch', 'amd64');
    expect(container.image).toMatch(/-x86_64$/);
  },
  modelRevision: () => argument('--revision=4a5b6c'),
  servedModelName: () => argument('--served-model-name=qwen3', false),
  dtype: () => argument('--dtype=float32'),
  compilation: () => argument('-cc.backend=inductor'),
  maxModelLen: () => argument('--max-model-len=8192'),
  maxNumBatchedTokens: () => argument('--max-num-batched-tokens=384'),
  kvCacheMemory: () => variable('VLLM_CPU_KVCACHE_SPACE', '7'),
  cpu: () => resources('cpu', '12'),
  memory: () => resources('memory', '48Gi'),
  sharedMemory: () =>
    both.forEach((t) =>
      expect(t.spec.volumes).toContainEqual({ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '2Gi' } }),
    ),
  ephemeralStorage: () => resources('ephemeral-storage', '70Gi'),
  systemPods: () => expect(group.plan.toJson()).toMatchObject({ nodes: { systemPods: { cpuMillis: 1500, pods: 1 } } }),
  threads: () => variable('OMP_NUM_THREADS', '9'),
  numaPolicy: () =>
    inBoth({ spec: { containers: [{ securityContext: { capabilities: { drop: ['ALL'], add: ['SYS_NICE'] } } }] } }),
  weightsCache: () =>
    both.forEach((t) =>
      expect(t.spec.volumes).toContainEqual({ name: 'weights', persistentVolumeClaim: { claimName: 'weights' } }),
    ),
  huggingFaceToken: () => secret('HF_TOKEN', 'hf', 'tok', true),
  apiKey: () => secret('VLLM_API_KEY', 'api', 'k', false),
  port: () => {
    argument('--port=9000', false);
    expect(container.ports).toEqual([{ name: 'http', containerPort: 9000 }]);
  },
  keepAliveTimeout: () => variable('VLLM_HTTP_TIMEOUT_KEEP_ALIVE', '700', false),
  startupBudget: () => {
    variable('VLLM_ENGINE_READY_TIMEOUT_S', '1865', false);
    expect(container.startupProbe).toMatchObject({ periodSeconds: 1, failureThreshold: 1865 });
  },
  stepTimeout: () => variable('VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS', '123'),
  progressLiveness: () => {
    const silent = { ...props, progressLiveness: false, stallTimeout: undefined, name: 'silent' };
    const unprobed = render(silent).leader.spec.containers[0];
    expect(unprobed.livenessProbe).toBeUndefined();
    expect(unprobed.args).not.toContain('--enable-server-load-tracking');
  },
  stallTimeout: () => {
    expect((container.livenessProbe as { exec: { command: string[] } }).exec.command.slice(-4, -2)).toEqual([
      '9000',
      '456',
    ]);
    expect(container.args).toContain('--enable-server-load-tracking');
  },
  drainTimeout: () => {
    argument('--shutdown-timeout=45', false);
    expect(leader.spec.terminationGracePeriodSeconds).toBe(65);
    expect(worker.spec.terminationGracePeriodSeconds).toBe(46);
    expect(worker.spec.containers[0].lifecycle).toEqual({ preStop: { exec: { command: ['sleep', '45'] } } });
  },
  extraArgs: () => argument('--max-num-seqs=64'),
  extraServerArgs: () => argument('--disable-uvicorn-access-log', false),
  environment: () => variable('VLLM_LOGGING_LEVEL', 'DEBUG'),
  secretEnvironment: () => secret('S3_KEY', 's3', 'k', true),
  imageRegistry: () => expect(container.image).toMatch(/^mirror\.example\/hub\/vllm\//),
  imagePullSecrets: () => inBoth({ spec: { imagePullSecrets: [{ name: 'regcred' }] } }),
  nodeSelector: () => selector('pool', 'llm'),
  zone: () => selector('topology.kubernetes.io/zone', 'us-east-1b'),
  capacityType: () => selector('eks.amazonaws.com/capacityType', 'SPOT'),
  tolerations: () =>
    both.forEach((t) =>
      expect(t.spec.tolerations).toEqual([
        { key: 'dedicated', operator: 'Equal', value: 'llm', effect: 'NoSchedule' },
        { key: 'spot', operator: 'Exists' },
      ]),
    ),
  podLabels: () => inBoth({ metadata: { labels: { team: 'ai' } } }),
  podAnnotations: () => inBoth({ metadata: { annotations: { 'Example.com/note': 'x y' } } }),
  namespacePolicy: () => {
    expect(synth(chart).map(({ kind }) => kind)).not.toContain('Namespace');
    const owning = newChart();
    new VllmPipelineGroup(owning, 'id', { ...props, namespacePolicy: NamespacePolicy.CREATE });
    expect(find(owning, 'Namespace').metadata.name).toBe('vllm');
  },
  pipelineParallelSize: () => argument('--pipeline-parallel-size=3'),
  tensorParallelSize: () => {
    argument('--tensor-parallel-size=2');
    argument('--nnodes=6');
    expect(spec.leaderWorkerTemplate.size).toBe(6);
  },
  layerPartition: () => variable('VLLM_PP_LAYER_PARTITION', '13,12,11'),
  replicas: () => expect(spec.replicas).toBe(4),
  rolloutMaxSurge: () => rollout({ maxSurge: 3 }),
  rolloutMaxUnavailable: () => rollout({ maxUnavailable: 2 }),
  rolloutPartition: () => rollout({ partition: 1 }),
  disruptionMaxUnavailable: () => expect(find(chart, 'PodDisruptionBudget').spec.maxUnavailable).toBe(5),
  masterPort: () => argument('--master-port=29999'),
};

function rollout(expected: object): void {
  expect(spec.rolloutStrategy).toMatchObject({ rollingUpdateConfiguration: expected });
}

describe('VllmPipelineGroup, all props', () => {
  test.each(Object.entries(effects))('%s', (_, check) => check());
});
