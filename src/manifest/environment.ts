import { LWS_VARIABLES } from '../engine/lws';
import type { Bundle } from './bundle';
import { expand } from './expand';
import { dig, get, listOf, mapOf, textMapOf, textOf } from './json';
import { type Labels, labelsOf } from './selector';
import { type Gap, Text } from './text';

/** Where a variable gets its value from when it is not written out. */
export interface VariableSource {
  readonly kind: 'secret' | 'configMap' | 'field' | 'resource' | 'other';
  /** Name of the Secret or ConfigMap. */
  readonly name?: string;
  /** Key in it. */
  readonly key?: string;
  /** Path of the field or name of the resource: `status.podIP`. */
  readonly field?: string;
}

export interface Variable {
  readonly name: string;
  /** JSON path of the entry in `env` or `envFrom`; of the container's `env` for one that LWS adds. */
  readonly path: string;
  readonly origin: 'lws' | 'container' | 'envFrom';
  /** The value as the process gets it. */
  readonly text: Text;
  /** The value as written. */
  readonly written?: string;
  readonly source?: VariableSource;
  /** References in the value that nothing defines. */
  readonly unresolved: readonly string[];
  /**
   * `dropped`: LWS puts its own of that name; `repeated`: another entry of the name counts. A LeaderWorkerSet keeps the
   * first, if the API server takes it at all; other pods the last. What `env` says beats `envFrom` in either.
   */
  readonly state: 'used' | 'dropped' | 'repeated';
}

export interface Environment {
  /** In the order that the container gets them, what LWS adds first, dropped and repeated ones included. */
  readonly variables: readonly Variable[];
  /** `envFrom` entries that are not in the bundle: each may define anything. */
  readonly unread: readonly Gap[];
  /** The entry that counts. */
  readonly get: (name: string) => Variable | undefined;
  /** What the process finds under a name; `undefined` when nothing defines it. */
  readonly lookUp: (name: string) => Text | undefined;
}

/** What the values of a container's variables depend on. */
export interface PodSurroundings {
  readonly bundle: Bundle;
  readonly namespace: string;
  /** The pod template. */
  readonly template: unknown;
  readonly labels: Labels;
  /** Values that LWS adds, in its order; empty for other pods. */
  readonly injected: ReadonlyMap<string, Text>;
  /** Annotations that LWS adds. */
  readonly addedAnnotations: Labels;
  readonly hasServiceLinks: boolean;
}

/** Largest environment that Linux hands to a program. */
const LARGEST = 2 * 1024 ** 2;

/** Reads `env` and `envFrom` of a container. */
export function readEnvironment(container: unknown, path: string, pod: PodSurroundings): Environment {
  const given = new Map<string, Text>();
  const unread: Gap[] = [];
  const variables = readEnvFrom(container, path, pod, unread);
  const links = linkLookUp(pod, unread);
  const isLws = pod.injected.size > 0;
  let room = LARGEST;
  const used = new Map<string, number>();
  const use = (variable: Variable) => {
    const before = used.get(variable.name);
    if (before !== undefined) {
      variables[before] = { ...variables[before]!, state: 'repeated' };
    }
    used.set(variable.name, variables.length);
    given.set(variable.name, variable.text);
    variables.push(variable);
  };
  variables.splice(0).forEach(use);
  for (const [name, text] of pod.injected) {
    use({ name, path: `${path}.env`, origin: 'lws', text, unresolved: [], state: 'used' });
  }
  for (const [i, entry] of listOf(get(container, 'env')).entries()) {
    const entryPath = `${path}.env[${i}]`;
    const name = textOf(get(entry, 'name'));
    if (name === undefined) {
      unread.push({ path: entryPath, what: 'an entry of env', why: 'it has no name' });
      continue;
    }
    const read = readEntry(entry, entryPath, pod, unread, (wanted) =>
      room < 0
        ? Text.hole({ why: 'the environment is larger than Linux takes' })
        : (given.get(wanted) ?? links(wanted)),
    );
    const variable = { name, path: entryPath, origin: 'container', ...read } as const;
    if (isLws && LWS_VARIABLES.includes(name)) {
      variables.push({ ...variable, state: 'dropped' });
    } else if (isLws && variables[used.get(name) ?? -1]?.origin === 'container') {
      variables.push({ ...variable, state: 'repeated' });
    } else {
      use({ ...variable, state: 'used' });
    }
    room -= read.text.length;
  }
  return {
    variables,
    unread,
    get: (name) => variables[used.get(name) ?? -1],
    lookUp: (name) => given.get(name) ?? links(name),
  };
}

function readEntry(
  entry: unknown,
  path: string,
  pod: PodSurroundings,
  unread: Gap[],
  lookUp: (name: string) => Text | undefined,
): Pick<Variable, 'text' | 'written' | 'source' | 'unresolved'> {
  const value = get(entry, 'value');
  const from = mapOf(get(entry, 'valueFrom'));
  if (value !== undefined && value !== null && typeof value !== 'string') {
    const why = `it is of type ${Array.isArray(value) ? 'array' : typeof value}, and the API server takes a text alone`;
    unread.push({ path: `${path}.value`, what: 'the value of a variable', why });
    const written = typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
    const text = written === undefined ? Text.hole({ why }) : Text.of(written);
    return { text, ...(written !== undefined && { written }), unresolved: [] };
  }
  // The kubelet asks whether the value is empty, not whether it is there.
  if (typeof value === 'string' && value !== '') {
    return { ...expand(value, lookUp), written: value };
  }
  if (from === undefined) {
    return { text: Text.EMPTY, ...(value === '' && { written: '' }), unresolved: [] };
  }
  const source = sourceOf(from);
  return { text: textFrom(source, pod), source, unresolved: [] };
}

function sourceOf(from: unknown): VariableSource {
  for (const [key, kind] of [
    ['secretKeyRef', 'secret'],
    ['configMapKeyRef', 'configMap'],
  ] as const) {
    const ref = mapOf(get(from, key));
    if (ref !== undefined) {
      return { kind, name: textOf(get(ref, 'name')), key: textOf(get(ref, 'key')) };
    }
  }
  const field = textOf(dig(from, 'fieldRef', 'fieldPath'));
  if (field !== undefined) {
    return { kind: 'field', field };
  }
  const resource = textOf(dig(from, 'resourceFieldRef', 'resource'));
  return resource === undefined ? { kind: 'other' } : { kind: 'resource', field: resource };
}

function textFrom(source: VariableSource, pod: PodSurroundings): Text {
  const { kind, name = '', key = '', field = '' } = source;
  if (kind === 'configMap') {
    const value = get(pod.bundle.configMap(pod.namespace, name), key);
    if (typeof value === 'string') {
      return Text.of(value);
    }
  }
  if (kind === 'secret' || kind === 'configMap') {
    const what = kind === 'secret' ? 'Secret' : 'ConfigMap';
    return Text.hole({ source: `${kind} ${name}/${key}`, isSharedByGroup: true, why: `it comes from ${what} ${name}` });
  }
  return kind === 'field' ? textOfField(field, pod) : Text.hole({ why: `it comes from a ${kind} reference` });
}

const KEYED_FIELD = /^metadata\.(labels|annotations)\['(.*)'\]$/s;

function textOfField(field: string, pod: PodSurroundings): Text {
  const [, kind, key = ''] = KEYED_FIELD.exec(field) ?? [];
  if (kind === 'labels' && key.endsWith('/worker-index') && pod.injected.has('LWS_WORKER_INDEX')) {
    return pod.injected.get('LWS_WORKER_INDEX')!;
  }
  if (field === 'metadata.namespace' && pod.namespace !== '') {
    return Text.of(pod.namespace);
  }
  if (kind !== undefined) {
    const added = kind === 'labels' ? pod.labels : pod.addedAnnotations;
    const own = kind === 'labels' ? labelsOf(pod.template) : textMapOf(dig(pod.template, 'metadata', 'annotations'));
    const value = added.get(key) ?? own.get(key);
    if (value !== undefined) {
      return Text.of(value);
    }
  }
  return Text.hole({ source: `field ${field}`, isOneWord: true, why: `the pod's ${field} fills it` });
}

/** What `envFrom` gives, in its order; of several entries with one name the last counts. */
function readEnvFrom(container: unknown, path: string, pod: PodSurroundings, unread: Gap[]): Variable[] {
  return listOf(get(container, 'envFrom')).flatMap((entry, i): Variable[] => {
    const map = textOf(dig(entry, 'configMapRef', 'name'));
    const data = map === undefined ? undefined : mapOf(pod.bundle.configMap(pod.namespace, map));
    const entryPath = `${path}.envFrom[${i}]`;
    if (data === undefined) {
      const of = map === undefined ? `Secret ${textOf(dig(entry, 'secretRef', 'name')) ?? ''}` : `ConfigMap ${map}`;
      const why = `${of.trim()} is not among the objects, or not to be read; it may define any variable`;
      unread.push({ path: entryPath, what: 'variables', why });
      return [];
    }
    const prefix = textOf(get(entry, 'prefix')) ?? '';
    return [...textMapOf(data)].map(([key, value]) => ({
      name: prefix + key,
      path: entryPath,
      origin: 'envFrom',
      text: Text.of(value),
      written: value,
      source: { kind: 'configMap', name: map, key },
      unresolved: [],
      state: 'used',
    }));
  });
}

/** Names that are defined, by a Service, by the cluster or by an unread `envFrom`, with a value that is not known. */
function linkLookUp(pod: PodSurroundings, unread: readonly Gap[]): (name: string) => Text | undefined {
  return (name) => {
    if (pod.hasServiceLinks && pod.bundle.serviceLinksIn(pod.namespace).has(name)) {
      return Text.hole({
        source: `service link ${name}`,
        isSharedByGroup: true,
        why: 'a Service of the namespace sets it',
      });
    }
    if (/^KUBERNETES_(SERVICE|PORT)/.test(name)) {
      return Text.hole({ source: name, isSharedByGroup: true, isOneWord: true, why: 'the cluster sets it' });
    }
    return unread.some(({ path }) => path.includes('.envFrom['))
      ? Text.hole({ why: 'an envFrom that was not read may define it' })
      : undefined;
  };
}
