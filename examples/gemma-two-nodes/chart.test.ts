import { Testing } from 'cdk8s';
import { expect, test } from 'vitest';
import { GemmaTwoNodes } from './chart';

test('renders the same manifests as before', () => {
  const manifests = Testing.synth(new GemmaTwoNodes(Testing.app(), 'gemma-two-nodes'));

  // The chat server's source is the library's own; its hash in the pod template stands for it here.
  expect(manifests.filter(({ kind }) => kind !== 'ConfigMap')).toMatchSnapshot();
});
