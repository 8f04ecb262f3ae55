import { describe, expect, test } from 'vitest';
import { didYouMean, nearest } from '../../src/common/nearest';

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
