import { describe, expect, test } from 'vitest';
import { CPU_GROUP, CPU_POD, edit, GPU_GROUP, together } from '../../../src/rules/examples';
import { runRules } from '../../../src/rules/index';
import { RANK_RULES } from '../../../src/rules/vllm/ranks';
import { rayGroup } from '../../../src/rules/vllm/ranks/ray-examples';
import { objectsOf } from '../manifests';

type Change = readonly [from: string, to: string];

/** What the rules about ranks find, without the notes, which have `~` before them when they are asked for. */
function found(manifest: string, withNotes = false): string[] {
  const findings = runRules(objectsOf(manifest), {}, RANK_RULES);
  const names = findings
    .filter(({ severity }) => withNotes || severity !== 'note')
    .map(({ id, severity }) => `${{ error: '', warning: '?', note: '~' }[severity]}${id.slice('vllm/'.length)}`);
  return [...new Set(names)].sort();
}

/** Adds lines behind a line of the leader or of the worker alone. */
const LEADER = '              - --port=8000\n';
const WORKER = '              - --headless\n';
const flag = (line: string, ...flags: readonly string[]): Change => [
  line,
  line + flags.map((each) => `              - ${each}\n`).join(''),
];
const ENV = '            env:\n';
const variable = (name: string, value: string): Change => [
  ENV,
  `${ENV}              - { name: ${name}, value: "${value}" }\n`,
];
const IMAGE = 'vllm/vllm-openai-cpu:v0.31.0-x86_64';
const cpu = (...changes: readonly Change[]): string => edit(CPU_GROUP, ...changes);
const gpu = (...changes: readonly Change[]): string => edit(GPU_GROUP, ...changes);

/** Each pod of the group runs the engine by itself. */
const alone = (...changes: readonly Change[]): string =>
  cpu(
    ...changes,
    ['              - --nnodes=2\n', ''],
    ['              - --node-rank=0\n', ''],
    ['              - --node-rank=$(LWS_WORKER_INDEX)\n', ''],
    ['              - --master-addr=$(LWS_LEADER_ADDRESS)\n', ''],
    ['              - --headless\n', ''],
  );

/** One template for both roles, as a shell line or as plain arguments. */
function shared(command: string, size = 2): string {
  return `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: one, namespace: serving }
spec:
  leaderWorkerTemplate:
    size: ${size}
    workerTemplate:
      spec:
        containers:
          - name: engine
            image: vllm/vllm-openai:v0.31.0
            command: ${command}
            resources: { limits: { nvidia.com/gpu: 8 } }
`;
}

function deployment(args: string, more = '', image = 'vllm/vllm-openai:v0.31.0', replicas = 1): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: d, namespace: serving }
spec:
  replicas: ${replicas}
  template:
    spec:
      containers:
        - { name: a, image: '${image}', args: [${args}]${more} }
`;
}

const GPUS = (count: number): string => `, resources: { limits: { nvidia.com/gpu: ${count} } }`;

describe('who serves', () => {
  test.each<[string, string, string[]]>([
    ['the last word of a worker is --headless', gpu(), []],
    ['no API servers is headless too', gpu([WORKER, '              - --api-server-count=0\n']), []],
    ['no API servers on the leader', gpu(flag(LEADER, '-asc', '"0"')), ['headless-leader']],
    ['API servers of a worker', gpu(flag(WORKER, '--api-server-count', '"4"')), ['headless-api-servers']],
    ['arguments in a file', gpu([WORKER, '              - --config=/etc/vllm.yaml\n']), []],
    [
      'one template without a condition',
      shared('[vllm, serve, m, -tp, "16", -n, "2", -r, $(LWS_WORKER_INDEX), --master-addr, $(LWS_LEADER_ADDRESS)]'),
      ['follower-not-headless'],
    ],
    [
      'one template, all of them headless',
      shared(
        '[vllm, serve, m, -tp, "16", -n, "2", -r, $(LWS_WORKER_INDEX), --master-addr, $(LWS_LEADER_ADDRESS), --headless]',
      ),
      ['headless-leader'],
    ],
    [
      'one template with a condition',
      shared(
        `[bash, -c, 'if [ "$LWS_WORKER_INDEX" = 0 ]; then M=; else M=--headless; fi; vllm serve m -tp 16 --nnodes $LWS_GROUP_SIZE --node-rank $LWS_WORKER_INDEX --master-addr $LWS_LEADER_ADDRESS $M']`,
      ),
      [],
    ],
    [
      'one template with the condition the wrong way',
      shared(
        `[bash, -c, 'if [ "$LWS_WORKER_INDEX" != 0 ]; then M=; else M=--headless; fi; vllm serve m -tp 16 --nnodes $LWS_GROUP_SIZE --node-rank $LWS_WORKER_INDEX --master-addr $LWS_LEADER_ADDRESS $M']`,
      ),
      ['follower-not-headless', 'headless-leader'],
    ],
    [
      'a Deployment of followers',
      deployment('m, -tp=2, --nnodes=2, --node-rank=1, --master-addr=head'),
      ['follower-not-headless'],
    ],
    [
      'a Deployment of headless followers',
      deployment('m, -tp=2, --nnodes=2, --node-rank=1, --master-addr=head, --headless'),
      [],
    ],
    ['engines of a data-parallel head elsewhere', deployment('m, -dp=4, --data-parallel-start-rank=2, --headless'), []],
    [
      'external data parallel over nodes',
      gpu(
        [WORKER, '              - --data-parallel-external-lb\n'],
        ['--pipeline-parallel-size=2', '--data-parallel-size=2'],
      ),
      [],
    ],
    ['another program', shared('[python3, -m, sglang.launch_server, --nnodes, "2", --node-rank, "1"]'), []],
  ])('%s', (_, manifest, expected) => {
    expect(found(manifest)).toEqual(expected);
  });
});

describe('rank and address', () => {
  const rank = '--node-rank=$(LWS_WORKER_INDEX)';
  const third: Change[] = [
    ['    size: 2\n', '    size: 3\n'],
    ['--nnodes=2', '--nnodes=3'],
    ['--pipeline-parallel-size=2', '--pipeline-parallel-size=3'],
  ];
  const worker = (address: string): Change => [
    `${rank}\n              - --master-addr=$(LWS_LEADER_ADDRESS)`,
    `${rank}\n              - --master-addr=${address}`,
  ];
  const two: Change = ['  replicas: 1\n', '  replicas: 2\n'];
  test.each<[string, string, string[]]>([
    ['the number of the only worker', gpu([rank, '--node-rank=1']), []],
    ['one number for two workers', gpu(...third, [rank, '--node-rank=1']), ['node-rank']],
    ['none on the worker', gpu([`              - ${rank}\n`, '']), ['node-rank']],
    ['beyond the last', gpu([rank, '--node-rank=2']), ['node-rank']],
    ['a leader that is called 1', gpu(['--node-rank=0', '-r=1']), ['node-rank']],
    [
      'reckoned by a shell',
      shared(
        `[sh, -c, 'exec vllm serve m -tp 16 -n 2 -r $((LWS_WORKER_INDEX)) --master-addr $LWS_LEADER_ADDRESS $([ $LWS_WORKER_INDEX = 0 ] || echo --headless)']`,
      ),
      [],
    ],
    [
      'copies of one rank',
      deployment('m, -tp=3, --nnodes=3, --node-rank=1, --master-addr=head, --headless', '', undefined, 2),
      ['node-rank'],
    ],
    ['the default of a follower', deployment('m, -tp=2, --nnodes=2, --node-rank=1, --headless'), ['master-addr']],
    ['the loopback', gpu(worker('127.0.0.1')), ['master-addr']],
    [
      'the loopback on the leader itself',
      gpu([
        '--node-rank=0\n              - --master-addr=$(LWS_LEADER_ADDRESS)',
        '--node-rank=0\n              - --master-addr=0.0.0.0',
      ]),
      [],
    ],
    ['the own address', gpu(worker('$(VLLM_HOST_IP)')), ['master-addr']],
    ['the leader by its name', gpu(worker('large-0.large.serving.svc.cluster.local')), []],
    ['the leader of the first group in each', gpu(worker('large-0.large'), two), ['master-addr']],
    ['a worker by its name', gpu(worker('large-0-1.large')), ['master-addr']],
    ['a name that is not of the set', gpu(worker('head.example'), two), []],
    [
      'a variable that nobody knows',
      gpu(worker('$(HEAD)'), [
        ENV,
        `${ENV}              - { name: HEAD, valueFrom: { configMapKeyRef: { name: c, key: k } } }\n`,
      ]),
      [],
    ],
    [
      'another number of nodes, in pods that know their index',
      gpu(['    size: 2\n', '    size: 4\n']),
      ['nnodes-group-size'],
    ],
    ['more nodes than pods', gpu(['--nnodes=2', '--nnodes=4']), ['nnodes-group-size']],
    ['no number of nodes at all', gpu(['              - --nnodes=2\n', '']), ['nnodes-group-size']],
    [
      'another number on the worker',
      gpu(['--nnodes=2\n              - --node-rank=$', '--nnodes=4\n              - --node-rank=$']),
      ['rank-flag-drift'],
    ],
    ['a group of one', gpu(['    size: 2\n', '    size: 1\n']), ['nnodes-group-size']],
    ['a pod for each stage, and not a word about nodes', alone(), ['?nnodes-group-size']],
    ['the same in one template', shared('[vllm, serve, m, -pp, "2"]'), ['?nnodes-group-size']],
    ['other stages than pods', shared('[vllm, serve, m, -pp, "2"]', 3), []],
    ['copies that hand their cache on', alone(flag(LEADER, '--kv-transfer-config={}')), []],
    ['copies in data parallel', alone(['--pipeline-parallel-size=2', '-pp=2\n              - -dp=2']), []],
    ['stages that Ray places', alone(['-executor-backend=mp', '-executor-backend=ray']), ['cpu-ray']],
    [
      'a script that may start Ray',
      shared(`[sh, -c, '/start-ray.sh && exec vllm serve m -pp 2']`).replace('v0.31.0', 'v0.11.0'),
      [],
    ],
    [
      'a pod for each stage, too small for all of them',
      shared('[vllm, serve, m, -pp, "2"]').replace('gpu: 8', 'gpu: 1'),
      ['world-size-exceeds-devices'],
    ],
    [
      'two engines in one group',
      shared(`[sh, -c, 'vllm serve m -tp 16 -n 2 -r $((LWS_WORKER_INDEX % 2)) --master-addr $HEAD']`, 4).replace(
        'command:',
        'env: [{ name: HEAD, valueFrom: { configMapKeyRef: { name: c, key: k } } }]\n            command:',
      ),
      ['follower-not-headless'],
    ],
    [
      'ranks that do not divide',
      gpu(
        ['--tensor-parallel-size=8', '--tensor-parallel-size=3'],
        ['--pipeline-parallel-size=2', '--pipeline-parallel-size=1'],
      ),
      ['nodes-not-dividing'],
    ],
    [
      'a peer of loopback',
      gpu(['valueFrom: { fieldRef: { fieldPath: status.podIP } }', 'value: 127.0.0.1']),
      ['host-ip'],
    ],
    [
      'the address of the node on its network',
      gpu(
        ['status.podIP', 'status.hostIP'],
        ['        enableServiceLinks: false\n', '        enableServiceLinks: false\n        hostNetwork: true\n'],
      ),
      [],
    ],
    [
      'the leader for all',
      gpu(['valueFrom: { fieldRef: { fieldPath: status.podIP } }', 'value: $(LWS_LEADER_ADDRESS)']),
      ['host-ip'],
    ],
  ])('%s', (_, manifest, expected) => {
    expect(found(manifest)).toEqual(expected);
  });
});

describe('vllm/rank-flag-drift', () => {
  const DRIFT = ['rank-flag-drift'];
  test.each<[string, string, string[]]>([
    [
      'what the server reads',
      gpu(
        flag(
          LEADER,
          '--enable-auto-tool-choice',
          '--tool-call-parser=hermes',
          '--served-model-name=a',
          '--api-server-count=2',
          '--shutdown-timeout=30',
          '--reasoning-parser=qwen3',
        ),
      ),
      [],
    ],
    [
      'defaults, said on one side',
      gpu(
        flag(
          LEADER,
          '--master-port=29501',
          '--dtype=auto',
          '--enable-prefix-caching',
          '-dp',
          '"1"',
          '--no-enforce-eager',
          '-O2',
        ),
        [
          '--distributed-executor-backend=mp\n              - --nnodes=2\n              - --node-rank=0',
          '--nnodes=2\n              - --node-rank=0',
        ],
      ),
      [],
    ],
    [
      'one number in two forms',
      gpu(flag(LEADER, '--max_model_len=32K', '--seed=0'), flag(WORKER, '--max-model-len', '"32768"')),
      [],
    ],
    [
      'JSON in two forms',
      gpu(
        flag(LEADER, '-cc.mode=3', '-cc.cudagraph_mode=NONE'),
        flag(WORKER, `'--compilation-config={"cudagraph_mode": "NONE", "mode": 3}'`),
      ),
      [],
    ],
    ['two names of eager mode', gpu(flag(LEADER, '--enforce-eager'), flag(WORKER, '-cc.mode=none')), []],
    [
      'the last of several counts',
      gpu(flag(LEADER, '--dtype=half', '--dtype=bfloat16'), flag(WORKER, '--dtype=bfloat16')),
      [],
    ],
    [
      'a secret on both sides',
      gpu(flag(LEADER, '--revision=$(R)'), flag(WORKER, '--revision=$(R)'), [
        ENV,
        `${ENV}              - { name: R, valueFrom: { secretKeyRef: { name: s, key: k } } }\n`,
      ]),
      [],
    ],
    [
      'a secret on one side',
      gpu(flag(LEADER, '--revision=$(R)'), flag(WORKER, '--revision=main'), [
        ENV,
        `${ENV}              - { name: R, valueFrom: { secretKeyRef: { name: s, key: k } } }\n`,
      ]),
      [],
    ],
    ['scheduling that is off on CPU anyhow', cpu(flag(LEADER, '--no-async-scheduling')), []],
    ['scheduling that is off on one GPU side', gpu(flag(LEADER, '--no-async-scheduling')), DRIFT],
    ['a reference that nothing fills', gpu(flag(LEADER, '--revision=main'), flag(WORKER, '--revision=$(NOTHING)')), []],
    ['a file of flags', gpu(flag(LEADER, '--dtype=half'), flag(WORKER, '--config=/etc/vllm.yaml')), []],
    ['a flag of one side', gpu(flag(LEADER, '--trust-remote-code')), DRIFT],
    ['prefix caching off on one side', gpu(flag(WORKER, '--no-enable-prefix-caching')), DRIFT],
    ['other JSON', gpu(flag(LEADER, '-cc.mode=3'), flag(WORKER, '-cc.mode=2')), DRIFT],
    ['a quantization of one side', gpu(flag(WORKER, '-q', 'fp8')), DRIFT],
    ['the nodes of one side', gpu(['--nnodes=2\n              - --node-rank=0', '--node-rank=0']), DRIFT],
    [
      'another model',
      gpu([
        'Qwen/Qwen3-235B-A22B\n              - --tensor-parallel-size=8\n              - --pipeline-parallel-size=2\n              - --distributed-executor-backend=mp\n              - --nnodes=2\n              - --node-rank=$',
        'Qwen/Qwen3-32B\n              - --tensor-parallel-size=8\n              - --pipeline-parallel-size=2\n              - --distributed-executor-backend=mp\n              - --nnodes=2\n              - --node-rank=$',
      ]),
      DRIFT,
    ],
    [
      'sizes that follow from the drift are not said twice',
      cpu([
        '--pipeline-parallel-size=2\n              - --distributed-executor-backend=mp\n              - -cc.mode=2\n              - -cc.backend=eager\n              - --nnodes=2\n              - --node-rank=$',
        '--pipeline-parallel-size=3\n              - --distributed-executor-backend=mp\n              - -cc.mode=2\n              - -cc.backend=eager\n              - --nnodes=2\n              - --node-rank=$',
      ]),
      DRIFT,
    ],
  ])('%s', (_, manifest, expected) => {
    expect(found(manifest)).toEqual(expected);
  });

  const worker = (manifest: string, ...changes: readonly Change[]): string => {
    const [leader = '', rest = ''] = manifest.split('    workerTemplate:\n');
    return `${leader}    workerTemplate:\n${edit(rest, ...changes)}`;
  };
  test.each<[string, string, string[]]>([
    ['another release', worker(CPU_GROUP, ['v0.31.0', 'v0.30.0']), DRIFT],
    ['another patch', worker(CPU_GROUP, ['v0.31.0', 'v0.31.1']), ['?rank-flag-drift']],
    ['another instruction set', worker(CPU_GROUP, ['-x86_64', '-arm64'], ['amd64', 'arm64']), []],
    ['an image of which nothing is known', worker(CPU_GROUP, [IMAGE, 'registry.example/own:1']), []],
    ['layers of one side', worker(CPU_GROUP, variable('VLLM_PP_LAYER_PARTITION', '17,19')), DRIFT],
    [
      'layers that may come from a Secret',
      worker(
        edit(CPU_GROUP, [ENV, `            envFrom: [{ secretRef: { name: s } }]\n${ENV}`]),
        variable('VLLM_PP_LAYER_PARTITION', '17,19'),
      ),
      [],
    ],
    [
      'another cache size',
      worker(CPU_GROUP, ['KVCACHE_SPACE, value: "4"', 'KVCACHE_SPACE, value: "2"']),
      ['~rank-flag-drift'],
    ],
    [
      'another share of memory',
      worker(GPU_GROUP, [WORKER, `${WORKER}              - --gpu-memory-utilization=0.8\n`]),
      ['~rank-flag-drift'],
    ],
  ])('%s', (_, manifest, expected) => {
    expect(found(manifest, true).filter((name) => name.includes('drift'))).toEqual(expected);
  });
});

describe('GPUs', () => {
  test.each<[string, string, string[]]>([
    ['a pod with fewer', deployment('m, -tp=8', GPUS(4)), ['world-size-exceeds-devices']],
    ['as many', deployment('m, -tp=4, -pp=2', GPUS(8)), []],
    ['copies in one pod', deployment('m, -tp=4, -dp=4', GPUS(8)), ['world-size-exceeds-devices']],
    ['copies in several pods', deployment('m, -tp=4, -dp=4, -dpl=2', GPUS(8)), []],
    ['copies that Ray places', deployment('m, -tp=4, -dp=4, -dpb=ray', GPUS(8)), []],
    [
      'ranks that Ray places',
      deployment('m, -tp=16, --distributed-executor-backend=ray', GPUS(8), 'vllm/vllm-openai:v0.16.0'),
      [],
    ],
    ['no word about GPUs', deployment('m, -tp=8'), []],
    ['devices by claim', deployment('m, -tp=8', ', resources: { claims: [{ name: gpu }] }'), []],
    ['a size in a variable', deployment('m, -tp=$(TP)', `${GPUS(4)}, envFrom: [{ configMapRef: { name: c } }]`), []],
    [
      'an image of one’s own',
      deployment('m', `, command: [vllm, serve, -tp, "8"]${GPUS(4)}`, 'registry.example/own:1'),
      ['world-size-exceeds-devices'],
    ],
    [
      'a script that may have started Ray',
      deployment(
        'm',
        `, command: [sh, -c, "/start-ray.sh && exec vllm serve m -tp 8"]${GPUS(4)}`,
        'registry.example/own:1',
      ),
      [],
    ],
    ['AMD', deployment('m, -tp=8', ', resources: { limits: { amd.com/gpu: 4 } }', 'vllm/vllm-openai-rocm:v0.31.0'), []],
    [
      'more than the whole group by Ray',
      rayGroup('vllm/vllm-openai:v0.16.0', '/vllm-workspace/examples/online_serving/multi-node-serving.sh').replace(
        '-tp 8',
        '-tp 16',
      ),
      ['world-size-exceeds-devices'],
    ],
  ])('%s', (_, manifest, expected) => {
    expect(found(manifest)).toEqual(expected);
  });
});

describe('Ray', () => {
  const OLD = '/vllm-workspace/examples/online_serving/multi-node-serving.sh';
  const NEW = '/vllm-workspace/examples/ray_serving/multi-node-serving.sh';
  const install = (manifest: string): string =>
    manifest
      .replaceAll('                bash ', "                pip install 'ray[cgraph]'; bash ")
      .replaceAll('exec bash', "pip install 'ray[cgraph]'; exec bash");
  const BOOT = 'ray-bootstrap-version';
  test.each<[string, string, string[]]>([
    ['0.17 holds it', rayGroup('vllm/vllm-openai:v0.17.1', OLD), []],
    ['0.18 does not', rayGroup('vllm/vllm-openai:v0.18.0', OLD), [BOOT]],
    ['0.20 with it installed', install(rayGroup('vllm/vllm-openai:v0.20.0', OLD)), []],
    ['0.21 has the script elsewhere', install(rayGroup('vllm/vllm-openai:v0.21.0', OLD)), [BOOT]],
    ['0.28 with both put right', install(rayGroup('vllm/vllm-openai:v0.28.0', NEW)), []],
    ['0.16 has no such folder yet', rayGroup('vllm/vllm-openai:v0.16.0', NEW), [BOOT]],
    ['a script of one’s own', rayGroup('vllm/vllm-openai:v0.16.0', '/opt/multi-node-serving.sh'), []],
    ['an image of one’s own', rayGroup('registry.example/vllm-ray:1', OLD), []],
    ['a tag that says it holds Ray', rayGroup('vllm/vllm-openai:v0.20.0-ray', OLD), []],
    ['no executor before 0.11.1', rayGroup('vllm/vllm-openai:v0.11.0', OLD, ''), []],
    ['no executor since', rayGroup('vllm/vllm-openai:v0.12.0', OLD, ''), ['ray-backend-implicit']],
    [
      'no executor, and the pod has the GPUs',
      rayGroup('vllm/vllm-openai:v0.12.0', OLD, '').replace(' -pp 2', ''),
      ['?ray-backend-implicit'],
    ],
    ['no executor, release not known', rayGroup('vllm/vllm-openai:latest', OLD, ''), []],
    [
      'Ray for data parallel alone',
      rayGroup('vllm/vllm-openai:v0.12.0', OLD, ' -dp 2 -dpb ray').replace(' -pp 2', ''),
      [],
    ],
    [
      'Ray with nodes',
      gpu(['--distributed-executor-backend=mp', '--distributed-executor-backend=ray'], ['v0.31.0', 'v0.16.0']),
      ['ray-with-nnodes'],
    ],
    ['data parallel by Ray with nodes', gpu(flag(LEADER, '-dpb=ray'), flag(WORKER, '-dpb=ray')), ['ray-with-nnodes']],
    ['a Ray node on CPU', cpu(['[vllm, serve]', '[ray, start, --address=h]']), ['cpu-ray']],
    [
      'a CPU image before it was refused',
      cpu(['executor-backend=mp', 'executor-backend=ray'], ['v0.31.0', 'v0.8.5']),
      [],
    ],
  ])('%s', (_, manifest, expected) => {
    expect(found(manifest)).toEqual(expected);
  });
});

describe('CPU', () => {
  const eager: Change = ['              - -cc.mode=2\n              - -cc.backend=eager\n', '              - -O0\n'];
  const bound = (args: string, node = '', image = 'vllm/vllm-openai-cpu:v0.31.0', env = ''): string =>
    deployment(args, env, image).replace('      containers:', `${node}      containers:`);
  const SELECT = (type: string): string => `      nodeSelector: { node.kubernetes.io/instance-type: ${type} }\n`;
  const PORT = variable('VLLM_PORT', '29600');
  test.each<[string, string, string[]]>([
    ['mode 0 by level', cpu(eager), ['cpu-pipeline-eager']],
    [
      'mode 0 by JSON',
      cpu([eager[0], `              - '--compilation-config={"mode": "NONE"}'\n`]),
      ['cpu-pipeline-eager'],
    ],
    ['mode 0 before it broke', cpu(eager, ['v0.31.0', 'v0.26.0']), []],
    ['mode 0 in an unknown release', cpu(eager, [IMAGE, 'vllm/vllm-openai-cpu:latest']), []],
    ['mode 0 on one rank', bound('m, --enforce-eager'), []],
    ['mode 0 for a pipeline in one pod', bound('m, --enforce-eager, -pp=2'), ['cpu-pipeline-eager']],
    ['0.19 in one pod', bound('m, -pp=2', '', 'vllm/vllm-openai-cpu:v0.19.1'), []],
    ['0.19 over pods', cpu(['v0.31.0', 'v0.19.1']), ['cpu-pipeline-version']],
    ['a release that is not told', cpu([IMAGE, 'vllm/vllm-openai-cpu:latest']), []],
    ['two ranks on an unknown node', bound('m, -tp=2'), []],
    ['two ranks on one NUMA node', bound('m, -tp=2', SELECT('m7g.2xlarge')), ['cpu-ranks-per-pod']],
    ['two copies on one NUMA node', bound('m, -dp=2', SELECT('m7g.2xlarge')), ['cpu-ranks-per-pod']],
    ['two ranks on two sockets', bound('m, -tp=2', SELECT('m7i.48xlarge')), []],
    ['two ranks on some instance', bound('m, -tp=2', SELECT('q9.large')), []],
    [
      'two ranks with lists',
      bound(
        'm, -tp=2',
        SELECT('m7g.2xlarge'),
        undefined,
        `, env: [{ name: VLLM_CPU_OMP_THREADS_BIND, value: '0-2|3-5' }]`,
      ),
      [],
    ],
    [
      'two ranks in each of two pods',
      cpu(['--pipeline-parallel-size=2', '--pipeline-parallel-size=4']),
      ['?cpu-ranks-per-pod'],
    ],
    ['a fixed port in older releases', cpu(PORT, ['v0.31.0', 'v0.26.0']), ['cpu-fixed-port']],
    ['a fixed port since', cpu(PORT), []],
    ['a fixed port on GPUs', gpu(PORT, ['v0.31.0', 'v0.26.0']), []],
    ['two processes in one', cpu(['executor-backend=mp', 'executor-backend=uni']), ['uni-pipeline']],
  ])('%s', (_, manifest, expected) => {
    expect(found(manifest)).toEqual(expected);
  });
});

describe('models', () => {
  const gated = 'meta-llama/Llama-3.1-8B-Instruct';
  const pod = (more: string, image = 'vllm/vllm-openai:v0.31.0', model = gated): string =>
    deployment(model, more, image);
  const volume = (kind: string): string =>
    `${pod(', volumeMounts: [{ name: w, mountPath: /root/.cache/huggingface }]')}      volumes: [{ name: w, ${kind} }]\n`;
  const NO_TOKEN = ['gated-model-no-token'];
  test.each<[string, string, string[]]>([
    ['no token', pod(''), NO_TOKEN],
    ['a token by variable', pod(', env: [{ name: HF_TOKEN, valueFrom: { secretKeyRef: { name: s, key: k } } }]'), []],
    ['a variable that is no token', pod(', env: [{ name: HUGGINGFACE_TOKEN, value: x }]'), NO_TOKEN],
    ['a token to be filled in', pod(', env: [{ name: HF_TOKEN, value: <your-hf-token> }]'), NO_TOKEN],
    ['another', pod(', env: [{ name: HUGGING_FACE_HUB_TOKEN, value: REPLACE_ME }]'), NO_TOKEN],
    ['a token that looks like one', pod(', env: [{ name: HF_TOKEN, value: hf_abcdefghij }]'), []],
    ['an empty token', pod(', env: [{ name: HF_TOKEN, value: "" }]'), NO_TOKEN],
    ['anything by envFrom', pod(', envFrom: [{ secretRef: { name: s } }]'), []],
    ['a cache on a claim', volume('persistentVolumeClaim: { claimName: c }'), []],
    ['a cache on the node', volume('hostPath: { path: /models }'), []],
    ['an empty cache', volume('emptyDir: {}'), NO_TOKEN],
    [
      'a cache that another container fills',
      `${volume('emptyDir: {}')}      initContainers: [{ name: i, image: x, volumeMounts: [{ name: w, mountPath: /w }] }]\n`,
      [],
    ],
    [
      'a cache for this start alone',
      pod(', env: [{ name: HF_HOME, value: /cache }], volumeMounts: [{ name: w, mountPath: /dev/shm }]'),
      NO_TOKEN,
    ],
    ['a mirror', pod(', env: [{ name: HF_ENDPOINT, value: "https://hub.example" }]'), []],
    ['files that are there', pod('', undefined, '/models/llama'), []],
    ['an open model', pod('', undefined, 'Qwen/Qwen3-8B'), []],
    ['an image of one’s own', deployment('', `, command: [vllm, serve, ${gated}]`, 'registry.example/own:1'), []],
    ['a login first', deployment('', `, command: [sh, -c, 'hf auth login --token $T && vllm serve ${gated}']`), []],
    [
      'heads and all in a pipeline',
      gpu(
        ['--pipeline-parallel-size=2', '--pipeline-parallel-size=128'],
        ['--nnodes=2', '--nnodes=128'],
        ['    size: 2\n', '    size: 128\n'],
      ),
      ['?more-stages-than-layers'],
    ],
    [
      'no pipeline for the model',
      deployment('google/gemma-3n-E4B-it, -pp=2', ', env: [{ name: HF_TOKEN, value: x }]'),
      ['no-pipeline-support'],
    ],
    [
      'no pipeline in a release that is not known',
      deployment('google/gemma-3n-E4B-it, -pp=2', ', env: [{ name: HF_TOKEN, value: x }]', 'vllm/vllm-openai:latest'),
      [],
    ],
    [
      'another shape',
      deployment(`google/gemma-3n-E4B-it, -pp=2, '--hf-overrides={"a":1}'`, ', env: [{ name: HF_TOKEN, value: x }]'),
      [],
    ],
    ['layers that add up', cpu(variable('VLLM_PP_LAYER_PARTITION', '16, 20')), []],
    ['layers of three stages', cpu(variable('VLLM_PP_LAYER_PARTITION', '12,12,12')), ['layer-partition']],
    ['layers with semicolons', cpu(variable('VLLM_PP_LAYER_PARTITION', '18;18')), ['layer-partition']],
    [
      'layers of a model that is not known',
      cpu(variable('VLLM_PP_LAYER_PARTITION', '1,2'), ['Qwen/Qwen3-8B', '/models/own']),
      [],
    ],
    [
      'layers without a pipeline',
      edit(CPU_POD, [
        '          env:\n',
        '          env:\n            - { name: VLLM_PP_LAYER_PARTITION, value: "14,14" }\n',
      ]),
      ['layer-partition'],
    ],
  ])('%s', (_, manifest, expected) => {
    expect(found(manifest)).toEqual(expected);
  });
});

describe('surroundings', () => {
  const service = (name: string, more = '', namespace = 'serving'): string => `apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: ${namespace} }
spec: { ports: [{ port: 8000 }]${more} }
`;
  const links: Change = ['        enableServiceLinks: false\n', ''];
  const CLASH = ['service-links-port-clash'];
  test.each<[string, string, string[]]>([
    ['a Service of that name', together(gpu(links), service('vllm')), CLASH],
    ['links switched off', together(gpu(), service('vllm')), []],
    ['without an address', together(gpu(links), service('vllm', ', clusterIP: None')), []],
    ['in another namespace', together(gpu(links), service('vllm', '', 'other')), []],
    ['another name', together(gpu(links), service('vllm-api')), []],
    ['the variable set in the pods', together(gpu(links, variable('VLLM_PORT', '29600')), service('vllm')), []],
    ['a single rank, which starts', together(deployment('m'), service('vllm')), []],
    [
      'a single rank before it met itself by a file',
      together(deployment('m', '', 'vllm/vllm-openai:v0.15.0'), service('vllm')),
      CLASH,
    ],
    [
      'a single rank of an unknown release',
      together(deployment('m', '', 'vllm/vllm-openai:latest'), service('vllm')),
      [],
    ],
    ['two ranks of a Deployment', together(deployment('m, -tp=2'), service('vllm')), CLASH],
    [
      'a Ray group',
      together(
        rayGroup('vllm/vllm-openai:v0.16.0', '/x/multi-node-serving.sh').replaceAll(
          'enableServiceLinks: false',
          'enableServiceLinks: true',
        ),
        service('vllm'),
      ),
      CLASH,
    ],
  ])('%s', (_, manifest, expected) => {
    expect(found(manifest)).toEqual(expected);
  });

  test.each<[string, boolean]>([
    ['eth0', true],
    ['eth0,eth1', true],
    ['bond0.100', true],
    ['ens5', true],
    ['$(IFACE)', true],
    ['$(NOTHING)', true],
    ['', true],
    ['^lo', false],
    ['=eth0', false],
    ['!docker0', false],
    ['eth', false],
    ['eth0, eth1', false],
    ['lo', false],
  ])('GLOO_SOCKET_IFNAME %s', (value, isFine) => {
    const own: Change = [
      ENV,
      `${ENV}              - { name: IFACE, valueFrom: { configMapKeyRef: { name: c, key: k } } }\n              - { name: GLOO_SOCKET_IFNAME, value: "${value}" }\n`,
    ];
    expect(found(gpu(own))).toEqual(isFine ? [] : ['gloo-interface-list']);
  });

  test('an exclusion list that a shell line exports', () => {
    expect(found(shared(`[sh, -c, 'export GLOO_SOCKET_IFNAME=^lo; exec vllm serve m -tp 8']`))).toEqual([
      'gloo-interface-list',
    ]);
  });

  test('the loopback suits ranks of one pod', () => {
    expect(found(deployment('m, -tp=2', ', env: [{ name: GLOO_SOCKET_IFNAME, value: lo }]'))).toEqual([]);
  });

  const DP = (flags: string): string => deployment(`m, ${flags}`);
  test.each<[string, string, string[]]>([
    ['two kinds of balancing', '-dp=4, -dph, -dpe, -dpl=2, -dpn=0', ['data-parallel-flags']],
    ['external without a rank', '-dp=4, -dpe', ['data-parallel-flags']],
    ['external with one', '-dp=4, -dpe, -dpn=3', []],
    ['a rank beyond the last', '-dp=4, -dpn=4', ['data-parallel-flags']],
    ['more here than in all', '-dp=2, -dpl=4', ['data-parallel-flags']],
    ['hybrid and headless', '-dp=4, -dph, -dpl=2, --headless', ['data-parallel-flags']],
    ['hybrid', '-dp=4, -dph, -dpl=2, -dpr=2', []],
    ['internal', '-dp=4, -dpl=2, -dpa=head', []],
  ])('data parallel: %s', (_, flags, expected) => {
    expect(found(DP(flags))).toEqual(expected);
  });

  test('what is worth knowing of a group', () => {
    const namespace =
      'apiVersion: v1\nkind: Namespace\nmetadata: { name: serving, labels: { istio-injection: enabled } }\n';
    expect(
      found(
        together(
          gpu(['name: VLLM_HOST_IP', 'name: POD_IP'], ['VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS', 'OTHER']),
          namespace,
        ),
        true,
      ),
    ).toEqual(['~host-ip-unset', '~mesh-sidecar', '~step-timeout-unset']);
  });
});

test('a shared template is reported once', () => {
  const all = runRules(
    objectsOf(
      shared(
        '[vllm, serve, m, -tp, "32", -n, "2", -r, $(LWS_WORKER_INDEX), --master-addr, $(LWS_LEADER_ADDRESS), -asc, "0"]',
      ),
    ),
    {},
    RANK_RULES,
  );
  expect(all.filter(({ id }) => id === 'vllm/world-size-exceeds-devices')).toHaveLength(1);
});

test('too few GPUs in each pod of a group that has enough: how the pods share them is said', () => {
  const fixOf = (gpus: number): string | undefined =>
    runRules(objectsOf(shared('[vllm, serve, m, -tp, "8"]').replace('gpu: 8', `gpu: ${gpus}`)), {}, RANK_RULES).find(
      ({ id }) => id === 'vllm/world-size-exceeds-devices',
    )?.fix;
  expect(fixOf(4)).toMatch(/^let the 2 pods share them, by --nnodes=\$\(LWS_GROUP_SIZE\)/);
  expect(fixOf(2)).toBe('lower the sizes to 2 in all, or give each pod 8 GPUs');
});

describe('vllm/ray-cluster-size', () => {
  const ray = (...changes: readonly Change[]): string =>
    edit(
      rayGroup('vllm/vllm-openai:v0.16.0', '/vllm-workspace/examples/online_serving/multi-node-serving.sh'),
      ...changes,
    );
  const size = (value: string): Change => ['--ray_cluster_size=$(LWS_GROUP_SIZE)', `--ray_cluster_size=${value}`];
  test.each<[string, string, string[]]>([
    ['the size of the group', ray(), []],
    ['the same as a number', ray(size('2')), []],
    ['more than the group', ray(size('3')), ['ray-cluster-size']],
    ['fewer, which are enough to begin', ray(size('1')), []],
    ['what nobody knows', ray(size('$SIZE')), []],
    [
      'workers that start a cluster as well',
      ray(['worker --ray_address=$(LWS_LEADER_ADDRESS)', 'leader --ray_cluster_size=2']),
      ['ray-cluster-size'],
    ],
  ])('%s', (_, manifest, expected) => {
    expect(found(manifest).filter((id) => id === 'ray-cluster-size')).toEqual(expected);
  });

  test('Ray without a word about the executor, in a release that takes a running cluster', () => {
    const old = rayGroup(
      'vllm/vllm-openai:v0.8.5',
      '/vllm-workspace/examples/online_serving/multi-node-serving.sh',
      '',
    );
    expect(found(old)).toEqual([]);
    expect(found(edit(old, ['nvidia.com/gpu: "8"', 'nvidia.com/gpu: "4"']))).toEqual(['world-size-exceeds-devices']);
  });
});
