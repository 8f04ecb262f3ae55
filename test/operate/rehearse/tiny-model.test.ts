import { describe, expect, test } from 'vitest';
import { modelNames } from '../../../src/model/catalogue';
import { CannotRehearse } from '../../../src/operate/rehearse/cannot';
import { tokenizerFiles, VOCABULARY_SIZE } from '../../../src/operate/rehearse/model/tokenizer';
import { tiny } from './reference';

describe('a tiny model', () => {
  test('keeps what cuts and cache depend on', () => {
    const { real, shape, leftOut } = tiny();
    const kept = ({
      layers,
      layerKinds,
      attentionHeads,
      keyValue,
      window,
      tiedEmbeddings,
      architecture,
    }: typeof real) => ({
      layers,
      layerKinds,
      attentionHeads,
      keyValue,
      window,
      tiedEmbeddings,
      architecture,
    });
    expect(kept(shape)).toEqual(kept(real));
    expect(shape.parameters.total).toBeLessThan(50e6);
    expect(leftOut).toEqual([]);
  });

  test('takes no more tokens than the model: what is too long stays refused', () => {
    expect(tiny('google/gemma-3-1b-it', 4096).shape.contextLength).toBe(4096);
    expect(tiny('google/gemma-3-1b-it', 40_000).shape.contextLength).toBe(32_768);
  });

  test('of a model that reads images is its text model', () => {
    const { shape, leftOut } = tiny('google/gemma-3-27b-it');
    expect(shape.architecture).toBe('Gemma3ForCausalLM');
    expect(shape.layers).toBe(62);
    expect(leftOut).toEqual(['its towers for images and sound']);
  });

  test('can be made of every model of the catalogue, or it is said why not', () => {
    const made = modelNames().filter((name) => {
      try {
        const { real, shape } = tiny(name);
        expect(shape.layers).toBe(real.layers);
        expect(shape.noPipeline).toEqual(real.noPipeline);
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(CannotRehearse);
        return false;
      }
    });
    expect(made.length).toBeGreaterThan(0.8 * modelNames().length);
  });

  test('has a token for each byte', () => {
    const { model } = JSON.parse(tokenizerFiles()['tokenizer.json']!) as { model: { vocab: Record<string, number> } };
    expect(Object.keys(model.vocab)).toHaveLength(VOCABULARY_SIZE);
    expect(Math.max(...Object.values(model.vocab))).toBe(VOCABULARY_SIZE - 1);
    // As GPT-2 writes a blank.
    expect(model.vocab['Ġ']).toBe(6 + 32);
  });
});
