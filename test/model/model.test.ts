import { Size } from 'cdk8s';
import { Model, type ModelProps } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { modelNames, shapeOf } from '../../src/model/catalogue';
import { expectError } from '../common/errors';
import { expectSane } from './sane';

const props: Required<ModelProps> = {
  architecture: 'LlamaForCausalLM',
  layers: 22,
  hiddenSize: 2048,
  attentionHeads: 32,
  keyValueHeads: 4,
  headSize: 64,
  parameters: 1_100_048_384,
  vocabularySize: 32_000,
  tiedEmbeddings: false,
  contextLength: 2048,
  slidingWindow: 512,
  slidingWindowPattern: 6,
  weightsSize: Size.gibibytes(1),
  gated: true,
  vision: true,
};

/** The same without what may be left out. */
const least: ModelProps = {
  architecture: 'LlamaForCausalLM',
  layers: 22,
  hiddenSize: 2048,
  attentionHeads: 32,
  keyValueHeads: 4,
  parameters: 1_100_048_384,
  vocabularySize: 32_000,
  contextLength: 2048,
};

/** A config.json of the same shape. */
const config = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  torch_dtype: 'bfloat16',
  num_hidden_layers: 22,
  hidden_size: 2048,
  intermediate_size: 5632,
  num_attention_heads: 32,
  num_key_value_heads: 4,
  vocab_size: 32_000,
  max_position_embeddings: 2048,
};

/** What TypeScript does not let through, and JavaScript does. */
function anyway(value: unknown): never {
  return value as never;
}

describe('what a caller in JavaScript passes', () => {
  const model = (name: unknown, given?: unknown) => () => Model.custom(anyway(name), anyway(given));
  const custom = (given: Record<string, unknown>) => model('a/b', { ...least, ...given });
  const read = (options: unknown) => () => Model.fromConfigJson('a/b', config, anyway(options));

  test.each<[string, () => unknown, string]>([
    ['no numbers', model('x'), 'numbers of x are missing; it takes an object such as { architecture:'],
    ['null', model('x', null), 'numbers of x are missing'],
    ['a text', model('x', 'llama'), 'numbers of x are of type string'],
    ['a list', model('x', []), 'numbers of x are of type array'],
    ['no name', model(undefined, least), 'model name is of type undefined; it takes a repository'],
    ['a name of null', model(null, least), 'model name is null'],
    [
      'an architecture of nothing',
      custom({ architecture: '' }),
      "architecture of a/b is ''; it takes the name of a class",
    ],
    ['of null', custom({ architecture: null }), 'architecture of a/b is null'],
    ['of control characters', custom({ architecture: 'A\u001b\n' }), "architecture of a/b is 'A\\u001b\\u000a'"],
    [
      'a switch of a text',
      custom({ tiedEmbeddings: 'no' }),
      'tiedEmbeddings of a/b is of type string; it takes true or false',
    ],
    ['gated', custom({ gated: 1 }), 'gated of a/b is of type number'],
    ['vision', custom({ vision: null }), 'vision of a/b is missing; it takes true or false'],
    [
      'a size of a text',
      custom({ weightsSize: '5Gi' }),
      'weightsSize of a/b is of type string; it takes a value such as Size.gibibytes(16)',
    ],
    ['a size of a number', custom({ weightsSize: 5 }), 'weightsSize of a/b is of type number'],
    ['a size of null', custom({ weightsSize: null }), 'weightsSize of a/b is missing'],
    [
      'a number of an object',
      custom({ layers: Object.create(null) }),
      'layers of a/b is of type object; it takes a whole',
    ],
    ['a number of a text', custom({ layers: '22' }), "layers of a/b is '22'; it takes a whole number from 1 to 1000"],
    ['too many layers', custom({ layers: 1001 }), 'layers of a/b is 1001; it takes a whole number from 1 to 1000'],
    ['options of null', read(null), 'options of a/b are missing'],
    ['options of a text', read('gated'), 'options of a/b are of type string'],
    ['gated of a text', read({ gated: 'yes' }), 'gated of a/b is of type string'],
    ['a size of the files that is none', read({ weightsSize: '5Gi' }), 'weightsSize of a/b is of type string'],
    ['no name of the catalogue', () => Model.of(anyway(undefined)), "model 'undefined' is not in the catalogue"],
    ['a name that breaks the line', () => Model.of('a\nb\u202e'), "model 'a\\u000ab\\u202e' is not in the catalogue"],
  ])('%s: an error in words', (_, cause, message) => {
    expectError(cause, message);
    expect(cause).toThrow(Error);
    expect(cause).not.toThrow(TypeError);
  });

  test.each(['', ' ', '-x', 'a b', 'a\nb', 'a\u001b[31m', 'a\u202eb', 'a\u200bb', '\u0000'])(
    'a name such as %j is none',
    (name) => {
      expectError(() => Model.fromConfigJson(name, config), 'model name is', 'control characters');
      expectError(model(name, least), 'model name is');
    },
  );

  test('a name has up to 300 characters', () => {
    expect(Model.fromConfigJson('a'.repeat(300), config).name).toHaveLength(300);
    expectError(() => Model.fromConfigJson('a'.repeat(301), config), 'model name has 301 characters', 'at most 300');
    expectError(model('a'.repeat(301), least), 'model name has 301 characters');
    let message = '';
    try {
      Model.fromConfigJson('a'.repeat(300), { ...config, hidden_size: 0 });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(`config.json of ${'a'.repeat(100)}…: hidden_size is 0`);
  });

  test('what is no JSON is one line', () => {
    let message = '';
    try {
      Model.fromConfigJson('a/b', '\u001b[31m\n{');
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(/^config\.json of a\/b is no JSON \([\x20-\x7e]+\); it takes the text of the file$/);
  });
});

describe('Model', () => {
  test.each(modelNames())('%s of the catalogue is a model', (name) => {
    const shape = shapeOf(name);
    expect(Model.of(name)).toMatchObject({
      name,
      architecture: shape.architecture,
      layers: shape.layers,
      parameters: shape.parameters.total,
      contextLength: shape.contextLength,
      gated: shape.gated,
    });
  });

  test('custom keeps every number given', () => {
    const { tiedEmbeddings, slidingWindow, slidingWindowPattern, weightsSize, ...numbers } = props;
    const model = Model.custom('acme/tiny', props);
    expect(model).toMatchObject({ name: 'acme/tiny', ...numbers });
    expect(model._shape).toMatchObject({ tiedEmbeddings, window: slidingWindow });
    expect(model._shape.layerKinds.map((kind) => kind[0]).join('')).toBe('sssssfsssssfsssssfssss');
    expect(slidingWindowPattern).toBe(6);
    expect(model.weightsSize.toKibibytes()).toBe(weightsSize.toKibibytes());
    expect(model.licencePage).toBe('https://huggingface.co/acme/tiny');
  });

  test('custom has a shape that adds up', () => {
    expectSane(Model.custom('acme/tiny', props)._shape);
    expectSane(Model.custom('acme/tiny', least)._shape);
    expectSane(Model.custom('acme/tiny', { ...least, tiedEmbeddings: true, slidingWindow: 512 })._shape);
  });

  test('custom without what may be left out', () => {
    const model = Model.custom('acme/tiny', least);
    expect(model).toMatchObject({ headSize: 64, gated: false, vision: false });
    expect(model._shape).toMatchObject({
      tiedEmbeddings: false,
      weights: { name: 'bfloat16', quantized: 'none' },
      weightsBytes: 2 * least.parameters,
    });
    expect(new Set(model._shape.layerKinds)).toEqual(new Set(['full']));
  });

  test('a window alone is one of every layer', () => {
    const { layerKinds } = Model.custom('acme/tiny', { ...least, slidingWindow: 512 })._shape;
    expect(new Set(layerKinds)).toEqual(new Set(['sliding']));
  });

  test('a size given spreads over the layers', () => {
    const { weights, parameters, weightsBytes } = Model.custom('acme/tiny', props)._shape;
    const inLayers = parameters.layers.reduce((sum, { linear, keyValue }) => sum + linear + keyValue, 0);
    expect((inLayers * weights.bits) / 8 + 2 * (parameters.total - inLayers)).toBeCloseTo(weightsBytes, 0);
  });

  test('fromConfigJson takes the object and the text of a file', () => {
    const model = Model.fromConfigJson('acme/tiny', config);
    expect(model).toMatchObject({
      architecture: 'LlamaForCausalLM',
      layers: 22,
      headSize: 64,
      vocabularySize: 32_000,
      parameters: 1_100_048_384,
      gated: false,
    });
    expect(Model.fromConfigJson('acme/tiny', JSON.stringify(config))._shape).toEqual(model._shape);
  });

  test('fromConfigJson takes what the file does not say', () => {
    const model = Model.fromConfigJson('acme/tiny', config, { gated: true, weightsSize: Size.mebibytes(2098) });
    expect(model).toMatchObject({ gated: true, weightsSize: Size.kibibytes(2098 * 1024) });
    expect(model._shape.provenance).toEqual({ verified: true, notes: [] });
  });

  test('fromConfigJson of what is no file of a model', () => {
    expectError(
      () => Model.fromConfigJson('a/b', '{"a":'),
      'config.json of a/b is no JSON',
      'it takes the text of the file',
    );
    expectError(
      () => Model.fromConfigJson('a/b', '5'),
      'config.json of a/b is 5; it takes the object that the file holds',
    );
    expectError(() => Model.fromConfigJson('a b', config), "model name is 'a b'");
  });

  test('a model is open and reads no images unless it is said', () => {
    const open = { ...least, gated: undefined, vision: undefined };
    expect(Model.custom('/models/tiny', open)).toMatchObject({ gated: false, vision: false });
  });

  test('weights take two bytes a parameter unless it is said', () => {
    expect(Model.of('Qwen/Qwen3-8B').weightsSize.toMebibytes({ rounding: 1 })).toBe(15_622);
    expectError(() => Model.custom('a/b', { ...props, weightsSize: Size.kibibytes(0) }), 'weightsSize of a/b is 0');
  });

  test('a model without its organisation finds the right one', () => {
    expectError(() => Model.of('gemma-3-1b-it'), "did you mean 'google/gemma-3-1b-it'?");
  });

  test('a typo names the nearest model, the known ones and the way out', () => {
    expectError(
      () => Model.of('google/gema-3-1b-it'),
      "model 'google/gema-3-1b-it' is not in the catalogue",
      "did you mean 'google/gemma-3-1b-it'?",
      'docs/models.md',
      'Model.fromConfigJson',
    );
  });

  test.each(['toString', 'constructor', '__proto__'])('%s is no model', (name) => {
    expectError(() => Model.of(name), `model '${name}' is not in the catalogue`);
  });

  test.each(['', 'a b', '--help', ' a'])("name '%s' would not be one positional argument", (name) => {
    expectError(() => Model.custom(name, props), `model name is '${name}'`, 'organisation/model');
  });

  test.each([
    ['layers', 0, 'layers of acme/tiny is 0;'],
    ['hiddenSize', 0.5, 'hidden size of acme/tiny is 0.5;'],
    ['attentionHeads', -1, 'attention heads of acme/tiny is -1;'],
    ['keyValueHeads', 33, 'key and value heads of acme/tiny is 33; it takes a whole number from 1 to 32'],
    ['parameters', 0, 'parameters of acme/tiny is 0;'],
    ['contextLength', 0, 'context length of acme/tiny is 0;'],
    ['vocabularySize', 0, 'vocabulary size of acme/tiny is 0;'],
    ['headSize', 0, 'head size of acme/tiny is 0;'],
    ['slidingWindow', 0, 'sliding window of acme/tiny is 0;'],
    ['slidingWindowPattern', 0, 'sliding window pattern of acme/tiny is 0;'],
  ])('%s of %d is refused', (key, value, message) => {
    expectError(() => Model.custom('acme/tiny', { ...props, [key]: value }), message, 'it takes a whole number');
  });

  test('numbers that do not fit together are refused', () => {
    const custom = (change: Partial<ModelProps>) => () => Model.custom('acme/tiny', { ...least, ...change });
    expectError(
      custom({ keyValueHeads: 5 }),
      'key and value heads of acme/tiny are 5',
      'divides its 32 attention heads',
    );
    expectError(custom({ hiddenSize: 2050 }), 'hidden size of acme/tiny is 2050', 'give headSize (head_dim)');
    expectError(custom({ slidingWindowPattern: 6 }), 'given without slidingWindow');
    expectError(custom({ parameters: 1e6 }), 'parameters of acme/tiny are 1000000', 'leaves none for layers');
  });
});
