import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { type EngineContainer, type KubernetesObject, type Reading, readGroups } from '../../src/manifest';

/** The objects of a file of several documents. */
export function objectsIn(file: string | URL): KubernetesObject[] {
  return objectsOf(readFileSync(file, 'utf8'));
}

export function objectsOf(yaml: string): KubernetesObject[] {
  return parseAllDocuments(yaml)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}

export const CUDA = 'vllm/vllm-openai:v0.32.0';
export const CPU = 'vllm/vllm-openai-cpu:v0.32.0';

/** A Deployment with one container. */
export function deployment(container: object, pod: object = {}): KubernetesObject {
  const template = {
    metadata: { labels: { app: 'a' } },
    spec: { containers: [{ name: 'engine', image: CUDA, ...container }], ...pod },
  };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', namespace: 'n' }, spec: { template } };
}

/** A LeaderWorkerSet with one template for both roles. */
export function lws(container: object, size: unknown = 2, pod: object = {}, more: object = {}): KubernetesObject {
  const template = {
    metadata: { labels: { app: 'a' } },
    spec: { containers: [{ name: 'engine', image: CUDA, ...container }], ...pod },
  };
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'a', namespace: 'n' },
    spec: { leaderWorkerTemplate: { size, workerTemplate: template, ...more } },
  };
}

/** The engine of a Deployment with one container. */
export function engineOf(container: object, pod: object = {}): EngineContainer {
  return first(readGroups([deployment(container, pod)]));
}

export function first({ groups }: Reading): EngineContainer {
  return groups[0]!.leader.engine!;
}

/** Both roles of a group whose one template runs a shell line. */
export function roles(script: string, size: unknown = 2, container: object = {}) {
  const { groups, unread } = readGroups([lws({ command: ['sh', '-c', script], ...container }, size)]);
  return { leader: groups[0]?.leader.engine, worker: groups[0]?.worker?.engine, unread };
}

/** Flags as they were read: name and value. */
export function flagsOf({ command }: EngineContainer): Record<string, string> {
  return Object.fromEntries(command.flags.map(({ name, value, text }) => [name, value ?? text.toString()]));
}
