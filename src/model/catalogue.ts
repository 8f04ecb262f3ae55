/** What the catalogue says of one model: the shape numbers of its config.json, and whether its files are gated. */
export interface CatalogueEntry {
  readonly architecture: string;
  readonly layers: number;
  readonly hiddenSize: number;
  readonly attentionHeads: number;
  readonly keyValueHeads: number;
  readonly parameters: number;
  readonly contextLength: number;
  readonly gated?: boolean;
  readonly vision?: boolean;
}

/** Shapes read from each model's config.json; parameter counts computed from the shapes. */
export const CATALOGUE: Readonly<Record<string, CatalogueEntry>> = {
  'google/gemma-3-1b-it': {
    architecture: 'Gemma3ForCausalLM',
    layers: 26,
    hiddenSize: 1152,
    attentionHeads: 4,
    keyValueHeads: 1,
    parameters: 999_885_952,
    contextLength: 32_768,
    gated: true,
  },
  'google/gemma-3-4b-it': {
    architecture: 'Gemma3ForConditionalGeneration',
    layers: 34,
    hiddenSize: 2560,
    attentionHeads: 8,
    keyValueHeads: 4,
    parameters: 4_300_079_472,
    contextLength: 131_072,
    gated: true,
    vision: true,
  },
  'google/gemma-3-12b-it': {
    architecture: 'Gemma3ForConditionalGeneration',
    layers: 48,
    hiddenSize: 3840,
    attentionHeads: 16,
    keyValueHeads: 8,
    parameters: 12_187_325_040,
    contextLength: 131_072,
    gated: true,
    vision: true,
  },
  'google/gemma-3-27b-it': {
    architecture: 'Gemma3ForConditionalGeneration',
    layers: 62,
    hiddenSize: 5376,
    attentionHeads: 32,
    keyValueHeads: 16,
    parameters: 27_432_406_640,
    contextLength: 131_072,
    gated: true,
    vision: true,
  },
  'meta-llama/Llama-3.2-1B-Instruct': {
    architecture: 'LlamaForCausalLM',
    layers: 16,
    hiddenSize: 2048,
    attentionHeads: 32,
    keyValueHeads: 8,
    parameters: 1_235_814_400,
    contextLength: 131_072,
    gated: true,
  },
  'meta-llama/Llama-3.1-8B-Instruct': {
    architecture: 'LlamaForCausalLM',
    layers: 32,
    hiddenSize: 4096,
    attentionHeads: 32,
    keyValueHeads: 8,
    parameters: 8_030_261_248,
    contextLength: 131_072,
    gated: true,
  },
  'Qwen/Qwen3-0.6B': {
    architecture: 'Qwen3ForCausalLM',
    layers: 28,
    hiddenSize: 1024,
    attentionHeads: 16,
    keyValueHeads: 8,
    parameters: 596_049_920,
    contextLength: 40_960,
  },
  'Qwen/Qwen3-8B': {
    architecture: 'Qwen3ForCausalLM',
    layers: 36,
    hiddenSize: 4096,
    attentionHeads: 32,
    keyValueHeads: 8,
    parameters: 8_190_735_360,
    contextLength: 40_960,
  },
};
