import { Size } from 'cdk8s';
import { Model, type ModelProps } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/model/catalogue';
import { expectError } from '../common/errors';

const props: Required<ModelProps> = {
  architecture: 'LlamaForCausalLM',
  layers: 22,
  hiddenSize: 2048,
  attentionHeads: 32,
  keyValueHeads: 4,
  parameters: 1_100_048_384,
  contextLength: 2048,
  weightsSize: Size.gibibytes(1),
  gated: true,
  vision: true,
};

describe('Model', () => {
  test.each(Object.entries(CATALOGUE))('%s of the catalogue is a model', (name, entry) => {
    expect(Model.of(name)).toMatchObject({ name, ...entry });
  });

  test('custom keeps every number given', () => {
    expect(Model.custom('acme/tiny', props)).toMatchObject({ name: 'acme/tiny', ...props });
    expect(Model.custom('acme/tiny', props).licencePage).toBe('https://huggingface.co/acme/tiny');
  });

  test('a model is open and reads no images unless it is said', () => {
    const open = { ...props, gated: undefined, vision: undefined };
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
      'Qwen/Qwen3-0.6B',
      'Model.custom',
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
  ])('%s of %d is refused', (key, value, message) => {
    expectError(() => Model.custom('acme/tiny', { ...props, [key]: value }), message, 'it takes a whole number');
  });
});
