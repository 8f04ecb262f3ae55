import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { planGroup } from '../../src/fit/plan';
import { type PlanInput } from '../../src/fit/plan-input';
import { planCommandLine } from '../../src/fit/command-line';
import { GIBI, MEBI } from '../../src/fit/units';
import { customNode, nodeOf } from '../../src/hardware/nodes';
import { shapeOf } from '../../src/model/catalogue';
import { readConfig } from '../../src/model/config';
import { input, shape } from './shapes';

const single = { pipelineParallelSize: 1 } as const;
const at = (version: string): Pick<PlanInput, 'vllm'> => ({ vllm: { version, judgedAs: version } });
const on = (name: string): Pick<PlanInput, 'node'> => ({ node: nodeOf(name) });
const llama = (changes: Record<string, unknown> = {}): PlanInput['model'] =>
  readConfig('acme/any', {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    num_hidden_layers: 8,
    hidden_size: 512,
    intermediate_size: 1024,
    num_attention_heads: 8,
    num_key_value_heads: 2,
    head_dim: 64,
    vocab_size: 32_000,
    max_position_embeddings: 8192,
    tie_word_embeddings: true,
    ...changes,
  });
const deepseek = readConfig('acme/latent', {
  architectures: ['DeepseekV3ForCausalLM'],
  model_type: 'deepseek_v3',
  num_hidden_layers: 4,
  hidden_size: 512,
  intermediate_size: 1024,
  moe_intermediate_size: 256,
  num_attention_heads: 8,
  num_key_value_heads: 8,
  q_lora_rank: 128,
  kv_lora_rank: 512,
  qk_rope_head_dim: 64,
  qk_nope_head_dim: 64,
  v_head_dim: 64,
  n_routed_experts: 8,
  num_experts_per_tok: 2,
  n_shared_experts: 1,
  first_k_dense_replace: 1,
  vocab_size: 32_000,
  max_position_embeddings: 8192,
});
const fp8 = { quantization_config: { quant_method: 'fp8', activation_scheme: 'dynamic' } };

/** One input for each problem, and one beside it that has it not. */
const PROBLEMS: [id: string, has: Partial<PlanInput>, hasNot: Partial<PlanInput>][] = [
  [
    'batched-tokens-below-seqs',
    { maxNumBatchedTokens: 64, maxNumSeqs: 65 },
    { maxNumBatchedTokens: 64, maxNumSeqs: 64 },
  ],
  ['block-size', { model: llama(), blockSize: 48 }, { model: llama(), blockSize: 96 }],
  ['context-too-long', { maxModelLen: 32_769 }, { maxModelLen: 32_768 }],
  ['cpu-over-node', { cpu: 7351 }, { cpu: 7350 }],
  ['cpu-too-small', { cpu: 999, threads: 1 }, { cpu: 1000, threads: 1 }],
  ['disk-too-small', { ephemeralStorage: 2 * GIBI }, { ephemeralStorage: 3 * GIBI }],
  ['dtype-refused', { dtype: 'float16' }, { model: llama(), dtype: 'float16' }],
  ['eager-breaks-pipeline', { skipsWarmUp: true }, { skipsWarmUp: true, ...single }],
  [
    'gpus-not-divisible',
    { model: llama(), ...on('g6.12xlarge'), pipelineParallelSize: 5 },
    { model: llama(), ...on('g6.12xlarge'), pipelineParallelSize: 4 },
  ],
  ['head-size', { model: llama({ head_dim: 40 }) }, { model: llama({ head_dim: 48 }) }],
  ['heads-not-divisible', { tensorParallelSize: 3 }, { tensorParallelSize: 2 }],
  ['kv-cache-dtype', { kvCacheDtype: 'fp8' }, { kvCacheDtype: 'fp8', ...on('m7i.2xlarge') }],
  [
    'kv-cache-dtype',
    { kvCacheDtype: 'fp8', ...on('m7i.2xlarge'), model: llama({ head_dim: 80 }) },
    { kvCacheDtype: 'fp8', ...on('m7i.2xlarge'), model: llama({ head_dim: 96 }) },
  ],
  ['kv-cache-dtype', { kvCacheDtype: 'fp8', ...on('m7i.2xlarge'), ...at('0.20.0') }, { ...at('0.20.0') }],
  ['kv-cache-too-small', { kvCacheMemory: MEBI }, { kvCacheMemory: 100 * MEBI }],
  [
    'latent-attention',
    { model: deepseek, ...single, ...at('0.27.1') },
    { model: deepseek, ...single, ...at('0.28.0') },
  ],
  ['layers-not-divisible', { layerPartition: [13, 12] }, { layerPartition: [14, 12] }],
  ['memory-below-need', { memory: 4 * GIBI }, { memory: 8 * GIBI }],
  ['memory-over-node', { memory: 32 * GIBI }, { memory: 27 * GIBI }],
  [
    'model-refused',
    {
      model: readConfig('acme/windows', {
        architectures: ['Qwen2ForCausalLM'],
        model_type: 'qwen2',
        num_hidden_layers: 6,
        hidden_size: 512,
        intermediate_size: 1024,
        num_attention_heads: 8,
        num_key_value_heads: 2,
        vocab_size: 32_000,
        max_position_embeddings: 8192,
        use_sliding_window: true,
        sliding_window: 1024,
        max_window_layers: 4,
      }),
    },
    {},
  ],
  [
    'no-pipeline',
    { model: shapeOf('google/gemma-3n-E2B-it') },
    { model: shapeOf('google/gemma-3n-E2B-it'), ...single },
  ],
  ['nodes-not-enough', { nodes: 1 }, { nodes: 2 }],
  ['pods-over-node', { ...on('m7g.medium') }, {}],
  [
    'shared-memory-over-limit',
    { memory: 20 * GIBI, kvCacheMemory: 16 * GIBI },
    { memory: 20 * GIBI, kvCacheMemory: 8 * GIBI },
  ],
  ['shared-memory-too-small', { sharedMemory: 511 * MEBI }, { sharedMemory: 512 * MEBI }],
  ['stall-before-step', { stepTimeout: 200, stallTimeout: 200 }, { stepTimeout: 200, stallTimeout: 201 }],
  ['threads-over-cpu', { threads: 7 }, { threads: 6 }],
  [
    'vocabulary-not-divisible',
    { model: llama({ num_attention_heads: 6, num_key_value_heads: 3, vocab_size: 320 }), tensorParallelSize: 3 },
    { model: llama({ num_attention_heads: 6, num_key_value_heads: 3, vocab_size: 384 }), tensorParallelSize: 3 },
  ],
  ['weight-format', { model: llama(fp8) }, { model: llama(fp8), ...on('m7i.2xlarge') }],
  [
    'weight-format',
    { model: llama({ quantization_config: { quant_method: 'mxfp4' } }), ...on('m7i.2xlarge') },
    { model: llama({ quantization_config: { quant_method: 'mxfp4' } }), ...on('g6.12xlarge') },
  ],
];

/** One input for each warning, and one beside it that has it not. */
const WARNINGS: [id: string, has: Partial<PlanInput>, hasNot: Partial<PlanInput>][] = [
  ['below-reference-pod', { ...on('m7g.xlarge') }, {}],
  // Not of a pod that is killed as it is.
  ['below-reference-pod', { ...on('m7g.xlarge') }, { ...on('m7g.xlarge'), memory: 2 * GIBI }],
  ['block-size-changed', { model: shape('tiny-gemma'), blockSize: 16 }, { model: shape('tiny-gemma'), blockSize: 32 }],
  ['key-value-heads-replicated', { tensorParallelSize: 2 }, { model: llama(), tensorParallelSize: 2 }],
  ['kv-formula-withheld', at('0.28.0'), at('0.31.0')],
  [
    'memory-tight',
    { kvCacheMemory: 4 * GIBI, memory: 8.4 * GIBI, sharedMemory: GIBI },
    { kvCacheMemory: 4 * GIBI, memory: 9 * GIBI },
  ],
  ['no-avx512', { ...on('m6a.2xlarge') }, { ...on('m7a.2xlarge') }],
  ['no-bf16', { ...on('m6g.2xlarge') }, { ...on('m7g.2xlarge') }],
  ['node-memory-tight', { memory: 28 * GIBI }, { memory: 27 * GIBI }],
  ['not-counted', { notCounted: ['--enable-lora'] }, {}],
  [
    'one-request-at-a-time',
    { kvCacheMemory: 40 * MEBI, maxModelLen: 4096 },
    { kvCacheMemory: 50 * MEBI, maxModelLen: 4096 },
  ],
  [
    'one-request-at-a-time',
    { kvCacheMemory: 40 * MEBI, maxModelLen: 4096 },
    { kvCacheMemory: 40 * MEBI, maxModelLen: 4096, memory: 2 * GIBI },
  ],
  [
    'parameters-approximate',
    { model: { ...shape('gemma-3-1b'), provenance: { verified: false, approximate: true, notes: [] } } },
    {},
  ],
  ['parameters-unverified', {}, { model: { ...shape('gemma-3-1b'), provenance: { verified: true, notes: [] } } }],
  [
    'quantization-on-arm',
    { model: llama({ quantization_config: { quant_method: 'awq', bits: 4, group_size: 128 } }) },
    { model: llama({ quantization_config: { quant_method: 'awq', bits: 4, group_size: 128 } }), ...on('m7i.2xlarge') },
  ],
  ['several-numa-nodes', { ...on('m7i.48xlarge') }, { ...on('m7i.8xlarge') }],
  ['split-not-needed', {}, single],
  ['tensor-parallel-over-network', { tensorParallelSize: 2 }, {}],
  ['threads-throttled', { threads: 6 }, { threads: 5 }],
];

describe('every finding of the planner', () => {
  test.each(PROBLEMS)('fit/%s stands against a plan', (id, has, hasNot) => {
    const found = (changes: Partial<PlanInput>): string[] => planGroup(input(changes)).problems.map((one) => one.id);
    expect(found(has)).toContain(`fit/${id}`);
    expect(found(hasNot)).not.toContain(`fit/${id}`);
    const plan = planGroup(input(has));
    expect(plan.fits).toBe(false);
    for (const { what, why, fix } of plan.problems) {
      expect([what, why, fix].every((text) => text.length > 10 && !/undefined|NaN|Infinity/.test(text))).toBe(true);
    }
  });

  test.each(WARNINGS)('fit/%s has its price', (id, has, hasNot) => {
    const found = (changes: Partial<PlanInput>): string[] => planGroup(input(changes)).warnings.map((one) => one.id);
    expect(found(has)).toContain(`fit/${id}`);
    expect(found(hasNot)).not.toContain(`fit/${id}`);
    for (const { what, why, fix } of planGroup(input(has)).warnings) {
      expect([what, why, fix].every((text) => text.length > 5 && !/undefined|NaN|Infinity/.test(text))).toBe(true);
    }
  });

  test('a command line that leaves batched tokens to vLLM is told', () => {
    const ids = (changes: Partial<PlanInput>): string[] =>
      planCommandLine(input(changes)).warnings.map((one) => one.id);
    expect(ids({ kvCacheMemory: 4 * GIBI })).toContain('fit/batched-tokens-default');
    expect(ids({ kvCacheMemory: 4 * GIBI, maxNumBatchedTokens: 4096 })).not.toContain('fit/batched-tokens-default');
    expect(ids({})).not.toContain('fit/batched-tokens-default');
  });

  test('none is left out here', () => {
    const source = readdirSync('src/fit')
      .map((file) => readFileSync(`src/fit/${file}`, 'utf8'))
      .join('\n');
    const ids = new Set([...source.matchAll(/'fit\/([a-z0-9-]+)'/g)].map(([, id]) => id!));
    ids.delete('batched-tokens-default');
    expect([...ids].sort()).toEqual([...new Set([...PROBLEMS, ...WARNINGS].map(([id]) => id))].sort());
  });

  test('a node that nobody knows by name is judged by its numbers', () => {
    const node = customNode('rack', { cpus: 8, memory: 32 * GIBI, architecture: 'amd64', avx512: false });
    expect(planGroup(input({ node })).warnings.map(({ id }) => id)).toContain('fit/no-avx512');
  });
});
