import { Testing } from 'cdk8s';
import { expect, test } from 'vitest';
import { GemmaOnePod } from './chart';

test('renders the same manifests as before', () => {
  const chart = new GemmaOnePod(Testing.app(), 'gemma-one-pod');

  expect(Testing.synth(chart)).toMatchSnapshot();
});
