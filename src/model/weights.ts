import { printable } from '../common/printable';
import { isObject, type Fields } from './fields';
import type { ParameterCounts, WeightFormat } from './shape';

/** How weights are stored, and what is not certain about it. */
export interface WeightsRead {
  readonly format: WeightFormat;
  /** Whether the bits of a parameter are known; else they are a guess. */
  readonly isKnown: boolean;
  readonly notes: readonly string[];
}

const DTYPES: Readonly<Record<string, { readonly name: WeightFormat['name']; readonly bits: 16 | 32 }>> = {
  bfloat16: { name: 'bfloat16', bits: 16 },
  float16: { name: 'float16', bits: 16 },
  half: { name: 'float16', bits: 16 },
  float32: { name: 'float32', bits: 32 },
  float: { name: 'float32', bits: 32 },
};

const GROUP = { min: -1, max: 1_000_000 };

/**
 * Reads the data type and the quantization.
 * @param config the whole file
 * @param text the part that describes the text model
 */
export function readWeights(config: Fields, text: Fields): WeightsRead {
  const notes: string[] = [];
  const plain = readDtype(config, text, notes);
  const quantization =
    config.inner('quantization_config') ??
    config.inner('compression_config') ??
    text.inner('quantization_config') ??
    text.inner('compression_config');
  if (quantization === undefined) {
    return {
      format: { name: plain.name, bits: plain.bits, quantized: 'none', otherBits: plain.bits },
      isKnown: true,
      notes,
    };
  }
  const method = printable(methodOf(quantization), 60);
  const known = readQuantization(method, quantization, plain.bits);
  const format = known ?? guessFormat(method, quantization, plain.bits, notes);
  const { name, ...rest } = format;
  return { format: { name, method, ...rest }, isKnown: known !== undefined, notes };
}

function readDtype(config: Fields, text: Fields, notes: string[]): { name: WeightFormat['name']; bits: 16 | 32 } {
  const found = config.find('dtype', 'torch_dtype') ?? text.find('dtype', 'torch_dtype');
  if (found === undefined) {
    notes.push('config.json names no torch_dtype; two bytes a parameter are assumed');
    return DTYPES['bfloat16']!;
  }
  const { name, value } = found;
  if (typeof value !== 'string') return config.refuse(name, value, "a text such as 'bfloat16'");
  const word = value.replace(/^torch\./, '');
  if (word === 'auto' || word.startsWith('float8')) {
    notes.push(`${name} is '${printable(word, 40)}'; two bytes are assumed for a parameter that is not quantized`);
    return DTYPES['bfloat16']!;
  }
  const dtype = Object.hasOwn(DTYPES, word) ? DTYPES[word] : undefined;
  return dtype ?? config.refuse(name, value, `one of ${Object.keys(DTYPES).join(', ')}`);
}

function readQuantization(method: string, fields: Fields, otherBits: 16 | 32): WeightFormat | undefined {
  const as = (name: WeightFormat['name'], bits: number, quantized: 'linear' | 'experts' = 'linear'): WeightFormat => ({
    name,
    bits,
    quantized,
    otherBits,
  });
  const group = (...names: string[]) => fields.optionalInteger(names, GROUP);
  const bitsOf = (...names: string[]) => fields.optionalInteger(names, { min: 1, max: 32 });
  switch (method) {
    case 'awq': {
      const bits = bitsOf('bits', 'w_bit') ?? 4;
      const zeros = fields.flag('zero_point', true) ? bits : 0;
      return as('awq', bits + perGroup(16 + zeros, group('group_size', 'q_group_size') ?? 128));
    }
    case 'gptq': {
      const bits = bitsOf('bits') ?? 4;
      return as('gptq', bits + perGroup(16 + bits, group('group_size') ?? 128));
    }
    case 'auto-round': {
      const bits = bitsOf('bits') ?? 4;
      return as(
        bits === 4 ? 'int4' : bits === 8 ? 'int8' : 'other',
        bits + perGroup(16 + bits, group('group_size') ?? 128),
      );
    }
    case 'fp8':
    case 'fbgemm_fp8':
    case 'ptpc_fp8':
      return as('fp8', 8 + blockScale(fields));
    case 'experts_int8':
      return as('int8', 8, 'experts');
    case 'mxfp4':
    case 'gpt_oss_mxfp4':
      return as('mxfp4', 4 + perGroup(8, 32), 'experts');
    case 'bitsandbytes': {
      if (fields.flag('load_in_4bit', fields.flag('_load_in_4bit'))) {
        // A scale for 64 weights, itself in 8 bits when quantized twice.
        return as('other', 4 + (fields.flag('bnb_4bit_use_double_quant') ? 8 / 64 + 32 / (64 * 256) : 32 / 64));
      }
      return as('other', 8);
    }
    case 'mxfp8':
    case 'modelopt_mxfp8':
      return as('other', 8 + perGroup(8, 32));
    case 'modelopt':
    case 'modelopt_fp4':
    case 'modelopt_mixed': {
      const algorithm = (
        fields.text('quant_algo') ??
        fields.inner('quantization')?.text('quant_algo') ??
        (method === 'modelopt_fp4' ? 'NVFP4' : 'FP8')
      ).toUpperCase();
      if (algorithm.includes('NVFP4')) return as('nvfp4', 4 + perGroup(8, 16));
      if (algorithm.includes('FP8')) return as('fp8', 8);
      if (algorithm.includes('W4A16') || algorithm.includes('AWQ')) return as('awq', 4 + perGroup(16, 128));
      break;
    }
    case 'compressed-tensors': {
      const scheme = compressedScheme(fields);
      if (scheme === undefined) break;
      const { bits, type, groupSize, symmetric, block } = scheme;
      if (type === 'float' && bits === 8) return as('fp8', 8 + block);
      if (type === 'float' && bits === 4) {
        return groupSize === 32 ? as('mxfp4', 4 + perGroup(8, 32)) : as('nvfp4', 4 + perGroup(8, groupSize || 16));
      }
      const scales = perGroup(16 + (symmetric ? 0 : bits), groupSize);
      return as(bits === 8 ? 'int8' : bits === 4 ? 'int4' : 'other', bits + scales);
    }
    default:
  }
  return undefined;
}

/** Bits of a method whose format is not known here. */
function guessFormat(method: string, fields: Fields, otherBits: 16 | 32, notes: string[]): WeightFormat {
  const bits = fields.optionalInteger(['bits', 'w_bit', 'nbits', 'weight_bits', 'num_bits'], { min: 1, max: 32 });
  notes.push(
    `the size of weights quantized by '${method}' is ` +
      (bits === undefined ? 'not known, 16 bits are assumed' : `estimated from ${bits} bits`) +
      '; give the size of the files',
  );
  return { name: 'other', bits: bits === undefined ? otherBits : bits + 0.5, quantized: 'linear', otherBits };
}

function methodOf(fields: Fields): string {
  const named = fields.text('quant_method');
  if (named !== undefined && named !== '') return named.toLowerCase().replaceAll('_tensors', '-tensors');
  if (fields.has('quantization') || fields.text('quant_algo') !== undefined) return 'modelopt';
  if (fields.flag('load_in_4bit') || fields.flag('load_in_8bit')) return 'bitsandbytes';
  if (fields.has('config_groups')) return 'compressed-tensors';
  return fields.refuse('quant_method', undefined, "a text such as 'awq', 'gptq', 'fp8' or 'compressed-tensors'");
}

/** Bits that a group of weights has for its scale and zero point, for each weight; none when a group is a whole row. */
function perGroup(bits: number, size: number): number {
  return size > 0 ? bits / size : 0;
}

/** Scales of square blocks. */
function blockScale(fields: Fields): number {
  const block = fields.integers('weight_block_size', { min: 1, max: 1_000_000 }, 2);
  return block?.length === 2 ? 32 / (block[0]! * block[1]!) : 0;
}

/** What compressed-tensors does to the weights of its first group. */
function compressedScheme(fields: Fields) {
  const groups = fields.raw('config_groups');
  if (!isObject(groups)) return undefined;
  const first = Object.keys(groups).find((key) => isObject(groups[key]) && isObject(groups[key]['weights']));
  const weights = first === undefined ? undefined : fields.inner('config_groups')?.inner(first)?.inner('weights');
  if (weights === undefined) return undefined;
  return {
    bits: weights.integer(['num_bits'], { min: 1, max: 16 }),
    type: weights.text('type') ?? 'int',
    groupSize: weights.optionalInteger(['group_size'], GROUP) ?? 0,
    symmetric: weights.flag('symmetric', true),
    block: weights.text('strategy') === 'block' ? 32 / (128 * 128) : 0,
  };
}

/** Bytes of the weights of a model in a format. */
export function bytesOfWeights(parameters: ParameterCounts, format: WeightFormat): number {
  let quantized = 0;
  if (format.quantized !== 'none') {
    for (const { linear, keyValue, experts } of parameters.layers) {
      quantized += experts + (format.quantized === 'linear' ? linear + keyValue : 0);
    }
  }
  return Math.ceil((quantized * format.bits + (parameters.total - quantized) * format.otherBits) / 8);
}

/** Layers that only draft tokens. */
export interface Drafts {
  readonly layers: number;
  /** Whether each has an embedding and a head of its own. */
  readonly hasEmbeddings: boolean;
}

/** Bytes of the files of a model: its weights, and layers that only draft tokens, which vLLM does not load by default. */
export function bytesOfFiles(
  parameters: ParameterCounts,
  format: WeightFormat,
  hiddenSize: number,
  drafts: Drafts,
): number {
  const weights = bytesOfWeights(parameters, format);
  if (drafts.layers === 0) return weights;
  // A draft is one layer more, and a projection of two hidden states to one.
  const last = parameters.layers.at(-1)!;
  const layer = last.linear + last.keyValue + last.experts + last.replicated;
  const total = layer + (drafts.hasEmbeddings ? 2 * parameters.embedding : 0) + 2 * hiddenSize ** 2;
  return weights + drafts.layers * bytesOfWeights({ ...parameters, total, layers: [last] }, format);
}
