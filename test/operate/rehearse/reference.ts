import { readFileSync } from 'node:fs';
import { readManifests } from '../../../src/cli/manifests';
import { type RehearsedGroup, groupOf } from '../../../src/operate/rehearse/group';
import { catalogueConfig, type TinyModel, tinyModel } from '../../../src/operate/rehearse/model/tiny';

export const VLLM = {
  vllm: '/venv/bin/vllm',
  python: '/venv/bin/python',
  version: '0.32.0+cpu',
  release: '0.32.0',
  distribution: 'vllm',
};
export const MACHINE = { cores: 2, memoryFree: 2 ** 34, architecture: 'amd64', isIsolated: true };

export function bundle(edit: (text: string) => string = (text) => text): RehearsedGroup {
  return groupOf(readManifests(edit(readFileSync('dist/vllm-gemma.k8s.yaml', 'utf8'))), undefined);
}

export function tiny(name = 'google/gemma-3-1b-it', longest?: number): TinyModel {
  return tinyModel(name, catalogueConfig(name)!, longest);
}
