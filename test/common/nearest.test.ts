import { describe, expect, test } from 'vitest';
import { didYouMean, nearest, nearestOfFirst } from '../../src/common/nearest';

describe('nearest', () => {
  const known = ['m7g.large', 'm7g.2xlarge', 'm7i.2xlarge', 'c7g.2xlarge'];

  test.each([
    ['m7g.2xlrage', 'm7g.2xlarge'],
    ['M7G.2XLARGE', 'm7g.2xlarge'],
    ['m7g2xlarge', 'm7g.2xlarge'],
    ['m7g.larg', 'm7g.large'],
  ])('%s means %s', (typo, meant) => {
    expect(nearest(typo, known)).toBe(meant);
  });

  test('nothing is named when nothing is near', () => {
    expect(nearest('p5.48xlarge-something', known)).toBeUndefined();
    expect(didYouMean('p5.48xlarge-something', known)).toBe('');
  });

  test('the first of equals wins, so that a message never changes', () => {
    expect(nearest('ab', ['ac', 'ad'])).toBe('ac');
  });

  test('the sentence fits behind an error', () => {
    expect(didYouMean('m7g.larg', known)).toBe("; did you mean 'm7g.large'?");
  });
});

describe('names that are none', () => {
  test('a long text is compared with nothing', () => {
    const known = new Counting(['a'.repeat(64)]);
    expect(nearest('a'.repeat(65), known)).toBeUndefined();
    expect(known.read).toBe(0);
    expect(nearest('a'.repeat(63), known)).toBe('a'.repeat(64));
  });

  test('of a whole file the first are looked up, each once in a list, and in lists of any length', () => {
    const known = new Counting(Array.from({ length: 100_000 }, (_, i) => `NAME_${i}`));
    const look = nearestOfFirst();
    const answers = Array.from({ length: 10_000 }, (_, i) => look(`NAM_${i}`, known));
    expect(answers.slice(0, 2)).toEqual(['NAME_0', 'NAME_1']);
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(200);
    expect(known.read).toBeLessThanOrEqual(200 * 501);
    const before = known.read;
    expect(look('NAM_0', known)).toBe('NAME_0');
    expect(known.read).toBe(before);
  });

  test('another list has other answers', () => {
    const look = nearestOfFirst();
    expect(look('port', ['ports'])).toBe('ports');
    expect(look('port', ['sort'])).toBe('sort');
  });
});

/** Counts the names that are taken out of it. */
class Counting implements Iterable<string> {
  public read = 0;

  public constructor(private readonly names: readonly string[]) {}

  public *[Symbol.iterator](): Iterator<string> {
    for (const name of this.names) {
      this.read++;
      yield name;
    }
  }
}
