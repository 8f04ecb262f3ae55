import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/model/config';
import { expectSane } from './sane';

interface Counted {
  readonly config: Readonly<Record<string, unknown>>;
  /** All parameters, as transformers counts them. */
  readonly total: number;
  readonly towers: number;
  /** Stored in the files, though transformers does not call it a parameter. */
  readonly stored?: number;
}

const fixture = JSON.parse(readFileSync(join(__dirname, '..', 'fixtures', 'model-parameters.json'), 'utf8')) as {
  readonly models: Readonly<Record<string, Counted>>;
};
const models = Object.entries(fixture.models);

describe('parameters derived from config.json', () => {
  test('are tested for many kinds of models', () => {
    expect(new Set(models.map(([, { config }]) => config['model_type'])).size).toBeGreaterThan(50);
  });

  test.each(models)(
    '%s: exactly those of the model made in transformers',
    (name, { config, total, towers, stored = 0 }) => {
      const { parameters } = readConfig(name, config);
      expect(parameters.total).toBe(total + stored);
      expect(parameters.towers).toBe(towers);
    },
  );

  test.each(models)('%s: the parts make the whole', (name, { config }) => {
    expectSane(readConfig(name, config));
  });
});

describe('parameters that a token passes through', () => {
  test.each([
    // The makers' words: 3.3 of 30.5, 22 of 235, 37 of 671, 3.6 of 20.9, 5.1 of 117 billion.
    ['qwen3-30b', 3.0e9, 3.4e9],
    ['deepseek-v3', 36e9, 38e9],
    ['gpt-oss-20b', 3.0e9, 3.7e9],
    ['mixtral', 12.5e9, 13e9],
    ['scout', 15e9, 17.5e9],
  ])('%s: some of its experts', (name, least, most) => {
    const { activeParameters } = readConfig(name, fixture.models[name]!.config);
    expect(activeParameters).toBeGreaterThan(least);
    expect(activeParameters).toBeLessThan(most);
  });

  test('a dense model: all but the embedding', () => {
    const { activeParameters, parameters } = readConfig('a/b', fixture.models['llama31-8b']!.config);
    expect(activeParameters).toBe(parameters.total - parameters.embedding);
  });

  test('a dense model whose head is the embedding: all of them', () => {
    const { activeParameters, parameters } = readConfig('a/b', fixture.models['qwen3-0.6b']!.config);
    expect(activeParameters).toBe(parameters.total);
  });
});
