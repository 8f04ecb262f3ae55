import { Duration, JsonPatch, Size } from 'cdk8s';
import {
  DType,
  Model,
  NamespacePolicy,
  SecretKey,
  TaintEffect,
  Toleration,
  VllmImage,
  VllmPipelineGroup,
  type VllmPipelineGroupProps,
  WeightsCache,
} from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { type ErrorCase, expectError } from '../common/errors';
import { newChart, newGroup, synth } from './harness';

const group = (props: Partial<VllmPipelineGroupProps>, id?: string) => () => newGroup(newChart(), props, id);
const image = (version: string) => ({ image: VllmImage.cpu(version) });

const errors: ErrorCase[] = [
  ['id as a name', group({}, 'My_Group'), "name of the group is 'My_Group'", 'lower-case letters, digits and hyphens'],
  ['name', group({ name: '1a' }), "name of the group is '1a'", 'starts with a letter'],
  [
    'name of 51',
    group({ name: 'a'.repeat(51) }),
    '(51 characters); for 1 x 2 pods it takes at most 50',
    'revision hash',
  ],
  [
    'name of 50 with a surge',
    group({ name: 'a'.repeat(50), replicas: 10, rolloutMaxSurge: 1 }),
    'for 11 x 2 pods',
    'at most 49',
  ],
  ['name of 53 alone', group({ name: 'a'.repeat(53), pipelineParallelSize: 1 }), '53 characters', 'at most 52'],
  ['pipelineParallelSize', group({ pipelineParallelSize: 0 }), 'pipelineParallelSize is 0', 'from 1 to 1024'],
  ['tensorParallelSize', group({ tensorParallelSize: 1.5 }), 'tensorParallelSize is 1.5', 'from 1 to 1024'],
  [
    'layers',
    group({ pipelineParallelSize: 4 }),
    '26 layers',
    'pipelineParallelSize of 4',
    'layerPartition: [6, 7, 7, 6]',
  ],
  ['heads', group({ tensorParallelSize: 3 }), '4 attention heads', 'tensorParallelSize of 3'],
  ['served name', group({ servedModelName: '' }), "servedModelName is ''", 'one word'],
  ['served name in two words', group({ servedModelName: 'my model' }), "servedModelName is 'my model'", 'one word'],
  ['pull secret twice', group({ imagePullSecrets: ['a', 'a'] }), "imagePullSecrets holds 'a' twice", 'refuses'],
  ['replicas', group({ replicas: -1 }), 'replicas is -1', 'from 0 to 1000000'],
  ['port', group({ port: 65536 }), 'port is 65536', 'from 1 to 65535'],
  ['masterPort', group({ masterPort: 0 }), 'masterPort is 0', 'from 1 to 65535'],
  ['one port for two things', group({ port: 29501 }), 'masterPort and port are both 29501', 'one each'],
  ['rolloutMaxSurge', group({ rolloutMaxSurge: -1 }), 'rolloutMaxSurge is -1', 'from 0'],
  ['rolloutMaxUnavailable', group({ rolloutMaxUnavailable: -1 }), 'rolloutMaxUnavailable is -1', 'from 0'],
  ['rolloutPartition', group({ rolloutPartition: -1 }), 'rolloutPartition is -1', 'from 0'],
  ['disruptionMaxUnavailable', group({ disruptionMaxUnavailable: 0.5 }), 'disruptionMaxUnavailable is 0.5', 'from 0'],
  [
    'a rollout that cannot move',
    group({ rolloutMaxUnavailable: 0 }),
    'rolloutMaxUnavailable and rolloutMaxSurge are both 0',
    'could never replace a group',
    'allow one group to be unavailable',
  ],
  ['drainTimeout', group({ drainTimeout: Duration.hours(2) }), 'drainTimeout is 7200 s', 'from 0 to 3600'],
  [
    'keepAliveTimeout',
    group({ keepAliveTimeout: Duration.millis(1500) }),
    'keepAliveTimeout is 1.5 s',
    'whole seconds',
  ],
  ['a pipeline on 0.19.1', group(image('0.19.1')), 'vLLM 0.19.1', 'CPU pipeline over several pods', '0.20.0 or newer'],
  ['0.19.1 alone', group({ ...image('0.19.1'), pipelineParallelSize: 1 }), 'vLLM 0.19.1 is older than 0.20.0'],
  ['a newer vLLM', () => image('0.34.0'), '0.34.0 is newer than 0.32.0', "{ like: '0.32.0' }"],
  [
    'a gated model without a token',
    group({ huggingFaceToken: undefined }),
    'google/gemma-3-1b-it is gated and huggingFaceToken is missing',
    'https://huggingface.co/google/gemma-3-1b-it',
    "SecretKey.of('hf-token', 'token')",
  ],
  ['float16', group({ dtype: DType.FLOAT16 }), 'dtype is float16', 'google/gemma-3-1b-it', 'DType.BFLOAT16'],
  [
    'KV cache',
    group({ kvCacheMemory: Size.gibibytes(17), memory: Size.gibibytes(20) }),
    'kvCacheMemory (17.0 GiB)',
    'memory limit of 20.0 GiB',
    'raise memory',
  ],
  ['registry', group({ imageRegistry: 'https://x' }), "imageRegistry is 'https://x'", 'a host and a path'],
  ['pull secret', group({ imagePullSecrets: ['A'] }), "name in imagePullSecrets is 'A'"],
  ['label key', group({ podLabels: { 'a b': 'c' } }), "label is 'a b'"],
  ['label value', group({ podLabels: { a: 'b c' } }), "label a is 'b c'"],
  ['node label', group({ nodeSelector: { a: '-' } }), "label a is '-'"],
  [
    'a label value that a node label of the same key hides',
    group({ podLabels: { a: 'b c' }, nodeSelector: { a: 'b' } }),
    "label a is 'b c'",
  ],
  ['label app', group({ podLabels: { app: 'x' } }), "podLabels sets 'app'", 'take another label'],
  ['label role', group({ podLabels: { role: 'x' } }), "podLabels sets 'role'"],
  ['annotation', group({ podAnnotations: { '': 'x' } }), "annotation is ''"],
  [
    'lines that begin with a tab',
    group({ environment: { A: '\n\ta' } }),
    'environment sets A',
    'begins with a tab',
    'begin it',
  ],
  [
    'lines that begin with a tab',
    group({ podAnnotations: { a: '\ta\n' } }),
    'podAnnotations sets a',
    'begins with a tab',
  ],
  ['zone', group({ zone: 'us-east-1.a' }), "zone is 'us-east-1.a'"],
  [
    'no namespace',
    () => newGroup(newChart({}), { namespacePolicy: NamespacePolicy.CREATE }),
    'no namespace to create',
    'EXISTING',
  ],
  ['group made elsewhere', () => VllmPipelineGroup.fromName('A'), "name of the group is 'A'"],
  ['its port', () => VllmPipelineGroup.fromName('a', { port: 0 }), 'port is 0', 'from 1 to 65535'],
  ['path on the node', () => WeightsCache.hostPath('models'), "hostPath is 'models'", 'an absolute path'],
  ['path upwards', () => WeightsCache.hostPath('/a/../b'), "hostPath is '/a/../b'", "without '..'"],
  ['claim', () => WeightsCache.persistentVolumeClaim('A'), "name of the PersistentVolumeClaim is 'A'"],
  ['taint', () => Toleration.exists('a b'), "key of the taint is 'a b'"],
  ['taint with a value', () => Toleration.equal('', 'x', TaintEffect.NO_EXECUTE), "key of the taint is ''"],
  ['value of a taint', () => Toleration.equal('a', 'b c'), "'b c'"],
  [
    'another architecture than the image has',
    group({ nodeSelector: { 'kubernetes.io/arch': 'amd64' } }),
    'kubernetes.io/arch',
  ],
  ['Secret', () => SecretKey.of('A', 'b'), "name of the Secret is 'A'"],
  ['key that starts like a folder', () => SecretKey.of('a', '..x'), "key of Secret 'a' is '..x'"],
  [
    'keep-alive of a group made elsewhere',
    () => VllmPipelineGroup.fromName('a', { keepAliveTimeout: Duration.millis(1500) }),
    'keepAliveTimeout is 1.5 s',
  ],
  ['key that is a folder', () => SecretKey.of('a', '..'), "key of Secret 'a' is '..'"],
  [
    'key of a Secret',
    () => SecretKey.of('a', 'b c'),
    "key of Secret 'a' is 'b c'",
    "letters, digits, '-', '_' and '.'",
  ],
];

describe('VllmPipelineGroup refuses', () => {
  test.each(errors)('%s', (_, cause, ...parts) => expectError(cause, ...parts));
});

describe('arguments of the user', () => {
  test.each([
    ['--port=1', "use the prop 'port'"],
    ['--dtype', "use the prop 'dtype'"],
    ['--max_model_len=9', "use the prop 'maxModelLen'"],
    ['--max-model', "use the prop 'maxModelLen'"],
    ['-tp=2', "use the prop 'tensorParallelSize'"],
    ['-pp', "use the prop 'pipelineParallelSize'"],
    ['--enforce-eager', "use the prop 'compilation'"],
    ['-O0', "use the prop 'compilation'"],
    ['-cc.mode=0', "use the prop 'compilation'"],
    ['--compilation-config.mode=0', "use the prop 'compilation'"],
    ['--nnodes=3', 'Pods of a group'],
    ['-n', 'Pods of a group'],
    ['-n3', 'Pods of a group'],
    ['-r', 'leader'],
    ['--headless', 'serves no HTTP'],
    ['--no-enable-server-load-tracking', "use the prop 'progressLiveness'"],
    ['--async-scheduling', 'scheduling'],
    ['--kv-cache-memory-bytes=1', "use the prop 'kvCacheMemory'"],
    ['--api-key=secret', "use the prop 'apiKey'"],
    ['--hf-token=secret', "use the prop 'huggingFaceToken'"],
    ['--model=x', "use the prop 'model'"],
    ['--po=9', "use the prop 'port'"],
  ])('%s belongs to the group', (argument, way) => {
    for (const prop of ['extraArgs', 'extraServerArgs'] as const) {
      expectError(group({ [prop]: [argument] }), `${prop} holds '${argument}'`, 'the group decides itself', way);
    }
  });

  test.each(['--seed 1', '-a b'])("'%s' is two words", (argument) => {
    expectError(group({ extraArgs: [argument] }), `extraArgs holds '${argument}'`, 'no shell', '--name=value');
  });

  test('values may hold what they like, and other flags pass', () => {
    const extraArgs = ['--hf-overrides={"a": 1}', '--block-size', '32', '--seed', '-1', '--model-impl=auto'];
    expect(group({ extraArgs })).not.toThrow();
  });
});

describe('variables of the user', () => {
  test.each([
    ['1A', 'x', "name in environment is '1A'", 'letters, digits and underscores'],
    ['VLLM_CPU_KVCACHE_SPACE', '4', "use the prop 'kvCacheMemory'"],
    ['VLLM_HOST_IP', '1.2.3.4', 'the group sets itself; leave it out'],
    ['LWS_LEADER_ADDRESS', 'x', 'LWS injects', 'drop this entry'],
    ['LWS_GROUP_SIZE', 'x', 'LWS injects'],
    ['X', '${HOME}', "X to '${HOME}'", 'no shell expands it', '$(NAME)', 'secretEnvironment'],
    ['X', '$HOME', "X to '$HOME'"],
    ['X', 1 as unknown as string, 'X to a value of type number', 'it takes a text'],
  ])('%s=%s is refused', (name, value, ...parts) => {
    expectError(group({ environment: { [name]: value } }), ...parts);
  });

  test('a reference that Kubernetes knows, and a price, pass', () => {
    expect(group({ environment: { X: '$(VLLM_HOST_IP)', Y: '$5', Z: '' } })).not.toThrow();
  });
});

describe('at the bound', () => {
  test.each([
    ['a name of 50', { name: 'a'.repeat(50) }],
    ['10 groups', { name: 'a'.repeat(50), replicas: 9, rolloutMaxSurge: 1 }],
    ['no groups at all', { replicas: 0, rolloutMaxUnavailable: 0 }],
    ['surge alone', { rolloutMaxUnavailable: 0, rolloutMaxSurge: 1 }],
    ['0.20.0', image('0.20.0')],
    ['open model without a token', { model: Model.of('Qwen/Qwen3-8B'), huggingFaceToken: undefined }],
    ['weights that are there', { huggingFaceToken: undefined, weightsCache: WeightsCache.persistentVolumeClaim('w') }],
    ['float16 of another model', { model: Model.of('Qwen/Qwen3-8B'), dtype: DType.FLOAT16 }],
  ])('%s passes', (_, props) => {
    expect(group(props)).not.toThrow();
  });
});

describe('callers in JavaScript', () => {
  test.each([
    ['model', 'google/gemma-3-1b-it', 'model is of type string', "Model.of('google/gemma-3-1b-it')"],
    ['model', undefined, 'model is missing', 'Model.of'],
    ['image', 'vllm:0.31.0', 'image is of type string', "VllmImage.cpu('0.31.0')"],
    ['node', null, 'node is missing', 'NodeShape.M7G_2XLARGE'],
    ['cpu', 6, 'cpu is of type number', 'Cpu.units(6)'],
    ['memory', '20Gi', 'memory is of type string', 'Size.gibibytes(20)'],
    ['stepTimeout', 60, 'stepTimeout is of type number', 'Duration.seconds(60)'],
    ['weightsCache', [], 'weightsCache is of type array', 'WeightsCache.emptyDir()'],
    [
      'tolerations',
      [{ key: 'a', operator: 'Exists' }],
      'an entry of tolerations is of type object',
      'Toleration.exists',
    ],
  ] as [string, unknown, ...string[]][])('%s as %s', (prop, value, ...parts) => {
    expectError(() => newGroup(newChart(), { [prop]: value }), ...parts);
  });

  test('a token where the name of its Secret belongs is not repeated', () => {
    const token = 'hf_abcdefghijklmnopqrstuvwxyz';
    const props = { huggingFaceToken: token } as unknown as Partial<VllmPipelineGroupProps>;
    for (const cause of [
      () => newGroup(newChart(), props),
      () => SecretKey.of(token, 'token'),
      () => SecretKey.of('hf-token', token),
    ]) {
      expect(cause).toThrow();
      expect(cause).not.toThrow(token);
    }
  });
});

describe('extraServerArgs', () => {
  test.each([
    ['--max-num-seqs=4', image('0.31.0')],
    ['--block-size=32', image('0.31.0')],
    ['--seed=1', image('0.31.0')],
    ['--brand-new', { image: VllmImage.cpu('0.40.0', { like: '0.32.0' }) }],
  ])('%s is for every rank', (argument, props) => {
    expectError(
      () => newGroup(newChart(), { ...props, extraServerArgs: [argument] }),
      `extraServerArgs holds '${argument}'`,
      'put it into extraArgs',
    );
    expect(() => newGroup(newChart(), { ...props, extraArgs: [argument] })).not.toThrow();
  });

  test.each([
    '--enable-auto-tool-choice',
    '--tool-call-parser=pythonic',
    '--tool_call_parser=pythonic',
    '--root-path=/x',
  ])('%s is for the server', (argument) => {
    expect(() => newGroup(newChart(), { extraServerArgs: [argument] })).not.toThrow();
  });
});

describe('what LWS, the node or the engine decides', () => {
  const refused: ErrorCase[] = [
    [
      'a label of LWS',
      group({ podLabels: { 'leaderworkerset.sigs.k8s.io/worker-index': '0' } }),
      "sets 'leaderworkerset.sigs.k8s.io/worker-index'",
      'leave it out',
    ],
    [
      'an annotation of LWS',
      group({ podAnnotations: { 'leaderworkerset.sigs.k8s.io/subgroup-size': '2' } }),
      "sets 'leaderworkerset.sigs.k8s.io/subgroup-size'",
    ],
    [
      'two zones',
      group({ zone: 'us-east-1a', nodeSelector: { 'topology.kubernetes.io/zone': 'us-east-1b' } }),
      "topology.kubernetes.io/zone to 'us-east-1b'",
      "to 'us-east-1a'",
      'no node has both',
    ],
    ['an empty revision', group({ modelRevision: '' }), "modelRevision is ''", 'a tag or a commit'],
    ['a revision with a blank', group({ modelRevision: ' a b' }), "modelRevision is ' a b'"],
    ['a word that is no data type', group({ dtype: 'int8' as DType }), "dtype is 'int8'", 'bfloat16, float16, float32'],
    ['a word that is no NUMA policy', group({ numaPolicy: 'abc' as never }), "numaPolicy is 'abc'", 'bind, none'],
    ['a list that is none', group({ extraArgs: '--x' as never }), 'extraArgs is of type string', 'list of texts'],
    ['a map that is none', group({ podLabels: [] as never }), 'podLabels is of type array', 'map'],
    ['labels of numbers', group({ podLabels: { a: 1 as never } }), 'podLabels sets a to a value of type number'],
    ['a cache elsewhere', group({ environment: { HF_HOME: '/x' } }), 'HF_HOME', "use the prop 'weightsCache'"],
    ['a size that is no number', group({ memory: Size.gibibytes(NaN) }), 'a size is NaN bytes'],
    ['an endless disk', group({ ephemeralStorage: Size.gibibytes(Infinity) }), 'a size is Infinity bytes'],
    [
      'a disk that the weights do not fit on',
      group({ ephemeralStorage: Size.gibibytes(1) }),
      'ephemeralStorage is 1.0 GiB',
      'evicts',
    ],
    [
      'a volume that the weights do not fit into',
      group({ weightsCache: WeightsCache.emptyDir(Size.mebibytes(1)) }),
      'weightsCache takes at most 1Mi',
      'google/gemma-3-1b-it',
    ],
    [
      'a stall that is shorter than a step',
      group({ stepTimeout: Duration.minutes(10), stallTimeout: Duration.minutes(5) }),
      'stallTimeout is 300 s and stepTimeout 600 s',
    ],
    [
      'a stall timeout that nothing uses',
      group({ stallTimeout: Duration.minutes(5), progressLiveness: false }),
      'stallTimeout is given and progressLiveness is false',
    ],
    [
      'float32 weights that take twice the room',
      group({ model: Model.of('google/gemma-3-12b-it'), dtype: DType.FLOAT32 }),
      'rank 1 needs 35.9 GiB',
      'what fits: bfloat16',
    ],
  ];
  test.each(refused)('%s is refused', (_, cause, ...parts) => expectError(cause, ...parts));

  test('the same label twice with one value is no contradiction', () => {
    expect(group({ nodeSelector: { 'kubernetes.io/arch': 'arm64' } })).not.toThrow();
  });
});

describe('arguments that take the server away from its probes', () => {
  test.each([
    '--host=$(VLLM_HOST_IP)',
    '--uds=/tmp/x',
    '--ssl-keyfile=/x',
    '--enable-ssl-refresh',
    '--disable-log-stats',
    '--data-parallel-size=2',
    '-dp',
    '-tp4',
    '--config=/x.yaml',
    '--grpc',
    '--help',
  ])('%s is refused in both places', (argument) => {
    for (const prop of ['extraArgs', 'extraServerArgs'] as const) {
      expectError(() => newGroup(newChart(), { [prop]: [argument] }), `${prop} holds '${argument}'`, 'decides itself');
    }
  });

  test.each(['', '-', '--', 'serve', 'a b', '--a\n'])("'%s' is no argument", (argument) => {
    expectError(() => newGroup(newChart(), { extraArgs: [argument] }), 'neither a flag nor the value');
  });

  test('a value may stand behind its flag, once', () => {
    expect(group({ extraArgs: ['--seed', '1', '--block-size=64'] })).not.toThrow();
    expectError(group({ extraArgs: ['--seed=1', '2'] }), "holds '2'", 'neither a flag nor the value');
  });
});

test('a patch that does not fit the template is named', () => {
  const chart = newChart();
  newGroup(chart).patchPods(JsonPatch.add('/spec/nothing/here', 1));
  expect(() => synth(chart)).toThrow('patchPods cannot add /spec/nothing/here');
});

describe('secrets in plain sight', () => {
  const plain: ErrorCase[] = [
    [
      'an older name of the token',
      group({ environment: { HUGGING_FACE_HUB_TOKEN: 'x' } }),
      "use the prop 'huggingFaceToken'",
    ],
    [
      'a name that says it',
      group({ environment: { AWS_SECRET_ACCESS_KEY: 'abc' } }),
      'AWS_SECRET_ACCESS_KEY',
      'Secret',
    ],
    ['a password', group({ environment: { S3_PASSWORD: 'hunter2' } }), 'S3_PASSWORD', 'secretEnvironment'],
    ['a value that says it', group({ environment: { X: 'hf_abcdef' } }), 'environment sets X', 'looks like a secret'],
    [
      'one of the own',
      group({ secretEnvironment: { HF_TOKEN: SecretKey.of('a', 'b') } }),
      "use the prop 'huggingFaceToken'",
    ],
    [
      'both ways at once',
      group({ environment: { X: '1' }, secretEnvironment: { X: SecretKey.of('a', 'b') } }),
      'both set X',
    ],
    [
      'a text for a reference',
      group({ secretEnvironment: { X: 'a' as never } }),
      'secretEnvironment of X is of type string',
    ],
  ];
  test.each(plain)('%s is refused', (_, cause, ...parts) => {
    expectError(cause, ...parts);
    expect(cause).not.toThrow(/hunter2|abcdef/);
  });
});

test('a single pod has no port to meet at', () => {
  expectError(group({ pipelineParallelSize: 1, masterPort: 1234 }), 'masterPort is 1234', 'leave it out');
});
