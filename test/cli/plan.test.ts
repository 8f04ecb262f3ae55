import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPTIONS, readArguments } from '../../src/cli/plan/options';
import { NEWEST_RELEASE } from '../../src/engine/releases';
import { planCommandLine } from '../../src/fit/command-line';
import type { PlanInput } from '../../src/fit/plan-input';
import { nodeOf } from '../../src/hardware/nodes';
import { shapeOf } from '../../src/model/catalogue';
import { readConfig } from '../../src/model/config';
import { plan, planned, REFERENCE } from './plan-runner';
import { run } from './runner';

const GEMMA = 'google/gemma-3-1b-it';
const ON = '--node m7g.2xlarge';
const LLAMA = { architectures: ['LlamaForCausalLM'], model_type: 'llama', num_hidden_layers: 8 };
const SMALL = { ...LLAMA, hidden_size: 256, intermediate_size: 512, num_attention_heads: 4, vocab_size: 300 };
const CONFIG = { ...SMALL, num_key_value_heads: 2, max_position_embeddings: 8192 };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plan-test-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const BASE: PlanInput = {
  model: shapeOf(GEMMA),
  node: nodeOf('m7g.2xlarge'),
  vllm: { version: NEWEST_RELEASE, judgedAs: NEWEST_RELEASE },
  pipelineParallelSize: 2,
  tensorParallelSize: 1,
  nodes: 2,
};
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the program', () => {
  test('says how it is used, and which it is', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, error: '', out: expect.stringContaining('plan  ') as string });
    expect(await run('--version')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
    });
    expect(await run()).toMatchObject({ code: 2, out: '', error: expect.stringContaining('which command?') as string });
  });

  test('names the nearest command', async () => {
    expect(await run('plna')).toEqual({
      code: 2,
      out: '',
      error: "cdk8s-vllm: there is no command 'plna'; did you mean 'plan'?\n",
    });
    expect((await run('toString')).error).toMatch(/^cdk8s-vllm: there is no command 'toString'; there is /);
  });

  test('the help of plan names every flag, in 80 columns', async () => {
    const { code, out } = await plan('--help');
    expect(code).toBe(0);
    for (const { name } of Object.values(OPTIONS).flat()) {
      expect(out).toContain(name);
    }
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe('plan', () => {
  test('exits 0 when it fits and 1 when it does not', async () => {
    expect(await plan(REFERENCE)).toMatchObject({ code: 0, error: '' });
    expect(await plan('google/gemma-3-27b-it --node m7g.large')).toMatchObject({ code: 1, error: '' });
    expect(await plan('google/gemma-3-27b-it --node m7g.large -o json')).toMatchObject({ code: 1, error: '' });
  });

  test('json is the document of the planner, with nothing added', async () => {
    expect(await planned(REFERENCE)).toEqual(asJson(planCommandLine(BASE)));
    expect(await planned(`${GEMMA} ${ON} --block-size 48 --max-model-len 99999 -tp 4`)).toEqual(
      asJson(
        planCommandLine({
          ...BASE,
          pipelineParallelSize: 1,
          tensorParallelSize: 4,
          nodes: 4,
          blockSize: 48,
          maxModelLen: 99_999,
        }),
      ),
    );
  });

  test('every flag reaches the planner', async () => {
    const given: [string, Partial<PlanInput>][] = [
      ['--max-model-len 2048', { maxModelLen: 2048 }],
      ['--kv-cache-memory-bytes 1073741824', { kvCacheMemory: 2 ** 30 }],
      ['--block-size 64', { blockSize: 64 }],
      ['--max-num-batched-tokens 512', { maxNumBatchedTokens: 512 }],
      ['--max-num-seqs 16', { maxNumSeqs: 16 }],
      ['--dtype float32', { dtype: 'float32' }],
      ['--kv-cache-dtype float16', { kvCacheDtype: 'float16' }],
      ['--disable-hybrid-kv-cache-manager', { hybridKvCacheManager: false }],
      ['-pp 2 --layer-partition 14,12', { layerPartition: [14, 12] }],
      ['--cpu 5500m', { cpu: 5500 }],
      ['--memory 12Gi', { memory: 12 * 2 ** 30 }],
      ['--threads 3', { threads: 3 }],
      ['--replicas 2 -pp 2 --nodes 4', { replicas: 2, nodes: 4 }],
      ['--vllm 0.31.0', { vllm: { version: '0.31.0', judgedAs: '0.31.0' } }],
      ['--vllm 0.99.0 --like 0.31.0', { vllm: { version: '0.99.0', judgedAs: '0.31.0' } }],
      ['-pp 1 --nodes 1', { pipelineParallelSize: 1, nodes: 1 }],
      ['-pp 1 -tp 2', { pipelineParallelSize: 1, tensorParallelSize: 2 }],
    ];
    const plain = JSON.stringify(await planned(REFERENCE));
    for (const [flags, input] of given) {
      const document = await planned(`${REFERENCE} ${flags}`);
      expect(document, flags).toEqual(asJson(planCommandLine({ ...BASE, ...input })));
      expect(JSON.stringify(document), flags).not.toBe(plain);
    }
  });

  test('what pods of the system request can be said', async () => {
    const { nodes } = await planned(`${REFERENCE} --system-cpu 1 --system-memory 2Gi`);
    const usual = (await planned(REFERENCE)).nodes;
    expect(nodes.systemPods).toEqual({ cpuMillis: 1000, memoryBytes: 2 * 2 ** 30, pods: usual.systemPods.pods });
    const { systemPods } = (await planned(`${REFERENCE} --system-cpu 0`)).nodes;
    expect(systemPods).toEqual({ ...usual.systemPods, cpuMillis: 0 });
  });
});

describe('spellings', () => {
  const flags = (text: string): object => Object.fromEntries(readArguments(text.split(' ')).flags);

  test.each([
    ['-pp 2', { '-pp': '2' }],
    ['-pp=2', { '-pp': '2' }],
    ['--pipeline-parallel-size 2', { '-pp': '2' }],
    ['--pipeline_parallel_size=2', { '-pp': '2' }],
    ['--pipeline 2', { '-pp': '2' }],
    ['-tp 2', { '-tp': '2' }],
    ['--tensor_parallel_size 2', { '-tp': '2' }],
    ['--max_model_len=-1', { '--max-model-len': '-1' }],
    ['--max-model-len -1', { '--max-model-len': '-1' }],
    ['--max-model 5', { '--max-model-len': '5' }],
    ['-n 2', { '--nodes': '2' }],
    ['--nnodes 2', { '--nodes': '2' }],
    ['--block-size 32 --block-size 64', { '--block-size': '64' }],
    ['-o json', { '--output': 'json' }],
    ['--disable_hybrid_kv_cache_manager', { '--disable-hybrid-kv-cache-manager': '' }],
    ['--disable-hybrid-kv-cache-manager --no-disable-hybrid-kv-cache-manager', {}],
  ])('%s', (text, expected) => {
    expect(flags(text)).toEqual(expected);
  });

  test('the model may stand anywhere, also as --model', () => {
    expect(readArguments(['--node', 'x', 'm', '-pp', '2']).words).toEqual(['m']);
    expect(readArguments(['--model', 'm']).words).toEqual(['m']);
    expect(readArguments(['--', '--m']).words).toEqual(['--m']);
  });

  test.each([
    ['4096', 4096],
    ['4_096', 4096],
    ['4k', 4000],
    ['4K', 4096],
    ['2.5k', 2500],
    ['1.0015k', 1001],
    ['4Ki', 4096],
  ])('vLLM reads %s as %d', async (text, tokens) => {
    expect((await planned(`${REFERENCE} --max-model-len ${text}`)).settings.maxModelLen).toBe(tokens);
  });

  test.each([
    ['1g', 1e9],
    ['1G', 2 ** 30],
    ['1Gi', 2 ** 30],
    ['4GiB', 2 ** 32],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['512M', 2 ** 29],
  ])('a cache of %s has %d bytes', async (text, bytes) => {
    expect((await planned(`${REFERENCE} --kv-cache-memory-bytes ${text}`)).settings.kvCacheMemoryBytes).toBe(bytes);
  });

  test.each([
    ['20G', 20e9],
    ['20Gi', 20 * 2 ** 30],
    ['20480Mi', 20 * 2 ** 30],
    ['2e10', 2e10],
    ['21474836480', 20 * 2 ** 30],
  ])('a memory limit of %s has %d bytes', async (text, bytes) => {
    expect((await planned(`${REFERENCE} --memory ${text}`)).settings.memoryBytes).toBe(bytes);
  });
});

describe('sizes that are not given', () => {
  const sizes = async (command: string): Promise<number[]> => {
    const { parallelism, nodes } = await planned(command);
    return [parallelism.pipelineParallelSize, parallelism.tensorParallelSize, nodes.count];
  };

  test.each([
    [`${GEMMA} ${ON}`, [1, 1, 1]],
    [`${GEMMA} ${ON} --nodes 3`, [3, 1, 3]],
    [`${GEMMA} ${ON} -pp 4`, [4, 1, 4]],
    [`${GEMMA} ${ON} -tp 2`, [1, 2, 2]],
    [`${GEMMA} ${ON} -pp 2 -tp 2`, [2, 2, 4]],
    [`${GEMMA} ${ON} -pp 2 --replicas 3`, [2, 1, 6]],
    [`${GEMMA} ${ON} --nodes 4 --replicas 2`, [2, 1, 4]],
    ['meta-llama/Llama-3.1-405B-Instruct --node p5.48xlarge --nodes 2', [2, 8, 2]],
    ['meta-llama/Llama-3.1-8B-Instruct --node p5.48xlarge', [1, 8, 1]],
    ['meta-llama/Llama-3.1-8B-Instruct --node p5.48xlarge -tp 2', [1, 2, 1]],
    // 14 heads: two of eight GPUs share a layer, and four stages fill each node.
    ['Qwen/Qwen2.5-0.5B-Instruct --node p5.48xlarge --nodes 2', [8, 2, 2]],
    ['Qwen/Qwen2.5-0.5B-Instruct --node p5.48xlarge', [1, 2, 1]],
  ])('%s', async (command, expected) => {
    expect(await sizes(command)).toEqual(expected);
  });

  test('a model that cannot be split into stages is shared', async () => {
    const config = { ...CONFIG, architectures: ['GemmaForCausalLM'], model_type: 'gemma' };
    const path = file(
      'pipeline.json',
      JSON.stringify({ ...config, num_kv_shared_layers: 4, model_type: 'gemma3n_text' }),
    );
    const { parallelism } = await planned(`--config ${path} ${ON} --nodes 2`);
    const { noPipeline } = readConfig(
      'x',
      JSON.parse(JSON.stringify({ ...config, num_kv_shared_layers: 4, model_type: 'gemma3n_text' })),
    );
    expect(noPipeline).toBeDefined();
    expect([parallelism.pipelineParallelSize, parallelism.tensorParallelSize]).toEqual([1, 2]);
  });

  test('too few nodes are a problem of the plan', async () => {
    const { fits, problems } = await planned(`${GEMMA} ${ON} -pp 4 --nodes 2`);
    expect([fits, problems[0]?.id]).toEqual([false, 'fit/nodes-not-enough']);
  });
});

describe('--max-model-len auto', () => {
  test('takes the longest request that the cache serves', async () => {
    for (const cache of [
      '',
      '--kv-cache-memory-bytes 100M',
      '--kv-cache-memory-bytes 100M --max-num-batched-tokens 256',
    ]) {
      const { settings, fits } = await planned(`${REFERENCE} --max-model-len auto ${cache}`);
      expect(fits).toBe(true);
      const { maxModelLen, maxNumBatchedTokens } = settings;
      if (maxModelLen < 32_768) {
        const longer = `${REFERENCE} ${cache} --max-num-batched-tokens ${maxNumBatchedTokens} --max-model-len ${maxModelLen + 1}`;
        expect((await planned(longer)).fits).toBe(false);
      }
    }
    expect((await planned(`${REFERENCE} --max-model-len -1`)).settings.maxModelLen).toBe(32_768);
    expect((await plan(`${REFERENCE} --max-model-len AUTO`)).out).toMatch(/\(auto: the longest\s+that it serves\)/);
  });

  test('is for vLLM with its own number of batched tokens, when none is given', async () => {
    const { settings } = await planned(`${REFERENCE} --max-model-len auto --kv-cache-memory-bytes 100M`);
    expect(settings.maxNumBatchedTokens).toBe(4096);
  });

  test('a split that is impossible stays the answer', async () => {
    expect((await planned(`${GEMMA} ${ON} -pp 27 --max-model-len auto`)).problems[0]?.id).toBe(
      'fit/layers-not-divisible',
    );
  });
});

describe('the model', () => {
  test('is what its config.json says, by the name that was given', async () => {
    const path = file('llama.json', JSON.stringify(CONFIG));
    expect((await planned(`me/mine --config ${path} ${ON}`)).model).toMatchObject({ name: 'me/mine', layers: 8 });
    expect((await planned(`${GEMMA} --config ${path} ${ON}`)).model).toMatchObject({ layers: 8, gated: true });
  });

  test('has the name of the file, of its folder, or the one in it', async () => {
    const path = file('llama.json', JSON.stringify(CONFIG));
    expect((await planned(`--config ${path} ${ON}`)).model.name).toBe('llama');
    mkdirSync(join(folder, 'my-model'));
    const inFolder = file('my-model/config.json', JSON.stringify(CONFIG));
    expect((await planned(`--config ${inFolder} ${ON}`)).model.name).toBe('my-model');
    const named = file('named.json', JSON.stringify({ ...CONFIG, _name_or_path: 'org/own' }));
    expect((await planned(`--config ${named} ${ON}`)).model.name).toBe('org/own');
  });

  test('nothing in its name drives the terminal', async () => {
    const path = file('llama.json', JSON.stringify({ ...CONFIG, _name_or_path: 'a\u001b[2Jb' }));
    expect((await planned(`--config ${path} ${ON}`)).model.name).toBe('llama');
    const { out } = await plan(`a\u001b[2Jb --config ${path} ${ON}`);
    expect(out).toContain('a?[2Jb');
    expect((await plan(`\u001b[2J ${ON}`)).error).not.toContain('\u001b');
  });
});

describe('what vLLM or Kubernetes refuses is no wrong input', () => {
  test.each([
    ['--block-size 48', 'fit/block-size'],
    ['-tp 3', 'fit/heads-not-divisible'],
    ['-pp 2 --layer-partition 14,13', 'fit/layers-not-divisible'],
    ['-pp 2 --layer-partition 26,0', 'fit/layers-not-divisible'],
    ['-pp 2 --layer-partition 26', 'fit/layers-not-divisible'],
    ['-pp 27', 'fit/layers-not-divisible'],
    ['--max-model-len 32769', 'fit/context-too-long'],
    ['--dtype half', 'fit/dtype-refused'],
    ['--kv-cache-dtype fp8', 'fit/kv-cache-dtype'],
    ['--kv-cache-memory-bytes 1', 'fit/kv-cache-too-small'],
    ['--memory 2Gi', 'fit/memory-below-need'],
    ['--memory 60Gi', 'fit/memory-over-node'],
    ['--cpu 16', 'fit/cpu-over-node'],
    ['--cpu 1m', 'fit/cpu-too-small'],
    ['--cpu 4 --threads 5', 'fit/threads-over-cpu'],
  ])('%s', async (flags, id) => {
    const { code, out, error } = await plan(`${GEMMA} ${ON} ${flags}`);
    expect([code, error]).toEqual([1, '']);
    expect(out.replace(/\s+/g, ' ')).toContain(`(${id})`);
    expect((await planned(`${GEMMA} ${ON} ${flags}`)).problems.map((problem) => problem.id)).toContain(id);
  });
});

test('a block size that vLLM takes for layers with a window alone', async () => {
  expect(await plan(`Qwen/Qwen3-0.6B ${ON} --block-size 16`)).toMatchObject({ code: 1, error: '' });
});

describe('wrong input', () => {
  test.each([
    ['', '--node is missing: the instance type to plan for, such as m7g.2xlarge (docs/nodes.md lists them)'],
    [GEMMA, '--node is missing'],
    [ON, 'the model is missing: name one, such as google/gemma-3-1b-it, or give its config.json: --config FILE'],
    [`${GEMMA} other ${ON}`, "there is one model too many: 'google/gemma-3-1b-it', 'other'"],
    [`google/gemma-3-1b ${ON}`, "did you mean 'google/gemma-3-1b-it'?"],
    [`${GEMMA} --node m7g.2xlage`, "--node is 'm7g.2xlage', which is not known; did you mean 'm7g.2xlarge'?"],
    [`${GEMMA} --node constructor`, "--node is 'constructor', which is not known"],
    [`${GEMMA} ${ON} --max-model-ln 4`, "'--max-model-ln' is not known; did you mean '--max-model-len'?"],
    [`${GEMMA} ${ON} --zzzzzzzz`, "'--zzzzzzzz' is not known; --help lists the flags"],
    [`${GEMMA} ${ON} --gpu-memory-utilization=0.9`, "plan does not count with vLLM's --gpu-memory-utilization"],
    [`${GEMMA} ${ON} --swap-space 4`, "'--swap-space' is not known"],
    [`${GEMMA} ${ON} --max-num 4`, "'--max-num' may mean --max-num-batched-tokens, --max-num-seqs"],
    [`${GEMMA} ${ON} --nod 2`, "'--nod' may mean --node, --nodes, --node-rank; write it out"],
    [`${GEMMA} ${ON} --disable`, "'--disable' may mean --disable-hybrid-kv-cache-manager, --disable-"],
    [`${GEMMA} ${ON} --enable-l 4`, '--enable-log-requests and 2 more; write it out'],
    [`${GEMMA} ${ON} --explain=yes`, "--explain takes no value; it is given 'yes'"],
    [`${GEMMA} ${ON} --cpu`, '--cpu has no value; it takes CPU: request and limit: 6, 5500m'],
    [`${GEMMA} ${ON} --cpu=`, '--cpu has no value'],
    [`${GEMMA} --node -pp 2`, '--node has no value'],
    [`${GEMMA} ${ON} --block-size 0`, "--block-size is '0'; it takes a whole number from 1 to 65536, such as 128"],
    [`${GEMMA} ${ON} --block-size NaN`, "--block-size is 'NaN'; it takes a whole number"],
    [`${GEMMA} ${ON} --block-size 16.5`, "--block-size is '16.5'; it takes a whole number"],
    [`${GEMMA} ${ON} -pp 0`, "-pp is '0'; it takes a whole number from 1 to 1024"],
    [`${GEMMA} ${ON} -tp -2`, "-tp is '-2'; it takes a whole number from 1 to 1024"],
    [`${GEMMA} ${ON} --max-model-len 0`, "--max-model-len is '0'; it takes a whole number from 1"],
    [`${GEMMA} ${ON} --max-model-len 1e3`, "--max-model-len is '1e3'"],
    [`${GEMMA} ${ON} --max-num-batched-tokens 0`, "--max-num-batched-tokens is '0'"],
    [`${GEMMA} ${ON} --max-num-seqs 0`, "--max-num-seqs is '0'"],
    [
      `${GEMMA} ${ON} --kv-cache-memory-bytes 1.5G`,
      'vLLM takes no decimals before G (binary), only before g (decimal)',
    ],
    [`${GEMMA} ${ON} --kv-cache-memory-bytes 4GB`, "--kv-cache-memory-bytes is '4GB'; it takes a whole number"],
    [`${GEMMA} ${ON} --dtype int8`, "--dtype is 'int8'; it takes auto, bfloat16, float16, half, float32, float"],
    [`${GEMMA} ${ON} --kv-cache-dtype int4`, "--kv-cache-dtype is 'int4'; it takes auto, bfloat16, float16, fp8"],
    [`${GEMMA} ${ON} --dtype constructor`, "--dtype is 'constructor'"],
    [`${GEMMA} ${ON} --layer-partition 14;12`, "--layer-partition is '14;12'; it takes whole numbers with commas"],
    [`${GEMMA} ${ON} --cpu 0`, "--cpu is '0'"],
    [`${GEMMA} ${ON} --cpu 0.0001`, "--cpu is '0.0001' (0.1 thousandths of a core); it takes whole thousandths"],
    [`${GEMMA} ${ON} --cpu six`, "--cpu is 'six'; it takes whole thousandths of a core up to 4096, such as 6 or 5500m"],
    [`${GEMMA} ${ON} --memory 20`, "--memory is '20'; it takes whole bytes from 1Mi to 1024Ti, such as 20Gi"],
    [`${GEMMA} ${ON} --memory 20GB`, "--memory is '20GB'"],
    [`${GEMMA} ${ON} --threads 0`, "--threads is '0'"],
    [`${GEMMA} ${ON} --replicas 0`, "--replicas is '0'"],
    [`${GEMMA} ${ON} --nodes 0`, "--nodes is '0'"],
    [`${GEMMA} ${ON} --nodes 3 --replicas 2`, '--nodes is 3, which 2 replicas cannot share evenly'],
    [`${GEMMA} ${ON} --nodes 3 -pp 2`, '--nodes is 3, but -pp 2 and -tp 1 run on 2; take --nodes 2, or a larger split'],
    [`${GEMMA} ${ON} --vllm 0.31`, "vLLM version is '0.31'; it takes a full release such as '0.31.0'"],
    [`${GEMMA} ${ON} --vllm latest`, "vLLM version is 'latest'"],
    [`${GEMMA} ${ON} --vllm 0.19.0`, '--vllm is 0.19.0; it takes 0.20.0 or newer'],
    [`${GEMMA} ${ON} --vllm 9.0.0`, 'say which one it behaves like: --like'],
    [`${GEMMA} ${ON} --vllm 9.0.0 --like 8.0.0`, "like is '8.0.0'"],
    [`${GEMMA} ${ON} --vllm 9.0.0 --like 0.1.0`, '--like is 0.1.0; it takes 0.20.0 or newer'],
    [`${GEMMA} ${ON} --like 0.31.0`, 'is known itself; leave --like out'],
    [`${GEMMA} ${ON} --vllm 0.28.0 --max-model-len auto`, 'no cache numbers are known here'],
    [`${GEMMA} ${ON} -o yaml`, "--output is 'yaml'; it takes table, json"],
    [`--config /no/such/file ${ON}`, "'/no/such/file' cannot be read: there is no such file"],
  ])('%s', async (command, message) => {
    const { code, out, error } = await plan(command);
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain(message);
    expect(error).not.toMatch(/\n\s+at /);
    expect(error.startsWith('cdk8s-vllm: ')).toBe(true);
  });

  test('a program that asked for JSON gets the reason as JSON', async () => {
    for (const asked of ['-o json', '--output json', '--output=json', '-o=json']) {
      const { code, out, error } = await plan(`${GEMMA} ${ON} --cpu six ${asked}`);
      expect(code).toBe(2);
      expect(error).toBe(`cdk8s-vllm: ${(JSON.parse(out) as { error: string }).error}\n`);
    }
  });

  test.each([
    ['empty.json', '', 'is empty; it takes the config.json of a model'],
    ['blank.json', ' \n', 'is empty'],
    ['text.json', 'hello', 'is no JSON'],
    ['half.json', '{"model_type": "llama"', 'is no JSON'],
    ['bom.json', `\ufeff${JSON.stringify(CONFIG)}`, 'begins with a byte order mark'],
    ['utf16.json', Buffer.from(`\ufeff${JSON.stringify(CONFIG)}`, 'utf16le'), 'begins with a byte order mark'],
    ['list.json', '[]', 'it takes the object that the file holds'],
    ['null.json', 'null', 'it takes the object that the file holds'],
    ['object.json', '{}', 'neither model_type nor architectures'],
    ['large.json', Buffer.alloc(17 * 1024 * 1024, ' '), 'has more than 16 MiB'],
    ['binary.json', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), 'is no JSON'],
  ])('%s', async (name, content, message) => {
    const { code, out, error } = await plan(`--config ${file(name, content)} ${ON}`);
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain(message);
  });

  test('a folder in place of a file, or of a name', async () => {
    expect((await plan(`--config ${folder} ${ON}`)).error).toContain('it is a folder; name the config.json in it');
    mkdirSync(join(folder, 'checkout'));
    file('checkout/config.json', '{}');
    const { code, error } = await plan(`${join(folder, 'checkout')} ${ON}`);
    expect(code).toBe(2);
    expect(error).toContain(`--config ${join(folder, 'checkout', 'config.json')}`);
  });
});

describe('a command line of vLLM that is pasted', () => {
  const PASTED =
    '--dtype=bfloat16 --max-model-len=4096 --pipeline-parallel-size=2 --tensor-parallel-size=1 -cc.mode=2 -cc.backend=eager ' +
    '--no-async-scheduling --nnodes=2 --node-rank=0 --master-addr=127.0.0.1 --port=8000';

  test('is planned, and what does not matter is named', async () => {
    const { code, out } = await run('plan', GEMMA, '--node', 'm7g.2xlarge', ...PASTED.split(' '));
    expect(code).toBe(0);
    const last = out.slice(out.indexOf('Not needed for a plan'));
    for (const name of ['-cc', '--no-async-scheduling', '--node-rank', '--master-addr', '--port']) {
      expect(last).toContain(name);
    }
  });

  test.each(['--enforce-eager', '-cc.mode=0', '-cc.mode=none', '-O0', '--compilation-config={"mode":0}'])(
    '%s in a pipeline on CPU is refused',
    async (word) => {
      const { code, out } = await run('plan', GEMMA, '--node', 'm7g.2xlarge', '-pp', '2', word, '-o', 'json');
      expect(code).toBe(1);
      expect((JSON.parse(out) as { problems: { id: string }[] }).problems.map(({ id }) => id)).toEqual([
        'fit/eager-breaks-pipeline',
      ]);
    },
  );

  test('--enforce-eager on one node, or on GPUs, changes nothing', async () => {
    expect((await run('plan', GEMMA, '--node', 'm7g.2xlarge', '--enforce-eager')).code).toBe(0);
    expect((await run('plan', GEMMA, '--node', 'g6.12xlarge', '-pp', '2', '--enforce-eager')).code).toBe(0);
  });
});
