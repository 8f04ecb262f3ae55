import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chart, Testing } from 'cdk8s';
import { GemmaOnePod } from '../../examples/gemma-one-pod/chart';
import { GemmaTwoNodes } from '../../examples/gemma-two-nodes/chart';
import type { KubernetesObject } from '../../src/manifest/object';
import { objectsOf } from '../rules/manifests';

const REFERENCE = join(__dirname, '../../dist/vllm-gemma.k8s.yaml');

export interface Bundle {
  readonly name: string;
  readonly objects: readonly KubernetesObject[];
}

/** The rendered reference bundle, or the file that BUNDLE names in its place. */
export const reference: Bundle = {
  name: process.env.BUNDLE ?? 'the reference bundle',
  objects: objectsOf(readFileSync(process.env.BUNDLE ?? REFERENCE, 'utf8')),
};

const rendered = (chart: Chart): KubernetesObject[] => Testing.synth(chart) as KubernetesObject[];

/** By the names of their folders. */
export const examples: readonly Bundle[] = [
  { name: 'gemma-one-pod', objects: rendered(new GemmaOnePod(Testing.app(), 'gemma-one-pod')) },
  { name: 'gemma-two-nodes', objects: rendered(new GemmaTwoNodes(Testing.app(), 'gemma-two-nodes')) },
];

/** The only object of a kind in a bundle. */
export function only(objects: readonly KubernetesObject[], kind: string): KubernetesObject {
  const found = objects.filter((object) => object.kind === kind);
  if (found.length !== 1) {
    throw new Error(`${found.length} objects of kind ${kind}`);
  }
  return found[0]!;
}
