import { performance } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { modelNames, shapeOf } from '../../src/model/catalogue';
import { CATALOGUE } from '../../src/model/catalogue-data';
import { KNOWN_ARCHITECTURES } from '../../src/model/pipeline';
import { expectError } from '../common/errors';
import { expectSane } from './sane';

/**
 * Facts that were gathered apart from the catalogue: layers, hidden size, heads, key and value heads, head size, layers that
 * keep all tokens, vocabulary, tied, parameters, context.
 */
const FACTS: readonly (readonly [
  name: string,
  layers: number,
  hidden: number,
  heads: number,
  keyValueHeads: number,
  headSize: number,
  full: number,
  vocabulary: number,
  tied: boolean,
  parameters: number,
  context: number,
])[] = [
  ['google/gemma-3-1b-it', 26, 1152, 4, 1, 256, 4, 262_144, true, 999_885_952, 32_768],
  ['google/gemma-3-4b-it', 34, 2560, 8, 4, 256, 5, 262_208, true, 4_300_079_472, 131_072],
  ['google/gemma-3-12b-it', 48, 3840, 16, 8, 256, 8, 262_208, true, 12_187_325_040, 131_072],
  ['google/gemma-3-27b-it', 62, 5376, 32, 16, 128, 10, 262_208, true, 27_432_406_640, 131_072],
  ['google/gemma-3n-E2B-it', 30, 2048, 8, 2, 256, 6, 262_400, true, 5_440_000_000, 32_768],
  ['google/gemma-3n-E4B-it', 35, 2048, 8, 2, 256, 7, 262_400, true, 7_850_000_000, 32_768],
  ['google/gemma-4-31B-it', 60, 5376, 32, 4, 512, 10, 262_144, true, 31_272_730_624, 262_144],
  ['google/gemma-4-26B-A4B-it', 30, 2816, 16, 2, 512, 5, 262_144, true, 25_807_384_739, 262_144],
  ['google/gemma-4-12B-it', 48, 3840, 16, 1, 512, 8, 262_144, true, 11_961_483_919, 262_144],
  ['google/gemma-4-E4B-it', 42, 2560, 8, 2, 512, 7, 262_144, true, 7_994_007_879, 131_072],
  ['google/gemma-4-E2B-it', 35, 1536, 8, 1, 512, 7, 262_144, true, 5_121_748_500, 131_072],
  ['meta-llama/Llama-3.1-8B-Instruct', 32, 4096, 32, 8, 128, 32, 128_256, false, 8_030_261_248, 131_072],
  ['meta-llama/Llama-3.1-70B-Instruct', 80, 8192, 64, 8, 128, 80, 128_256, false, 70_553_706_496, 131_072],
  ['meta-llama/Llama-3.3-70B-Instruct', 80, 8192, 64, 8, 128, 80, 128_256, false, 70_553_706_496, 131_072],
  ['meta-llama/Llama-3.1-405B-Instruct', 126, 16_384, 128, 8, 128, 126, 128_256, false, 405_853_388_800, 131_072],
  ['meta-llama/Llama-3.2-1B-Instruct', 16, 2048, 32, 8, 64, 16, 128_256, true, 1_235_814_400, 131_072],
  ['meta-llama/Llama-3.2-3B-Instruct', 28, 3072, 24, 8, 128, 28, 128_256, true, 3_212_749_824, 131_072],
  ['meta-llama/Llama-4-Scout-17B-16E-Instruct', 48, 5120, 40, 8, 128, 12, 202_048, false, 109_000_000_000, 10_485_760],
  ['Qwen/Qwen2.5-0.5B-Instruct', 24, 896, 14, 2, 64, 24, 151_936, true, 494_032_768, 32_768],
  ['Qwen/Qwen2.5-1.5B-Instruct', 28, 1536, 12, 2, 128, 28, 151_936, true, 1_543_714_304, 32_768],
  ['Qwen/Qwen2.5-3B-Instruct', 36, 2048, 16, 2, 128, 36, 151_936, true, 3_085_938_688, 32_768],
  ['Qwen/Qwen2.5-7B-Instruct', 28, 3584, 28, 4, 128, 28, 152_064, false, 7_615_616_512, 32_768],
  ['Qwen/Qwen2.5-14B-Instruct', 48, 5120, 40, 8, 128, 48, 152_064, false, 14_770_033_664, 32_768],
  ['Qwen/Qwen2.5-32B-Instruct', 64, 5120, 40, 8, 128, 64, 152_064, false, 32_763_876_352, 32_768],
  ['Qwen/Qwen2.5-72B-Instruct', 80, 8192, 64, 8, 128, 80, 152_064, false, 72_706_203_648, 32_768],
  ['Qwen/Qwen3-0.6B', 28, 1024, 16, 8, 128, 28, 151_936, true, 596_049_920, 40_960],
  ['Qwen/Qwen3-1.7B', 28, 2048, 16, 8, 128, 28, 151_936, true, 1_720_574_976, 40_960],
  ['Qwen/Qwen3-4B', 36, 2560, 32, 8, 128, 36, 151_936, true, 4_022_468_096, 40_960],
  ['Qwen/Qwen3-8B', 36, 4096, 32, 8, 128, 36, 151_936, false, 8_190_735_360, 40_960],
  ['Qwen/Qwen3-14B', 40, 5120, 40, 8, 128, 40, 151_936, false, 14_768_307_200, 40_960],
  ['Qwen/Qwen3-32B', 64, 5120, 64, 8, 128, 64, 151_936, false, 32_762_123_264, 40_960],
  ['Qwen/Qwen3-30B-A3B', 48, 2048, 32, 4, 128, 48, 151_936, false, 30_532_122_624, 40_960],
  ['Qwen/Qwen3-235B-A22B', 94, 4096, 64, 4, 128, 94, 151_936, false, 235_093_634_560, 40_960],
  ['Qwen/Qwen3-Coder-480B-A35B-Instruct', 62, 6144, 96, 8, 128, 62, 151_936, false, 480_154_875_392, 262_144],
  ['mistralai/Mistral-7B-Instruct-v0.3', 32, 4096, 32, 8, 128, 32, 32_768, false, 7_248_023_552, 32_768],
  ['mistralai/Mistral-Small-24B-Instruct-2501', 40, 5120, 32, 8, 128, 40, 131_072, false, 23_572_403_200, 32_768],
  ['mistralai/Mistral-Small-3.2-24B-Instruct-2506', 40, 5120, 32, 8, 128, 40, 131_072, false, 24_030_342_021, 131_072],
  ['mistralai/Ministral-3-8B-Instruct-2512', 34, 4096, 32, 8, 128, 34, 131_072, false, 8_900_000_000, 262_144],
  ['mistralai/Mixtral-8x7B-Instruct-v0.1', 32, 4096, 32, 8, 128, 32, 32_000, false, 46_702_792_704, 32_768],
  ['mistralai/Mixtral-8x22B-Instruct-v0.1', 56, 6144, 48, 8, 128, 56, 32_768, false, 140_620_634_112, 65_536],
  ['deepseek-ai/DeepSeek-V3', 61, 7168, 128, 1, 576, 61, 129_280, false, 671_026_419_200, 163_840],
  ['deepseek-ai/DeepSeek-R1', 61, 7168, 128, 1, 576, 61, 129_280, false, 671_026_419_200, 163_840],
  ['deepseek-ai/DeepSeek-V3.2', 61, 7168, 128, 1, 576, 61, 129_280, false, 671_026_419_200, 163_840],
  ['moonshotai/Kimi-K2-Instruct', 61, 7168, 64, 1, 576, 61, 163_840, false, 1_030_000_000_000, 131_072],
  ['openai/gpt-oss-20b', 24, 2880, 64, 8, 64, 12, 201_088, false, 20_914_757_184, 131_072],
  ['openai/gpt-oss-120b', 36, 2880, 64, 8, 64, 18, 201_088, false, 116_829_156_672, 131_072],
  ['microsoft/Phi-3-mini-4k-instruct', 32, 3072, 32, 32, 96, 0, 32_064, false, 3_821_079_552, 4096],
  ['microsoft/Phi-3.5-mini-instruct', 32, 3072, 32, 32, 96, 0, 32_064, false, 3_821_079_552, 131_072],
  ['microsoft/Phi-3-medium-128k-instruct', 40, 5120, 40, 10, 128, 0, 32_064, false, 13_960_238_080, 131_072],
  ['microsoft/Phi-4-mini-instruct', 32, 3072, 24, 8, 128, 0, 200_064, true, 3_836_021_760, 131_072],
  ['microsoft/phi-4', 40, 5120, 40, 10, 128, 40, 100_352, false, 14_659_507_200, 16_384],
];

/** Sizes of the weights in GiB that others list or vLLM reports, of what one copy of them is loaded from. */
const FILES: Readonly<Record<string, number>> = {
  'google/gemma-3-4b-it': 8.01,
  'google/gemma-3-27b-it': 51.1,
  'google/gemma-4-31B-it': 58.25,
  'google/gemma-4-26B-A4B-it': 48.07,
  'google/gemma-4-12B-it': 22.28,
  'google/gemma-4-E4B-it': 14.89,
  'google/gemma-4-E2B-it': 9.54,
  'meta-llama/Llama-3.1-8B-Instruct': 14.96,
  'meta-llama/Llama-3.3-70B-Instruct': 131.42,
  'Qwen/Qwen2.5-7B-Instruct': 14.19,
  'Qwen/Qwen2.5-14B-Instruct': 27.51,
  'Qwen/Qwen2.5-32B-Instruct': 61.03,
  'mistralai/Mistral-7B-Instruct-v0.3': 13.5,
  'mistralai/Ministral-3-8B-Instruct-2512': 9.7,
  'deepseek-ai/DeepSeek-V3': 641.3,
  'deepseek-ai/DeepSeek-R1': 641.3,
  'deepseek-ai/DeepSeek-V3.2': 642.14,
  'openai/gpt-oss-20b': 12.815,
  'openai/gpt-oss-120b': 60.77,
  'microsoft/Phi-3-mini-4k-instruct': 7.12,
  'microsoft/Phi-3.5-mini-instruct': 7.12,
  'microsoft/Phi-3-medium-128k-instruct': 26,
  'microsoft/Phi-4-mini-instruct': 7.15,
  'microsoft/phi-4': 27.31,
};

describe('the catalogue', () => {
  test('has at least sixty models', () => {
    expect(modelNames().length).toBeGreaterThanOrEqual(60);
    expect(modelNames()).toEqual(expect.arrayContaining(FACTS.map(([name]) => name)));
  });

  test.each(modelNames())('%s is a model that vLLM has', (name) => {
    const shape = shapeOf(name);
    expectSane(shape);
    expect(shape.name).toBe(name);
    expect(shape.gated).toBe(CATALOGUE[name]!.gated ?? false);
    expect(KNOWN_ARCHITECTURES.has(shape.architecture)).toBe(true);
  });

  test.each(modelNames())('%s is verified, or says that it is not', (name) => {
    const { verified, notes } = shapeOf(name).provenance;
    expect(verified).toBe(CATALOGUE[name]!.files !== undefined);
    expect(notes.some((note) => note.includes('not compared with the size of its files'))).toBe(!verified);
  });

  test.each(FACTS.map((facts) => [facts[0], facts] as const))('%s agrees with facts from elsewhere', (name, facts) => {
    const [, layers, hidden, heads, keyValueHeads, headSize, full, vocabulary, tied, parameters, context] = facts;
    const shape = shapeOf(name);
    expect(shape).toMatchObject({
      layers,
      hiddenSize: hidden,
      attentionHeads: heads,
      keyValue: { heads: keyValueHeads, headSize },
      vocabularySize: vocabulary,
      tiedEmbeddings: tied,
      contextLength: context,
    });
    expect(shape.layerKinds.filter((kind) => kind === 'full')).toHaveLength(full);
    expect(Math.abs(shape.parameters.total / parameters - 1)).toBeLessThan(0.01);
  });

  test.each(Object.entries(FILES))('%s: its files of %d GiB', (name, gibibytes) => {
    expect(Math.abs(shapeOf(name).weightsBytes / (gibibytes * 2 ** 30) - 1)).toBeLessThan(0.01);
    expect(shapeOf(name).provenance.verified).toBe(true);
  });

  test('reads a model once', () => {
    expect(shapeOf('google/gemma-3-1b-it')).toBe(shapeOf('google/gemma-3-1b-it'));
  });

  test('a name is found without reading the others', () => {
    const start = performance.now();
    expectError(() => shapeOf('nobody/nothing'), 'is not in the catalogue (docs/models.md lists its');
    expect(performance.now() - start).toBeLessThan(100);
  });

  test('an unknown name: the nearest one and the way out, in a few lines', () => {
    expectError(
      () => shapeOf('google/gema-3-1b-it'),
      "model 'google/gema-3-1b-it' is not in the catalogue; did you mean 'google/gemma-3-1b-it'?",
      `docs/models.md lists its ${modelNames().length} models`,
      'Model.fromConfigJson in a program, --config on the command line',
    );
    try {
      shapeOf('x'.repeat(1e5));
    } catch (error) {
      expect((error as Error).message.length).toBeLessThan(600);
    }
  });

  test.each(['toString', 'constructor', '__proto__', ''])("'%s' is no model", (name) => {
    expectError(() => shapeOf(name), `model '${name}' is not in the catalogue`);
  });
});
