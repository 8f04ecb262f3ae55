import { Duration, JsonPatch, Size } from 'cdk8s';
import {
  CapacityType,
  Compilation,
  CpuArchitecture,
  DType,
  Model,
  NodeShape,
  NumaPolicy,
  SecretKey,
  Toleration,
  VllmImage,
  type VllmPipelineGroupProps,
  WeightsCache,
} from 'cdk8s-vllm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ENVIRONMENT, FLAGS } from '../../src/engine/settings';
import { envNames, newChart, newGroup, type PodTemplate, templates } from './harness';

const seconds = (min: number, max: number) => fc.integer({ min, max }).map((n) => Duration.seconds(n));
const secret = fc.constantFrom(SecretKey.of('a', 'key'), SecretKey.of('b.c', 'K_1'));
const word = fc.stringMatching(/^[a-z]{1,8}$/);

/** A failing example is reported as drawn: to shrink thirty props takes minutes. */
const asDrawn = { endOnFailure: true };

/** A model that every split within reach divides. */
const model = Model.custom('acme/any', {
  architecture: 'LlamaForCausalLM',
  layers: 24,
  hiddenSize: 1024,
  attentionHeads: 16,
  keyValueHeads: 8,
  vocabularySize: 32_000,
  parameters: 1e9,
  contextLength: 32_768,
});
const node = NodeShape.custom('n', { cpus: 64, memory: Size.gibibytes(256), architecture: CpuArchitecture.ARM64 });

/** Any props that are valid together. */
const anyProps: fc.Arbitrary<Partial<VllmPipelineGroupProps> & { pipelineParallelSize: number }> = fc
  .record(
    {
      pipelineParallelSize: fc.constantFrom(1, 2, 3, 4),
      tensorParallelSize: fc.constantFrom(1, 2, 4),
      image: fc.constantFrom('0.20.0', '0.21.0', '0.32.0').map((version) => VllmImage.cpu(version)),
      replicas: fc.integer({ min: 0, max: 12 }),
      modelRevision: word,
      servedModelName: word,
      dtype: fc.constantFrom(DType.BFLOAT16, DType.FLOAT32),
      compilation: fc.constantFrom(Compilation.EAGER, Compilation.INDUCTOR),
      maxModelLen: fc.integer({ min: 1, max: 32_768 }),
      maxNumBatchedTokens: fc.integer({ min: 8, max: 8192 }),
      kvCacheMemory: fc.integer({ min: 4096, max: 100 * 1024 }).map((mebibytes) => Size.mebibytes(mebibytes)),
      threads: fc.integer({ min: 1, max: 62 }),
      numaPolicy: fc.constantFrom(NumaPolicy.BIND, NumaPolicy.NONE),
      weightsCache: fc.constantFrom(WeightsCache.emptyDir(), WeightsCache.hostPath('/m')),
      huggingFaceToken: secret,
      apiKey: secret,
      port: fc.integer({ min: 1, max: 20_000 }),
      masterPort: fc.integer({ min: 20_001, max: 65_535 }),
      keepAliveTimeout: seconds(1, 4100),
      startupBudget: seconds(60, 7200),
      stepTimeout: seconds(30, 600),
      progressLiveness: fc.boolean(),
      drainTimeout: seconds(0, 300),
      extraArgs: fc.subarray(['--seed=1', '--max-num-seqs=7', '--enable-prefix-caching']),
      extraServerArgs: fc.subarray(['--uvicorn-log-level=info', '--enable-log-requests']),
      environment: fc.dictionary(fc.stringMatching(/^X_[A-Z]{1,4}$/), word, { maxKeys: 3 }),
      podLabels: fc.dictionary(fc.stringMatching(/^x[a-z]{1,4}$/), word, { maxKeys: 3 }),
      podAnnotations: fc.dictionary(fc.stringMatching(/^x[a-z]{1,4}$/), word, { maxKeys: 3 }),
      capacityType: fc.constantFrom(CapacityType.SPOT, CapacityType.ON_DEMAND),
      tolerations: fc.constantFrom<Toleration[]>([], [Toleration.exists('x')]),
      imagePullSecrets: fc.subarray(['a', 'b']),
    },
    { requiredKeys: ['pipelineParallelSize'] },
  )
  // A single pod has no other ranks to meet.
  .map(({ masterPort, ...props }) =>
    props.pipelineParallelSize * (props.tensorParallelSize ?? 1) > 1 && masterPort !== undefined
      ? { ...props, masterPort }
      : props,
  );

/** Any patches of the pods, before and after the other objects of the chart are made. */
const anyPatches = fc.subarray([
  JsonPatch.add('/spec/priorityClassName', 'serving'),
  JsonPatch.add('/spec/containers/0/env/-', { name: 'PATCHED', value: '1' }),
  JsonPatch.add('/spec/containers/0/resources/limits/nvidia.com~1gpu', 8),
  JsonPatch.add('/metadata/labels/patched', 'yes'),
  JsonPatch.remove('/spec/enableServiceLinks'),
]);

const LEADER_ARGUMENTS =
  /^--(node-rank|port|served-model-name|enable-server-load-tracking|shutdown-timeout|uvicorn-log-level|enable-log-requests)(=|$)/;
const WORKER_ARGUMENTS = /^--(node-rank|headless)(=|$)/;
const LEADER_VARIABLES = ['VLLM_API_KEY', 'VLLM_ENGINE_READY_TIMEOUT_S', 'VLLM_HTTP_TIMEOUT_KEEP_ALIVE'];

function without<T extends object, K extends string>(value: T, ...keys: K[]): Omit<T, K> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key as K))) as Omit<T, K>;
}

/** A template without exactly what sets its role apart. */
function withoutRole({ metadata, spec }: PodTemplate, role: 'leader' | 'worker'): object {
  const { role: label, ...labels } = metadata.labels;
  expect(label).toBe(role);
  const { containers, ...pod } = spec;
  expect(containers).toHaveLength(1);
  const { args, env } = containers[0];
  const rest = without(containers[0], 'ports', 'startupProbe', 'readinessProbe', 'livenessProbe', 'lifecycle');
  const own = role === 'leader' ? LEADER_ARGUMENTS : WORKER_ARGUMENTS;
  return {
    metadata: { ...metadata, labels },
    spec: without(pod, 'terminationGracePeriodSeconds'),
    container: {
      ...rest,
      args: args.filter((argument) => !own.test(argument)),
      env: env.filter(({ name }) => role === 'worker' || !LEADER_VARIABLES.includes(name)),
    },
  };
}

function rendered(props: Partial<VllmPipelineGroupProps>, patches: JsonPatch[]) {
  const chart = newChart();
  const group = newGroup(chart, { model, node, memory: Size.gibibytes(128), ...props });
  group.patchPods(...patches.slice(0, 2));
  newGroup(chart, { tensorParallelSize: 1 }, 'other').node.tryRemoveChild('Resource');
  group.patchPods(...patches.slice(2));
  return { group, ...templates(chart) };
}

describe('the two roles', () => {
  test('differ in exactly what is documented, for any props and patches', () => {
    fc.assert(
      fc.property(anyProps, anyPatches, (props, patches) => {
        const { group, spec, leader, worker } = rendered(props, patches);
        const size = props.pipelineParallelSize * (props.tensorParallelSize ?? 1);
        expect([group.size, spec.leaderWorkerTemplate.size]).toEqual([size, size]);
        expect(spec.replicas).toBe(props.replicas ?? 1);
        expect(leader.spec.containers[0].args.includes(`--nnodes=${size}`)).toBe(size > 1);
        expect(spec.leaderWorkerTemplate.leaderTemplate === undefined).toBe(size === 1);
        if (size === 1) {
          expect(leader.spec.containers[0].args.join(' ')).not.toMatch(/--(nnodes|headless|master|node-rank)/);
          expect(leader.metadata.labels.role).toBe('leader');
          return;
        }
        expect(withoutRole(leader, 'leader')).toEqual(withoutRole(worker, 'worker'));

        const drain = props.drainTimeout?.toSeconds() ?? 0;
        expect(leader.spec.terminationGracePeriodSeconds).toBe(drain + (drain === 0 ? 1 : 20));
        expect(worker.spec.terminationGracePeriodSeconds).toBe(drain + 1);
        const [lead, work] = [leader.spec.containers[0], worker.spec.containers[0]];
        expect(lead.args.filter((a) => a.startsWith('--node-rank'))).toEqual(['--node-rank=0']);
        expect(work.args.filter((a) => WORKER_ARGUMENTS.test(a))).toEqual([
          '--node-rank=$(LWS_WORKER_INDEX)',
          '--headless',
        ]);
        expect(lead.args).toContain(`--port=${group.port}`);
        expect(lead.lifecycle).toBeUndefined();
        expect(work.lifecycle !== undefined).toBe(drain > 0);
        for (const http of ['ports', 'startupProbe', 'readinessProbe', 'livenessProbe']) {
          expect(work[http]).toBeUndefined();
          expect(lead[http] !== undefined).toBe(http !== 'livenessProbe' || (props.progressLiveness ?? true));
        }
      }),
      asDrawn,
    );
  });

  test('hold one word an argument, no name twice, and nothing that the tables do not know', () => {
    fc.assert(
      fc.property(anyProps, (props) => {
        const { leader, worker } = rendered(props, []);
        for (const template of [leader, worker]) {
          const { args, command } = template.spec.containers[0];
          expect(command).toEqual(['vllm', 'serve']);
          expect(args.filter((a) => !/^\S+$/.test(a))).toEqual([]);
          const flags = args.slice(1).map((a) => a.split('=', 1)[0]!);
          const names = envNames(template);
          expect(new Set(flags).size).toBe(flags.length);
          expect(new Set(names).size).toBe(names.length);
          const extra = [...(props.extraArgs ?? []), ...(props.extraServerArgs ?? [])].map((a) => a.split('=', 1)[0]!);
          expect(flags.filter((f) => !(f in FLAGS) && !extra.includes(f))).toEqual([]);
          expect(names.filter((n) => !(n in ENVIRONMENT) && !(n in (props.environment ?? {})))).toEqual([]);
        }
      }),
      asDrawn,
    );
  });

  test('get the settings that the table gives their rank', () => {
    const { leader, worker } = rendered({ pipelineParallelSize: 2, apiKey: SecretKey.of('a', 'b') }, []);
    const ranks = (inLeader: boolean, inWorker: boolean): string =>
      inLeader && inWorker ? 'all' : inLeader ? 'leader' : inWorker ? 'worker' : 'none';
    const has = (template: PodTemplate, name: string): boolean =>
      envNames(template).includes(name) || template.spec.containers[0].args.some((a) => a.split('=', 1)[0] === name);
    for (const [name, setting] of Object.entries({ ...FLAGS, ...ENVIRONMENT })) {
      const found = ranks(has(leader, name), has(worker, name));
      expect([name, found]).toEqual([name, found === 'none' ? 'none' : setting.ranks]);
    }
  });
});

describe('the size of the KV cache', () => {
  test('is a variable in whole GiB, else a flag in bytes, and never both', () => {
    const any = fc.oneof(
      fc.integer({ min: 1, max: 90 }).map((n) => Size.gibibytes(n)),
      fc.integer({ min: 512, max: 90 * 1024 }).map((n) => Size.mebibytes(n)),
      fc.integer({ min: 512 * 1024, max: 90 * 1024 ** 2 }).map((n) => Size.kibibytes(n)),
    );
    fc.assert(
      fc.property(any, fc.constantFrom(1, 2), (kvCacheMemory, pipelineParallelSize) => {
        const { leader, worker } = rendered({ kvCacheMemory, pipelineParallelSize }, []);
        const kibibytes = kvCacheMemory.toKibibytes();
        const whole = kibibytes % 1024 ** 2 === 0;
        for (const { spec } of [leader, worker]) {
          const { args, env } = spec.containers[0];
          expect(env.filter((e) => e.name === 'VLLM_CPU_KVCACHE_SPACE').map((e) => e.value)).toEqual(
            whole ? [String(kibibytes / 1024 ** 2)] : [],
          );
          expect(args.filter((a) => a.startsWith('--kv-cache-memory-bytes'))).toEqual(
            whole ? [] : [`--kv-cache-memory-bytes=${kibibytes * 1024}`],
          );
        }
      }),
      asDrawn,
    );
  });
});
