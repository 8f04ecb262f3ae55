import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REFERENCE } from './plan-runner';

const root = join(__dirname, '../..');
let folder: string;
let program: string;
let inputs: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plan-program-'));
  program = join(folder, 'cli.cjs');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/bin.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    metafile: true,
    logLevel: 'silent',
  });
  inputs = Object.keys(metafile.inputs);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(command: string, input?: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [program, ...command.split(' ')], { cwd: folder, encoding: 'utf8', input });
}

describe('the program as one file', () => {
  test('is made of sources of this project alone, and of none that load cdk8s', () => {
    expect(inputs.filter((path) => !/^(src\/|package\.json$)/.test(path))).toEqual([]);
    expect(inputs.filter((path) => path.startsWith('src/constructs/'))).toEqual([]);
    const loaded = [...readFileSync(program, 'utf8').matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
    expect(loaded.filter((name) => !name!.startsWith('node:'))).toEqual([]);
  });

  test('ends with the code of its answer', () => {
    expect(run(`plan ${REFERENCE}`)).toMatchObject({ status: 0, stderr: '' });
    expect(run('plan google/gemma-3-27b-it --node m7g.large')).toMatchObject({ status: 1, stderr: '' });
    const wrong = run('plan google/gemma-3-27b-it');
    expect(wrong).toMatchObject({ status: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/^cdk8s-vllm: --node is missing.*\n$/);
  });

  test('reads a config.json from the standard input', () => {
    const config = {
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      num_hidden_layers: 8,
      hidden_size: 256,
      intermediate_size: 512,
      num_attention_heads: 4,
      num_key_value_heads: 2,
      vocab_size: 300,
      max_position_embeddings: 8192,
    };
    const { status, stdout } = run('plan --config - --node m7g.2xlarge -o json', JSON.stringify(config));
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ model: { name: 'model', layers: 8 } });
    expect(run('plan --config - --node m7g.2xlarge', '')).toMatchObject({ status: 2, stdout: '' });
    // A suggestion is planned again without reading the pipe again.
    const { stdout: table } = run('plan --config - --node m7g.2xlarge --block-size 48', JSON.stringify(config));
    expect(table).toContain('cdk8s-vllm plan --config - --node m7g.2xlarge');
  });

  test('prints everything into a pipe, and ends quietly when nobody reads on', async () => {
    const command = `plan meta-llama/Llama-3.1-405B-Instruct --node m7g.2xlarge -pp 126 -o json`;
    const { stdout } = run(command);
    expect(stdout.length).toBeGreaterThan(64 * 1024);
    expect(JSON.parse(stdout)).toMatchObject({ ranks: { length: 126 } });
    const child = spawn(process.execPath, [program, ...command.split(' ')], { stdio: ['ignore', 'pipe', 'pipe'] });
    let error = '';
    child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(error).toBe('');
    expect([0, 1]).toContain(code);
  });

  test('colours nothing that is no terminal', () => {
    expect(run(`plan ${REFERENCE}`).stdout).not.toContain('\u001b');
  });

  test.runIf(process.platform === 'linux')('a large file is refused before it is read to its end', () => {
    const path = join(folder, 'large.json');
    writeFileSync(path, Buffer.alloc(100 * 1024 * 1024, ' '));
    expect(statSync(path).size).toBe(100 * 1024 * 1024);
    expect(run('plan --config large.json --node m7g.2xlarge').stderr).toContain('has more than 16 MiB');
    expect(run('plan --config /dev/zero --node m7g.2xlarge').stderr).toContain('has more than 16 MiB');
  });
});
