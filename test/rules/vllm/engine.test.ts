import { describe, expect, test } from 'vitest';
import { CPU_GROUP, CPU_POD, edit, GPU_GROUP } from '../../../src/rules/examples';
import { runRules } from '../../../src/rules/index';
import { ENGINE_RULES } from '../../../src/rules/vllm/engine';
import { objectsOf } from '../manifests';

type Edit = readonly [from: string, to: string];

/** What the rules about one engine say of a manifest: `severity name`, and notes where they are asked for. */
function found(manifest: string, withNotes = false): string[] {
  return runRules(objectsOf(manifest), {}, ENGINE_RULES)
    .filter(({ severity }) => withNotes || severity !== 'note')
    .map(({ severity, id }) => `${severity} ${id.slice('vllm/'.length)}`)
    .filter((one, i, all) => all.indexOf(one) === i)
    .sort();
}

const pod = (...edits: Edit[]): string => edit(CPU_POD, ...edits);
const IMAGE = 'vllm/vllm-openai-cpu:v0.31.0-x86_64';
const arg = (...words: string[]): Edit => [
  '            - --port=8000\n',
  `            - --port=8000\n${words.map((word) => `            - ${word}\n`).join('')}`,
];
const variable = (entry: string): Edit => [
  '          ports: [{ name: http, containerPort: 8000 }]\n',
  `            - ${entry}\n          ports: [{ name: http, containerPort: 8000 }]\n`,
];
const image = (reference: string): Edit => [IMAGE, reference];
const model = (name: string): Edit => ['Qwen/Qwen3-0.6B', name];
const cache = (value: string): Edit => ['VLLM_CPU_KVCACHE_SPACE, value: "4"', `VLLM_CPU_KVCACHE_SPACE, ${value}`];
const readiness = (probe: string): Edit => ['readinessProbe: { httpGet: { path: /health, port: http } }', probe];
const STARTUP =
  '          startupProbe: { httpGet: { path: /health, port: http }, periodSeconds: 10, failureThreshold: 90 }\n';
const liveness = (probe: string): Edit => [STARTUP, `          livenessProbe: ${probe}\n`];
const NO_MOUNT: Edit = ['          volumeMounts: [{ name: shm, mountPath: /dev/shm }]\n', ''];
const shm = (volume: string): Edit => ['emptyDir: { medium: Memory, sizeLimit: 2Gi }', volume];
const memory = (limit: string): Edit => ['memory: 16Gi', `memory: ${limit}`];
const node = (labels: string): Edit => ['{ kubernetes.io/arch: amd64 }', labels];
/** One GPU, or several, in place of a CPU pod. */
const gpu = (count: number): Edit[] => [
  image('vllm/vllm-openai:v0.31.0'),
  ['cpu: "6", memory: 16Gi', `nvidia.com/gpu: "${count}", memory: 64Gi`],
];

describe.each<[string, [string, Edit[], string[]][]]>([
  [
    'shared memory',
    [
      ['half of one queue', [shm('emptyDir: { medium: Memory, sizeLimit: 64Mi }')], ['error shm-too-small']],
      ['one queue', [shm('emptyDir: { medium: Memory, sizeLimit: 256Mi }')], ['warning shm-too-small']],
      ['of the host', [NO_MOUNT, ['      enableServiceLinks', '      hostIPC: true\n      enableServiceLinks']], []],
      ['a host path', [shm('hostPath: { path: /dev/shm }')], []],
      ['a claim template of the workload', [['volumes: [{ name: shm,', 'volumes: [{ name: other,']], []],
      ['before the check', [image('vllm/vllm-openai-cpu:v0.26.0'), NO_MOUNT], ['warning shm-too-small']],
      ['an unknown release', [image('registry.example/team/vllm-cpu:7'), NO_MOUNT], []],
      ['one GPU', [...gpu(1), NO_MOUNT], []],
      ['two GPUs', [...gpu(2), NO_MOUNT, arg('-tp', '"2"')], ['error shm-too-small']],
      ['Ray', [...gpu(2), NO_MOUNT, arg('-tp=2', '--distributed-executor-backend=ray')], []],
      ['on disk', [shm('emptyDir: {}')], ['warning shm-not-memory']],
      [
        'with the cache over the limit',
        [shm('emptyDir: { medium: Memory, sizeLimit: 13Gi }')],
        ['warning shm-over-memory-limit'],
      ],
      [
        'over the limit beside a GPU',
        [...gpu(1), shm('emptyDir: { medium: Memory, sizeLimit: 80Gi }')],
        ['warning shm-over-memory-limit'],
      ],
    ],
  ],
  [
    'memory',
    [
      [
        'the cache alone, by flag',
        [cache('value: ""'), arg('--kv-cache-memory-bytes=20G')],
        ['error memory-below-need'],
      ],
      ['the weights alone', [model('meta-llama/Llama-3.1-8B-Instruct')], ['error memory-below-need']],
      ['what the formula adds', [memory('7Gi')], ['error memory-below-need']],
      ['within its band', [memory('7500Mi')], ['warning memory-below-need']],
      [
        'a release that was not measured',
        [memory('7Gi'), image('vllm/vllm-openai-cpu:v0.27.1')],
        ['warning memory-below-need'],
      ],
      ['no release', [memory('7Gi'), image('registry.example/team/vllm-cpu:7')], []],
      ['an unknown model', [memory('5Gi'), model('example/unknown')], ['warning shm-over-memory-limit']],
      ['weights that are converted', [memory('7Gi'), arg('--quantization=fp8')], []],
      ['another shape', [memory('7Gi'), arg(`'--hf-overrides={"num_hidden_layers":2}'`)], []],
      ['a cache from somewhere', [cache('valueFrom: { configMapKeyRef: { name: a, key: b } }'), memory('5Gi')], []],
      ['no limit', [['            limits: { cpu: "6", memory: 16Gi }\n', ''], cache('value: "400"')], []],
      ['on a GPU', [...gpu(1), cache('value: "400"')], []],
    ],
  ],
  [
    'the KV cache',
    [
      ['with a unit', [cache('value: 4G')], ['error kv-space-integer']],
      ['a fraction', [cache('value: "0.5"')], ['error kv-space-integer']],
      ['nothing', [cache('value: "0"')], ['error kv-space-integer']],
      ['as Python reads it', [cache('value: " +4 "')], []],
      ['empty', [cache('value: ""')], []],
      [
        'in an unknown image',
        [image('registry.example/team/server:7'), cache('value: 4Gi')],
        ['error kv-space-integer'],
      ],
      ['on a GPU', [...gpu(1), cache('value: 4Gi')], []],
      ['twice', [arg('--kv-cache-memory-bytes=1G')], ['warning kv-size-set-twice']],
      ['twice the same', [arg('--kv-cache-memory-bytes=4294967296')], []],
      ['empty, and by flag', [cache('value: ""'), arg('--kv-cache-memory-bytes=4G')], []],
      ['too small for a request', [cache('value: "1"'), arg('--max-model-len=16K')], ['error kv-cache-too-small']],
      ['of a length that vLLM finds', [cache('value: "1"'), arg('--max-model-len=auto')], []],
      [
        'where the formula was not measured',
        [cache('value: "1"'), image('vllm/vllm-openai-cpu:v0.28.0'), arg('--max-model-len=16K')],
        [],
      ],
      [
        'with flags that are not seen',
        [cache('value: "1"'), arg('--max-model-len=16K', '--config=/etc/vllm.yaml')],
        [],
      ],
      [
        'unset where it takes the node',
        [image('vllm/vllm-openai-cpu:v0.22.1'), cache('value: ""')],
        ['error cpu-cache-size-unset'],
      ],
      ['unset since the limit counts', [image('vllm/vllm-openai-cpu:v0.24.0'), cache('value: ""')], []],
      ['in fp8 on x86', [arg('--kv-cache-dtype=fp8_e5m2')], []],
      [
        'in fp8 before it came',
        [image('vllm/vllm-openai-cpu:v0.20.2'), ['nobind', 'auto'], arg('--kv-cache-dtype=fp8')],
        ['error cpu-kv-cache-dtype'],
      ],
      [
        'in fp8 on Graviton',
        [
          image('vllm/vllm-openai-cpu:v0.31.0'),
          node('{ node.kubernetes.io/instance-type: m7g.4xlarge }'),
          arg('--kv-cache-dtype=fp8'),
        ],
        ['error cpu-kv-cache-dtype'],
      ],
    ],
  ],
  [
    'numbers and formats',
    [
      ['heads, by the short name', [...gpu(3), arg('-tp', '"3"')], ['error kv-heads-not-divisible']],
      ['copies of heads', [...gpu(8), model('Qwen/Qwen2.5-VL-7B-Instruct'), arg('-tp=4')], []],
      ['heads of an unknown model', [...gpu(3), model('example/unknown'), arg('-tp=3')], []],
      ['48 tokens a block', [arg('--block-size=48')], ['error cpu-block-size']],
      ['16 where it was right', [image('vllm/vllm-openai-cpu:v0.28.0'), arg('--block-size=16')], []],
      ['8 where 16 was', [image('vllm/vllm-openai-cpu:v0.28.0'), arg('--block-size=8')], ['error cpu-block-size']],
      ['16 in an unknown release', [image('vllm/vllm-openai-cpu:latest'), arg('--block-size=16')], []],
      ['16 with windows', [model('google/gemma-3-1b-it'), arg('--block-size=16')], ['warning cpu-block-size']],
      ['16 on a GPU', [...gpu(1), arg('--block-size=16')], []],
      ['a Gemma of somebody', [model('someone/gemma-3-4b-it-tuned'), ['bfloat16', 'half']], ['error gemma3-float16']],
      [
        'a Gemma on a GPU',
        [...gpu(1), model('google/gemma-2-9b-it'), ['bfloat16', 'float16']],
        ['error gemma3-float16'],
      ],
      ['Gemma 3n', [...gpu(1), model('google/gemma-3n-E2B-it'), ['bfloat16', 'float16']], []],
      [
        'longer than the model',
        [...gpu(1), ['--max-model-len=8192', '--max-model-len=64k']],
        ['error context-too-long'],
      ],
      [
        'longer by a variable',
        [
          ...gpu(1),
          ['--max-model-len=8192', '--max-model-len=64k'],
          variable('{ name: VLLM_ALLOW_LONG_MAX_MODEL_LEN, value: "1" }'),
        ],
        [],
      ],
      [
        'longer by other means',
        [...gpu(1), ['--max-model-len=8192', '--max-model-len=64k'], arg(`'--hf-overrides={"rope_scaling":{}}'`)],
        [],
      ],
      ['tokens for fewer requests', [arg('--max-num-seqs=512')], []],
      ['mxfp4', [model('openai/gpt-oss-20b'), memory('64Gi')], ['error cpu-weight-format']],
      [
        'fp8 on Graviton',
        [image('vllm/vllm-openai-cpu:v0.31.0'), node('{ kubernetes.io/arch: arm64 }'), model('Qwen/Qwen3-0.6B-FP8')],
        ['error cpu-weight-format'],
      ],
      ['fp8 on some x86', [model('Qwen/Qwen3-0.6B-FP8')], []],
      [
        'fp8 on Sapphire Rapids',
        [node('{ node.kubernetes.io/instance-type: m7i.4xlarge }'), model('Qwen/Qwen3-0.6B-FP8')],
        [],
      ],
      [
        'GPTQ by the name alone',
        [image('vllm/vllm-openai-cpu:v0.31.0-arm64'), node('{}'), model('example/Some-7B-GPTQ-Int4')],
        ['warning arm64-quantization'],
      ],
      ['AWQ on x86', [arg('--quantization=awq')], []],
    ],
  ],
  [
    'the image',
    [
      [
        'an Arm repository on x86',
        [image('public.ecr.aws/q9t5s3a7/vllm-arm64-cpu-release-repo:v0.31.0')],
        ['error image-arch-mismatch'],
      ],
      ['by instance type', [node('{ node.kubernetes.io/instance-type: m8g.2xlarge }')], ['error image-arch-mismatch']],
      ['for both', [image('vllm/vllm-openai-cpu:v0.31.0'), node('{ kubernetes.io/arch: arm64 }')], []],
      ['of an unknown instance type', [node('{ node.kubernetes.io/instance-type: x99.large }')], []],
      [
        'Graviton and x86 by affinity',
        [
          [
            'nodeSelector: { kubernetes.io/arch: amd64 }',
            'affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: kubernetes.io/arch, operator: In, values: [arm64, amd64] }] }] } } }',
          ],
        ],
        [],
      ],
      [
        'Graviton by affinity',
        [
          [
            'nodeSelector: { kubernetes.io/arch: amd64 }',
            'affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: kubernetes.io/arch, operator: In, values: [arm64] }] }] } } }',
          ],
        ],
        ['error image-arch-mismatch'],
      ],
      [
        'a preload with its own allocator',
        [variable('{ name: LD_PRELOAD, value: "/usr/lib/libtcmalloc_minimal.so.4:/x.so" }')],
        [],
      ],
      ['a preload elsewhere', [...gpu(1), variable('{ name: LD_PRELOAD, value: /x.so }')], []],
    ],
  ],
  [
    'threads',
    [
      ['a list that is too long', [['value: nobind', 'value: "0-7"']], ['warning cpu-threads-over-limit']],
      ['as many as the limit', [['value: "5"', 'value: "6"']], ['warning cpu-threads-over-limit']],
      [
        'no CPU limit',
        [
          ['limits: { cpu: "6", memory', 'limits: { memory'],
          ['value: "5"', 'value: "8"'],
        ],
        [],
      ],
      ['unbound on 0.20', [image('vllm/vllm-openai-cpu:v0.20.2')], ['error nobind-too-old']],
      ['unbound on 0.19', [image('vllm/vllm-openai-cpu:v0.19.1')], []],
    ],
  ],
  [
    'probes',
    [
      [
        'TCP too early',
        [liveness('{ tcpSocket: { port: 8000 }, initialDelaySeconds: 20 }')],
        ['error liveness-kills-loading'],
      ],
      [
        'a startup probe that is too short',
        [['failureThreshold: 90', 'failureThreshold: 3']],
        ['error liveness-kills-loading'],
      ],
      [
        'a large model',
        [
          ...gpu(1),
          model('Qwen/Qwen3-32B'),
          liveness('{ httpGet: { path: /health, port: 8000 }, initialDelaySeconds: 60 }'),
        ],
        ['error liveness-kills-loading'],
      ],
      [
        'late enough for a small one',
        [liveness('{ httpGet: { path: /health, port: 8000 }, initialDelaySeconds: 60 }')],
        ['warning no-startup-probe'],
      ],
      ['late enough for all', [liveness('{ httpGet: { path: /health, port: 8000 }, initialDelaySeconds: 900 }')], []],
      ['a program', [liveness('{ exec: { command: [check] } }')], []],
      [
        'of another container',
        [
          liveness('{ httpGet: { path: /, port: 9000 } }'),
          ['      volumes:', '        - { name: proxy, image: registry.example/proxy:1.0 }\n      volumes:'],
        ],
        [],
      ],
      [
        'guarded by flag',
        [
          arg('--api-key=$(KEY)'),
          variable('{ name: KEY, valueFrom: { secretKeyRef: { name: a, key: b } } }'),
          readiness('readinessProbe: { httpGet: { path: /v1/models, port: 8000 } }'),
        ],
        ['error guarded-probe-path'],
      ],
      [
        'guarded, with a key',
        [
          variable('{ name: VLLM_API_KEY, value: x }'),
          readiness(
            'readinessProbe: { httpGet: { path: /v1/models, port: http, httpHeaders: [{ name: authorization, value: Bearer x }] } }',
          ),
        ],
        [],
      ],
      [
        'guarded in newer releases',
        [
          image('vllm/vllm-openai-cpu:v0.21.0'),
          variable('{ name: VLLM_API_KEY, value: x }'),
          readiness('readinessProbe: { httpGet: { path: /inference/x, port: http } }'),
        ],
        ['error probe-path'],
      ],
      [
        'guarded, if a Secret says so',
        [
          ['          env:', '          envFrom: [{ secretRef: { name: keys } }]\n          env:'],
          readiness('readinessProbe: { httpGet: { path: /v1/models, port: http } }'),
        ],
        [],
      ],
      ['a slash at the end', [readiness('readinessProbe: { httpGet: { path: /health/, port: http } }')], []],
      ['the root', [readiness('readinessProbe: { httpGet: { port: http } }')], ['error probe-path']],
      [
        'behind a prefix',
        [arg('--root-path=/llm'), readiness('readinessProbe: { httpGet: { path: /llm/health, port: http } }')],
        [],
      ],
      [
        'TLS',
        [arg('--ssl-certfile=/tls/crt', '--ssl-keyfile=/tls/key'), ['port: http }', 'port: http, scheme: HTTPS }']],
        [],
      ],
      ['HTTP to TLS', [arg('--ssl-certfile=/tls/crt')], ['error probe-scheme']],
      [
        'the default port',
        [
          ['            - --port=8000\n', ''],
          ['containerPort: 8000', 'containerPort: 8080'],
        ],
        ['error probe-port'],
      ],
      [
        'a port in a variable',
        [
          ['--port=8000', '--port=$(PORT)'],
          variable('{ name: PORT, valueFrom: { configMapKeyRef: { name: a, key: b } } }'),
        ],
        [],
      ],
    ],
  ],
  [
    'the command line',
    [
      [
        'a flag of later releases',
        [image('vllm/vllm-openai-cpu:v0.28.0'), arg('--max-num-queued-reqs=64')],
        ['error unknown-flag'],
      ],
      ['a flag that is spelt wrong', [arg('--max-modle-len=4096')], ['error unknown-flag']],
      ['a short form', [arg('--max-num-seq=64')], []],
      ['a short form of several', [arg('--max=64')], ['error unknown-flag']],
      ['underscores', [arg('--max_num_seqs=64')], []],
      ['an unknown release', [image('registry.example/team/vllm-cpu:7'), arg('--swap-space=4')], []],
      ['a newer release', [image('vllm/vllm-openai-cpu:v0.40.0'), arg('--brand-new=4')], []],
      ['a switch with a value', [arg('--enable-prefix-caching=true')], ['error flag-value']],
      ['no value', [arg('--max-num-seqs', '--enable-prefix-caching')], ['error flag-value']],
      ['a percentage', [arg('--gpu-memory-utilization=90')], ['error flag-value']],
      ['half a rank', [arg('-pp=1.5')], ['error flag-value']],
      ['another format', [['--dtype=bfloat16', '--dtype=bf16']], ['error flag-value']],
      ['a template', [['--dtype=bfloat16', '"--dtype={{ .Values.dtype }}"']], []],
      ['a drain within the grace', [arg('--shutdown-timeout=10')], []],
    ],
  ],
])('%s', (_, rows) => {
  test.each(rows)('%s', (_name, edits, expected) => {
    expect(found(pod(...edits))).toEqual(expected);
  });
});

describe('groups', () => {
  test('what both roles of one template do is said once', () => {
    const shared = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: one }
spec:
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      spec:
        containers:
          - name: vllm
            image: vllm/vllm-openai-cpu:v0.31.0
            command: [sh, -c]
            args: ['if [ "$LWS_WORKER_INDEX" = 0 ]; then vllm serve example/m -pp 2 -n 2 --dtype half; else vllm serve example/m -pp 2 -n 2 -r $LWS_WORKER_INDEX --dtype half --headless; fi']
`;
    const reports = runRules(objectsOf(shared), {}, ENGINE_RULES).filter(({ severity }) => severity !== 'note');
    expect(reports.map(({ id }) => id).sort()).toEqual(['vllm/cpu-float16', 'vllm/shm-too-small']);
  });

  test('each rank is judged by its own stage', () => {
    const small = edit(CPU_GROUP, ['memory: 40Gi', 'memory: 13Gi']);
    const said = runRules(objectsOf(small), {}, ENGINE_RULES).filter(({ id }) => id === 'vllm/memory-below-need');
    expect(said.map(({ path }) => path)).toEqual([
      'spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].resources.limits.memory',
      'spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].resources.limits.memory',
    ]);
    expect(said[0]!.what).toContain('Qwen/Qwen3-8B');
  });

  test('a GPU group that is right', () => {
    expect(found(GPU_GROUP, true)).toEqual([]);
  });

  test('a cache size in a ConfigMap of the bundle', () => {
    const config = `apiVersion: v1
kind: ConfigMap
metadata: { name: cache, namespace: serving }
data: { VLLM_CPU_KVCACHE_SPACE: 4Gi }
---
`;
    const fromConfig = pod(
      ['            - { name: VLLM_CPU_KVCACHE_SPACE, value: "4" }\n', ''],
      ['          env:', '          envFrom: [{ configMapRef: { name: cache } }]\n          env:'],
    );
    expect(found(config + fromConfig)).toEqual(['error kv-space-integer']);
    expect(found(fromConfig)).toEqual([]);
  });
});

describe('what people meet in public manifests', () => {
  const words = (manifest: string): string[] =>
    runRules(objectsOf(manifest), {}, ENGINE_RULES).map(({ id, what, fix }) => `${id} ${what}; ${fix}`);

  test.each<[string, Edit[], string[]]>([
    ['a size that is left open', [arg('--kv-cache-memory-bytes=')], []],
    ['None for it', [arg('--kv-cache-memory-bytes=None')], []],
    ['another that may not be', [arg('--max-num-seqs=')], ['error flag-value']],
    [
      'a path that takes POST',
      [readiness('readinessProbe: { httpGet: { path: /invocations, port: http } }')],
      ['error probe-path'],
    ],
    [
      'one below /v1',
      [readiness('readinessProbe: { httpGet: { path: /v1/chat/completions/, port: http } }')],
      ['error probe-path'],
    ],
    ['the list of models', [readiness('readinessProbe: { httpGet: { path: /v1/models, port: http } }')], []],
    ['a family of x86', [node('{ karpenter.k8s.aws/instance-family: m7i }')], []],
    ['a family of Graviton', [node('{ karpenter.k8s.aws/instance-family: m7g }')], ['error image-arch-mismatch']],
    ['a family that nobody knows', [node('{ karpenter.k8s.aws/instance-family: z99 }')], []],
  ])('%s', (_, edits, expected) => {
    expect(found(pod(...edits))).toEqual(expected);
  });

  test('serve twice', () => {
    const twice = pod(
      ['          command: [vllm, serve]\n', ''],
      [IMAGE, 'vllm/vllm-openai-cpu:v0.32.0'],
      ['            - Qwen/Qwen3-0.6B', '            - serve\n            - Qwen/Qwen3-0.6B'],
    );
    expect(words(twice)).toContainEqual(
      expect.stringMatching(/^vllm\/stray-argument the argument 'serve' .*leave 'serve' out$/),
    );
    expect(words(twice).join()).not.toContain("'Qwen/Qwen3-0.6B'");
  });

  test('a flag without its first word', () => {
    expect(words(pod(arg('--log-requests')))).toContainEqual(expect.stringContaining('write --enable-log-requests'));
  });

  test('memory that is too little without any cache', () => {
    const lack = words(
      pod(model('Qwen/Qwen3-8B'), ['            - { name: VLLM_CPU_KVCACHE_SPACE, value: "4" }\n', ''], memory('12Gi')),
    );
    expect(lack.find((text) => text.startsWith('vllm/memory-below-need'))).toMatch(
      /^(?!.*0 KiB)(?!.*smaller KV cache)/,
    );
  });

  test.each([
    ['eval', 'eval "vllm serve M"; exec vllm serve M', 0],
    ['quotes', "vllm serve M $'x'", 1],
  ])('what is not read is said: %s', (_, line, count) => {
    const shell = pod(
      ['command: [vllm, serve]', 'command: [bash, -c]'],
      [
        '            - Qwen/Qwen3-0.6B\n            - --dtype=bfloat16\n            - --max-model-len=8192\n            - --port=8000\n',
        `            - ${JSON.stringify(line)}\n`,
      ],
    );
    expect(words(shell).filter((text) => text.startsWith('vllm/not-read'))).toHaveLength(count);
  });
});
