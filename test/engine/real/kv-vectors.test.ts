import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOKEN_IDS, tokenizerFiles, VOCABULARY_SIZE } from '../../../src/operate/rehearse/model/tokenizer';
import { packagesOf } from './packages';
import { NEWEST, pythonOf } from './rehearsal';

type Row = Readonly<Record<string, string>>;

interface Answer {
  readonly name: string;
  readonly tokens?: number;
  readonly blocks?: number;
  readonly concurrency?: number;
  readonly error?: string;
}

/** Kinds of models that a row says enough of; the others of kv-vectors-more.tsv need more of a config.json than it holds. */
const CLASSES: Readonly<Record<string, string>> = {
  gemma3: 'Gemma3ForCausalLM',
  llama: 'LlamaForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  qwen3: 'Qwen3ForCausalLM',
};

function rowsOf(file: string): Row[] {
  const lines = readFileSync(`test/fixtures/${file}`, 'utf8').trimEnd().split('\n');
  const [header, ...rest] = lines.filter((line) => !line.startsWith('#'));
  const names = header!.split('\t');
  return rest.map((line) => Object.fromEntries(line.split('\t').map((cell, i) => [names[i]!, cell])));
}

const ROWS = ['kv-vectors.tsv', 'kv-vectors-more.tsv'].flatMap(rowsOf).filter(
  // Layers of several kinds in runs are those of the classes that are left out.
  ({ arch, pattern }) => Object.hasOwn(CLASSES, arch!) && (pattern === '-' || Number(pattern) > 0),
);

function configOf(row: Row): unknown {
  const number = (column: string): number => Number(row[column]);
  const [arch, layers, heads, headSize] = [row.arch!, number('layers'), number('kv_heads'), number('head_dim')];
  const every = row.pattern === '-' ? 1 : number('pattern');
  const queries = Math.max(4, heads);
  return {
    architectures: [CLASSES[arch]],
    model_type: arch === 'gemma3' ? 'gemma3_text' : arch,
    dtype: row.dtype,
    torch_dtype: row.dtype,
    vocab_size: VOCABULARY_SIZE,
    // Qwen 2 takes the size of a head from it.
    hidden_size: arch === 'qwen2' ? queries * headSize : 256,
    intermediate_size: 512,
    num_hidden_layers: layers,
    num_attention_heads: queries,
    num_key_value_heads: heads,
    head_dim: headSize,
    max_position_embeddings: 32_768,
    rms_norm_eps: 1e-6,
    tie_word_embeddings: arch !== 'llama',
    bos_token_id: TOKEN_IDS.bos,
    eos_token_id: TOKEN_IDS.eos,
    pad_token_id: TOKEN_IDS.pad,
    ...(arch === 'gemma3' && {
      sliding_window: number('window'),
      query_pre_attn_scalar: headSize,
      layer_types: Array.from({ length: layers }, (_, i) =>
        (i + 1) % every === 0 ? 'full_attention' : 'sliding_attention',
      ),
    }),
  };
}

function flagsOf(row: Row): string[] {
  const ranks = Number(row.pp) * Number(row.tp);
  const batched = Number(row.max_num_batched_tokens);
  return [
    ...['--dtype', row.dtype!, '--max-model-len', row.max_model_len!, '--block-size', row.block!],
    ...['-pp', row.pp!, '-tp', row.tp!, '--kv-cache-dtype', row.kv_dtype!],
    ...['--kv-cache-memory-bytes', row.kv_bytes_per_rank!],
    // What vLLM takes by itself is left to it.
    ...(batched > 0 && batched !== 2048 * ranks ? ['--max-num-batched-tokens', String(batched)] : []),
    ...(row.hybrid === 'off' ? ['--disable-hybrid-kv-cache-manager'] : []),
  ];
}

let folder: string;
let answers: ReadonlyMap<string, Answer>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kv-'));
  const cases = ROWS.map((row) => {
    const own = join(folder, row.name!);
    mkdirSync(own);
    const files = { 'config.json': JSON.stringify(configOf(row)), ...tokenizerFiles() };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(own, name), text);
    }
    const partition = row.partition === '-' ? {} : { VLLM_PP_LAYER_PARTITION: row.partition };
    return JSON.stringify({ name: row.name, folder: own, flags: flagsOf(row), env: partition });
  });
  const { stdout, status, stderr } = spawnSync(pythonOf(), ['test/engine/real/kv-vectors.py'], {
    input: `${cases.join('\n')}\n`,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PYTHONPATH: packagesOf(NEWEST, folder),
      HF_HUB_OFFLINE: '1',
      VLLM_NO_USAGE_STATS: '1',
      VLLM_CPU_OMP_THREADS_BIND: 'nobind',
      OMP_NUM_THREADS: '1',
    },
  });
  if (status !== 0) {
    throw new Error(stderr.slice(-3000));
  }
  answers = new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer)
      .map((answer) => [answer.name, answer]),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe(`the engine of ${NEWEST} gives what the planner is held to`, () => {
  test.each(ROWS.map((row) => [row.name!, row] as const))('%s', (name, row) => {
    const answer = answers.get(name)!;
    if (row.logged_tokens === '') {
      expect(answer.error).toMatch(/To serve at least one request|No common block size|background process/);
    } else {
      expect({ error: answer.error, tokens: answer.tokens, blocks: answer.blocks }).toEqual({
        error: undefined,
        tokens: Number(row.logged_tokens),
        blocks: Number(row.num_blocks),
      });
      expect(answer.concurrency).toBe(Number(row.logged_concurrency));
    }
  });
});
