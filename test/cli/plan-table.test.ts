import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { main } from '../../src/cli/main';
import { instanceTypes } from '../../src/hardware/nodes';
import { modelNames } from '../../src/model/catalogue';
import { plan, REFERENCE } from './plan-runner';

const CONTINUED = / \\$/;

/** The commands that a table says fit, as they would be pasted. */
function commandsIn(out: string): string[] {
  const start = out.indexOf('Nearest that fit');
  const lines = start < 0 ? [] : out.slice(start).split('\n\n')[0]!.split('\n');
  const commands: string[] = [];
  let open = false;
  for (const line of lines) {
    const text = line.replace(CONTINUED, '').trim();
    if (open) {
      commands[commands.length - 1] += ` ${text}`;
    } else if (text.startsWith('cdk8s-vllm plan ')) {
      commands.push(text.slice('cdk8s-vllm plan '.length));
    }
    open = CONTINUED.test(line);
  }
  return commands;
}

describe('the table', () => {
  test.each([
    ['the reference', REFERENCE],
    ['one node', 'meta-llama/Llama-3.1-8B-Instruct --node m7g.2xlarge'],
    ['too large', 'google/gemma-3-27b-it --node m7g.2xlarge --nodes 2'],
    ['one byte too few', `${REFERENCE} --kv-cache-memory-bytes 60555263`],
    ['GPUs', 'meta-llama/Llama-3.1-405B-Instruct --node p5.48xlarge --nodes 2'],
    ['a release that nobody measured', `${REFERENCE} --vllm 0.28.0`],
  ])('of %s', async (_name, command) => {
    expect((await plan(command)).out).toMatchSnapshot();
  });

  test('says the verdict, the memory, the cache and the speed on the first screen', async () => {
    const screen = (await plan(REFERENCE)).out.split('\n').slice(0, 40).join('\n');
    for (const words of [/^fits: /, /Memory of a rank/, /KV cache of a rank/, /Speed for one user/, /Worth knowing/]) {
      expect(screen).toMatch(words);
    }
  });

  test('groups ranks that are filled alike', async () => {
    const { out } = await plan('meta-llama/Llama-3.1-405B-Instruct --node p5.48xlarge --nodes 2');
    expect(out).toContain('ranks 0-7 ');
    expect(out).toContain('ranks 8-15 ');
  });

  test('says nothing of ranks that cannot be', async () => {
    const { out } = await plan('google/gemma-3-1b-it --node m7g.2xlarge -pp 27 --explain');
    expect(out).toContain('(fit/layers-not-divisible)');
    expect(out).not.toMatch(/^(Memory|Speed|Batched|Settings|How)/m);
  });

  test('marks what was given', async () => {
    const { out } = await plan(`${REFERENCE} --max-num-batched-tokens 512 --cpu 5`);
    expect(out).toMatch(/^\* +512 .* given$/m);
    expect(out).toMatch(/CPU of a pod +5 +given/);
    expect((await plan('Qwen/Qwen3-8B --node m7g.2xlarge')).out).toMatch(/^\* +2,048 .* default$/m);
  });

  test('has colours on a terminal alone', async () => {
    let [plain, coloured] = ['', ''];
    const args = ['plan', ...REFERENCE.split(' ')];
    await main(args, { out: (text) => void (plain += text), error: () => undefined, colour: false });
    await main(args, { out: (text) => void (coloured += text), error: () => undefined, colour: true });
    expect(plain).not.toContain('\u001b');
    expect(coloured).toContain('\u001b[1;32mfits');
    // eslint-disable-next-line no-control-regex
    expect(coloured.replace(/\u001b\[[\d;]*m/g, '')).toBe(plain);
  });

  test('stays within 80 columns, and what it says fits does fit', async () => {
    const size = fc.constantFrom('', '100M', '1G', '4G', '60G');
    const command = fc
      .record({
        model: fc.constantFrom(...modelNames()),
        node: fc.constantFrom(...instanceTypes()),
        split: fc.constantFrom('', '--nodes 2', '--nodes 5', '-pp 3', '-tp 2', '-tp 8', '-pp 2 -tp 4', '-pp 24'),
        length: fc.constantFrom('', '--max-model-len 512', '--max-model-len 40000', '--max-model-len 131072'),
        batched: fc.constantFrom('', '--max-num-batched-tokens 128', '--max-num-batched-tokens 8192'),
        cache: size.map((bytes) => (bytes === '' ? '' : `--kv-cache-memory-bytes ${bytes}`)),
        pod: fc.constantFrom('', '--memory 8Gi', '--cpu 3', '--threads 40', '--replicas 2', '--block-size 16'),
        more: fc.constantFrom('', '--explain', '--dtype float32', '--disable-hybrid-kv-cache-manager'),
      })
      .filter(({ split, pod }) => !(split === '--nodes 5' && pod === '--replicas 2'))
      .map(({ model, node, ...flags }) => `${model} --node ${node} ${Object.values(flags).join(' ')}`);
    await fc.assert(
      fc.asyncProperty(command, async (words) => {
        const { code, out, error } = await plan(words);
        expect(error).toBe('');
        expect([0, 1]).toContain(code);
        expect(out).toMatch(code === 0 ? /^fits: / : /^does not fit: /);
        for (const line of out.split('\n')) {
          // A word of a command is not cut: it has to survive being pasted.
          expect(line.length <= 80 || /^ +\S+( \\)?$/.test(line), line).toBe(true);
        }
        for (const suggested of commandsIn(out)) {
          expect((await plan(suggested)).code, suggested).toBe(0);
        }
      }),
      { numRuns: 100 },
    );
  }, 600_000);

  test('each change that it suggests comes with a command', async () => {
    for (const flags of [
      '--block-size 48',
      '--dtype float16',
      '--kv-cache-dtype fp8',
      '-pp 2 --layer-partition 26,1',
      '--kv-cache-memory-bytes 30G',
      '--threads 30',
      '--cpu 30',
      '--memory 100Gi',
      '--max-model-len 32768 --kv-cache-memory-bytes 100M --max-num-batched-tokens 8192',
      '-tp 8 --nodes 8',
      '--nodes 2 --replicas 2 -pp 2',
    ]) {
      const { out, code } = await plan(`google/gemma-3-1b-it --node m7g.2xlarge ${flags}`);
      expect(code, flags).toBe(1);
      const changes =
        out
          .slice(out.indexOf('Nearest that fit'))
          .split('\n\n')[0]!
          .match(/^ {2}- /gm) ?? [];
      expect(commandsIn(out), flags).toHaveLength(changes.length);
    }
  });

  test('a command is quoted for a shell', async () => {
    const { out } = await plan('google/gemma-3-1b-it --node m7g.2xlarge --memory 100Gi --nodes 1');
    expect(commandsIn(out)[0]).toBe('google/gemma-3-1b-it --node m7g.2xlarge -pp 1');
  });
});
