import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject } from '../../src/manifest/object';
import { LAB_PROPS } from './bundle';

const SETTINGS = join(__dirname, '../fixtures/reference-settings.tsv');
const ABSENT = '(absent)';
/** What a text of the list is in YAML, where it is no text. */
const NUMBERS = /\.(replicas|size|port|containerPort|periodSeconds|failureThreshold)$/;
const HEADS: Readonly<Record<string, object>> = {
  'LeaderWorkerSet/vllm-gemma': { kind: 'LeaderWorkerSet' },
  'Service/vllm-leader': { apiVersion: 'v1', kind: 'Service' },
};
/** What a list of settings leaves unsaid, being the only way to say the rest. */
const BETWEEN_LINES: readonly (readonly [where: string, path: string, value: string])[] = [
  ['Service/vllm-leader', 'spec.selector.app', 'vllm-gemma'],
  ['Service/vllm-leader', 'spec.ports[0].targetPort', 'http'],
  ...['leaderTemplate', 'workerTemplate'].flatMap(
    (role) =>
      [
        ['LeaderWorkerSet/vllm-gemma', `spec.leaderWorkerTemplate.${role}.spec.volumes[0].name`, 'shm'],
        [
          'LeaderWorkerSet/vllm-gemma',
          `spec.leaderWorkerTemplate.${role}.spec.containers[0].volumeMounts[0].name`,
          'shm',
        ],
      ] as const,
  ),
];

type Node = Record<string, unknown> | unknown[];

/** What the machine of a test forces, by the ids of settings. */
const FORCED: readonly (readonly [id: RegExp, value: string])[] = [
  [/-(request|limit)-cpu$/, LAB_PROPS.cpu!.toQuantity()],
  [/-kv-space$/, String(LAB_PROPS.kvCacheMemory!.toGibibytes())],
];

/** The article's group and its Service, written out from the list of the article's settings, for the nodes of the lab. */
export function articleBundle(): KubernetesObject[] {
  const rows = readFileSync(SETTINGS, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([id, , , value]) => /^(lws|leader|worker|svc)-/.test(id!) && value !== ABSENT)
    .map(([id, where, path, value]) => {
      const forced = FORCED.find(([pattern]) => pattern.test(id!))?.[1];
      return [where!, path!, forced ?? value!] as const;
    });
  return Object.entries(HEADS).map(([where, head]) => {
    const object = structuredClone(head) as Node;
    for (const [, path, value] of [...rows, ...BETWEEN_LINES].filter(([place]) => place === where)) {
      setting(object, path, value);
    }
    return object as unknown as KubernetesObject;
  });
}

/** Writes one row: `spec.a[0].b`, `env[NAME].value` (an entry of a list by its name), `args --flag`. */
function setting(object: Node, path: string, value: string): void {
  const [place = '', flag] = path.split(' ');
  const steps = [...place.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map((match) => match[1] ?? match[2]!);
  if (flag !== undefined) {
    const list = walk(object, steps, []) as string[];
    list.push(value === 'present' ? flag : `${flag}=${value}`);
    return;
  }
  const last = steps.pop()!;
  const holder = walk(object, steps, /^\d+$/.test(last) ? [] : {});
  (holder as Record<string, unknown>)[last] = NUMBERS.test(path) && /^\d+$/.test(value) ? Number(value) : value;
}

/** Goes down the steps and makes what is not there yet; the last of them gets `empty`. */
function walk(start: Node, steps: readonly string[], empty: Node): Node {
  return steps.reduce<Node>((node, step, i) => {
    const next = steps[i + 1];
    const fresh = next === undefined ? empty : /^(\d+|[A-Z_]+)$/.test(next) ? [] : {};
    if (Array.isArray(node) && !/^\d+$/.test(step)) {
      const list = node as Record<string, unknown>[];
      return list.find(({ name }) => name === step) ?? list[list.push({ name: step }) - 1]!;
    }
    const fields = node as Record<string, Node>;
    return (fields[step] ??= fresh);
  }, start);
}
