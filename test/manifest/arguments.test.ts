import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type EngineCommand, jsonOf, numberOf, readGroups } from '../../src/manifest';
import { deployment, engineOf } from './read';

interface Vector {
  readonly words: readonly string[];
  readonly result: Readonly<Record<string, unknown>> & { readonly error?: string };
}

const vectors = JSON.parse(readFileSync('test/fixtures/vllm-arguments.json', 'utf8')) as Vector[];
const read = (...args: string[]) => engineOf({ command: ['vllm', 'serve'], args });

/** Whether a flag was read as vLLM read it. */
function expectSame(command: EngineCommand, name: string, value: unknown): void {
  const use = command.flag(name);
  if (Array.isArray(value)) {
    expect(use?.words.map(({ text }) => text.value)).toEqual(value.map(String));
  } else if (typeof value === 'number') {
    expect(command.number(name)).toBe(value);
  } else if (typeof value === 'object') {
    expect(jsonOf(command.flags, name)?.value).toEqual(value);
  } else {
    // A flag whose value may be left out is `true` to vLLM then.
    expect(use?.words.length === 0 && use.value === '' ? true : use?.value).toBe(
      use?.words.length === 0 && use.value === '' ? value : String(value as string | boolean),
    );
  }
}

const named = vectors.map(({ words, result }) => [words.join(' '), words, result] as const);

describe('a command line is what vLLM 0.32.0 made of it', () => {
  test.each(named.filter(([, , { error }]) => error === undefined))(
    '%s',
    (_, words, { model_tag: model, compilation_config: compilation, ...result }) => {
      const { command, settings } = read(...words);
      expect(settings?.model.value).toBe(model);
      expect([command.strays, command.unknownFlags, command.hidden]).toEqual([[], [], []]);
      for (const [key, value] of Object.entries(result)) {
        expectSame(command, `--${key.replaceAll('_', '-')}`, value);
      }
      // What vLLM did not change from its default is not set, or set to just that.
      const defaults = ['--model', '--enforce-eager', '--optimization-level'];
      const more = command.flags
        .map(({ name }) => name.split('.', 1)[0]!)
        .filter((name) => name !== '--compilation-config' && !defaults.includes(name));
      expect(more.map((name) => name.slice(2).replaceAll('-', '_')).filter((key) => !(key in result))).toEqual([]);
      if (compilation !== undefined) {
        const { mode, backend } = compilation as { mode: number | null; backend: string };
        expect(settings?.compilationMode.value ?? null).toBe(mode);
        expect(command.flag('-cc.backend')?.value ?? 'inductor').toBe(backend);
      }
    },
  );

  test.each(named.filter(([, , { error }]) => error !== undefined))('%s is refused', (_, words, { error = '' }) => {
    const { command } = read(...words);
    const [flag] = /--[a-z-]+/.exec(error) ?? [];
    if (error.startsWith('ambiguous')) {
      expect(command.unknownFlags.map(({ match }) => match.kind)).toEqual(['ambiguous']);
    } else if (error.includes('expected one argument')) {
      expect(command.flag(flag!)?.problem).toBe('no value');
    } else if (error.includes('ignored explicit')) {
      expect(command.flag(flag!)?.problem).toBe('takes no value');
    } else if (error.startsWith('argument')) {
      expect([command.isSet(flag!), command.number(flag!)]).toEqual([true, undefined]);
    } else {
      const refused = error.replace('unrecognized arguments: ', '');
      const strays = command.strays.map(({ text }) => text.value);
      const unknown = command.unknownFlags.map(({ spelling, value }) => [spelling, value]);
      // A positional model beside --model is the one that is refused.
      const model = command.flag('--model') && command.model?.text.value;
      expect([...strays, ...unknown.map((each) => each.join(' ').trim()), model]).toContain(refused.replace('=', ' '));
    }
  });
});

describe('a flag', () => {
  test('says where it stands and how it is spelled', () => {
    const { command } = read('M', '-tp', '4', '--max_model_len=16K', '-n2');
    const path = 'spec.template.spec.containers[0].args';
    expect(command.flag('--tensor-parallel-size')).toMatchObject({
      spelling: '-tp',
      path: `${path}[1]`,
      index: 1,
      value: '4',
    });
    expect(command.flag('--max-model-len')).toMatchObject({ spelling: '--max_model_len', path: `${path}[3]` });
    expect(command.flag('--nnodes')).toMatchObject({ spelling: '-n', path: `${path}[4]`, value: '2' });
    expect([command.path, command.model?.path]).toEqual([path, `${path}[0]`]);
  });

  test('counts as given last', () => {
    const { command } = read('M', '--port=1', '--port=2');
    expect(command.number('--port')).toBe(2);
    expect(command.flags).toHaveLength(2);
  });

  test('is on, off or neither', () => {
    const { command } = read('M', '--no-async-scheduling', '--headless');
    expect([command.isOn('--async-scheduling'), command.isSet('--async-scheduling')]).toEqual([false, true]);
    expect([command.isOn('--headless'), command.isOn('--enforce-eager'), command.isSet('--port')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('of JSON is read by its keys, however it is written', () => {
    for (const args of [
      ['-cc.mode=0'],
      ['--compilation-config', '{"mode": 0}'],
      ['-cc={"mode":0}'],
      ['-cc.mode', '0'],
    ]) {
      const { command, settings } = read('M', ...args);
      expect(command.flag('--compilation-config.mode')?.value).toBe('0');
      expect(settings?.compilationMode).toMatchObject({ value: 0, isGiven: true });
    }
    expect(read('M', '-cc.pass_config.x=true').command.flag('-cc.pass_config.x')?.value).toBe('true');
    expect(read('M', '-cc={"mode":').command.flag('-cc.mode')).toBeUndefined();
    expect(read('M', '-cc.__proto__.mode=0').command.flag('-cc.mode')).toBeUndefined();
  });

  test.each([['--enforce-eager'], ['-O0'], ['-cc.mode=none'], ['-O.mode=0']])(
    '%s turns compilation off, or is not read',
    (arg) => {
      expect([0, undefined]).toContain(read('M', arg).settings?.compilationMode.value);
    },
  );

  test('that is not there leaves its default', () => {
    const { settings } = read('M');
    expect(settings?.masterPort).toEqual({
      value: 29501,
      isGiven: false,
      path: 'spec.template.spec.containers[0].args',
    });
    expect([settings?.port.value, settings?.nnodes.value, settings?.dtype.value, settings?.quantization.value]).toEqual(
      [8000, 1, 'auto', undefined],
    );
  });

  test('that no release has is listed', () => {
    const { command } = read('M', '--no-such-flag', '--port=1');
    expect(command.unknownFlags).toMatchObject([
      { spelling: '--no-such-flag', isCertain: true, match: { kind: 'unknown' } },
    ]);
    expect(command.isComplete).toBe(true);
  });

  test('of a release that nobody read is not certain', () => {
    const [old, unknown] = ['vllm/vllm-openai:v0.10.2', 'vllm/vllm-openai:latest'].map(
      (image) => engineOf({ image, args: ['M', '--swap-space', '4'] }).command,
    );
    expect(old?.unknownFlags).toMatchObject([{ spelling: '--swap-space', value: '4', isCertain: false }]);
    expect(unknown?.unknownFlags).toMatchObject([{ isCertain: false }]);
    // What follows may be its value or the model.
    expect(old?.isComplete).toBe(false);
  });

  test('hidden in a file or behind an unknown word is not said to be absent', () => {
    const { command, settings } = read('M', '--config', 'c.yaml');
    expect([command.isComplete, command.isSet('--headless'), settings?.headless.value]).toEqual([
      false,
      undefined,
      undefined,
    ]);
    expect(settings?.port).toMatchObject({ isGiven: false, why: 'the file is in the container' });
    const shell = engineOf({ command: ['sh', '-c', 'vllm serve M --port 8000 $EXTRA'] });
    expect([shell.command.number('--port'), shell.command.isOn('--headless')]).toEqual([8000, undefined]);
    const { unread } = readGroups([deployment({ command: ['sh', '-c', 'vllm serve M $EXTRA'] })]);
    expect(unread).toMatchObject([
      { path: 'spec.template.spec.containers[0].command[2]', why: 'nothing in the manifest sets EXTRA' },
    ]);
  });
});

describe('a number', () => {
  test.each([
    ['16K', '--max-model-len', 16_384],
    ['1.5k', '--max-model-len', 1500],
    ['1.5K', '--max-model-len', undefined],
    ['AUTO', '--max-model-len', -1],
    ['16K', '--port', undefined],
    ['0.9', '--gpu-memory-utilization', 0.9],
    ['', '--port', undefined],
    ['1'.repeat(400), '--port', Infinity],
  ])('%s of %s', (text, flag, value) => {
    expect(numberOf(text, flag)).toBe(value);
  });
});

test('settings read flags and variables', () => {
  const { settings } = engineOf({
    image: 'vllm/vllm-openai-cpu:v0.31.0',
    args: [
      'google/gemma-3-1b-it',
      '-pp',
      '2',
      '-tp=2',
      '-dp',
      '2',
      '-dpl',
      '1',
      '--dtype=bfloat16',
      '-q',
      'awq',
      '--served-model-name',
      'a',
      'b',
    ],
    env: [
      { name: 'VLLM_CPU_KVCACHE_SPACE', value: '4' },
      { name: 'VLLM_API_KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    ],
  });
  expect(settings).toMatchObject({
    model: { value: 'google/gemma-3-1b-it', isGiven: true },
    worldSize: 8,
    dataParallelSizeLocal: { value: 1 },
    dtype: { value: 'bfloat16' },
    quantization: { value: 'awq' },
    servedModelNames: { value: ['a', 'b'] },
    kvCacheSpaceGiB: { value: 4, path: 'spec.template.spec.containers[0].env[0]' },
    kvCacheBytes: { isGiven: false },
    apiKey: { value: true, path: 'spec.template.spec.containers[0].env[1]' },
    huggingFaceToken: { value: false },
  });
  const kv = (value: string) =>
    engineOf({ args: ['M'], env: [{ name: 'VLLM_CPU_KVCACHE_SPACE', value }] }).settings?.kvCacheSpaceGiB;
  expect(kv('4Gi')).toMatchObject({ isGiven: true, why: 'it is not what the engine takes' });
  expect(kv('0.5')?.value).toBeUndefined();
});
