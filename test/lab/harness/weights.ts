import type { ModelShape } from '../../../src/model/shape';

interface Sizes {
  readonly vocabulary: number;
  readonly hidden: number;
  readonly intermediate: number;
}

/**
 * Random weights of a Gemma 3 as a safetensors file, the same ones each time. The names are those that a checkpoint on Hugging Face
 * has.
 */
export function randomGemma3({ layers, attentionHeads, keyValue }: ModelShape, sizes: Sizes): Buffer {
  const { vocabulary, hidden, intermediate } = sizes;
  const [queries, keys] = [attentionHeads * keyValue.headSize, keyValue.heads * keyValue.headSize];
  const layer: Readonly<Record<string, readonly number[]>> = {
    'input_layernorm.weight': [hidden],
    'post_attention_layernorm.weight': [hidden],
    'pre_feedforward_layernorm.weight': [hidden],
    'post_feedforward_layernorm.weight': [hidden],
    'self_attn.q_norm.weight': [keyValue.headSize],
    'self_attn.k_norm.weight': [keyValue.headSize],
    'self_attn.q_proj.weight': [queries, hidden],
    'self_attn.k_proj.weight': [keys, hidden],
    'self_attn.v_proj.weight': [keys, hidden],
    'self_attn.o_proj.weight': [hidden, queries],
    'mlp.gate_proj.weight': [intermediate, hidden],
    'mlp.up_proj.weight': [intermediate, hidden],
    'mlp.down_proj.weight': [hidden, intermediate],
  };
  return safetensors({
    'model.embed_tokens.weight': [vocabulary, hidden],
    ...Object.fromEntries(
      Array.from({ length: layers }, (_, i) =>
        Object.entries(layer).map(([name, shape]) => [`model.layers.${i}.${name}`, shape] as const),
      ).flat(),
    ),
    'model.norm.weight': [hidden],
  });
}

/** Length of the header, the header, and the numbers of all tensors one after the other. */
function safetensors(tensors: Readonly<Record<string, readonly number[]>>): Buffer {
  let end = 0;
  const header: Record<string, unknown> = {};
  for (const [name, shape] of Object.entries(tensors)) {
    const start = end;
    end += 2 * shape.reduce((product, size) => product * size, 1);
    header[name] = { dtype: 'BF16', shape, data_offsets: [start, end] };
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, randomNumbers(end / 2)]);
}

/** Numbers of both signs from 1/32 to 1/16 in bfloat16: the exponent is fixed, sign and fraction are drawn. */
function randomNumbers(count: number): Buffer {
  const numbers = new Uint16Array(count);
  let state = 1;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    numbers[i] = ((state >>> 16) & 0x80_7f) | 0x3d_00;
  }
  return Buffer.from(numbers.buffer);
}
