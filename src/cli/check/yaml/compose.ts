import { type Listener, MOST_DEPTH, parse, type Properties } from './parser';
import { resolveScalar, type Scalar } from './scalars';
import { Unreadable } from './unreadable';

/** Values that aliases may add to a document before they are taken for an attack, or a mistake. */
const MOST_ALIASED = 250_000;
/** Duplicate keys that are remembered; nobody reads more of them. */
const MOST_DUPLICATES = 100;

/** A key that its mapping has already. */
export interface DuplicateKey {
  readonly key: string;
  /** Where it stands again. */
  readonly offset: number;
}

/** What a text says. */
export interface Composed {
  /** The value of each document; a text that was split has one at most. */
  readonly values: readonly unknown[];
  readonly duplicates: readonly DuplicateKey[];
}

/**
 * The values of a text as the programs of Kubernetes read them (sigs.k8s.io/yaml, go-yaml 2): plain scalars by their rules,
 * merge keys, keys as strings. Duplicate keys are said and not refused: the last one counts, as it does for kubectl.
 */
export function compose(text: string): Composed {
  const composer = new Composer();
  parse(text, composer);
  return composer;
}

interface Anchor {
  readonly value: unknown;
  /** Values in it, those of its own aliases as often as they stand there; none while it is being read. */
  weight: number | undefined;
  height: number;
}

interface Frame {
  readonly map: Record<string, unknown> | undefined;
  readonly list: unknown[] | undefined;
  readonly anchor: Anchor | undefined;
  readonly start: number;
  /** The key whose value comes next. */
  key: string | undefined;
  isMerging: boolean;
  /** Keys that came by a merge, which may be given again. */
  merged: Set<string> | undefined;
  weight: number;
  height: number;
}

class Composer implements Composed, Listener {
  public readonly values: unknown[] = [];
  public readonly duplicates: DuplicateKey[] = [];
  private readonly stack: Frame[] = [];
  private readonly anchors = new Map<string, Anchor>();
  private aliased = 0;

  public onDocument(): void {
    this.anchors.clear();
  }

  public onOpen(kind: 'mapping' | 'sequence', start: number, { anchor: name }: Properties): void {
    const { stack } = this;
    const isMap = kind === 'mapping';
    if (isKeyNext(stack[stack.length - 1])) {
      throw new Unreadable(`a key must be a text, and this one is a ${isMap ? 'mapping' : 'list'}`, start);
    }
    const map = isMap ? {} : undefined;
    const list = isMap ? undefined : [];
    const anchor = name === '' ? undefined : { value: map ?? list, weight: undefined, height: 0 };
    if (anchor !== undefined) {
      this.anchors.set(name, anchor);
    }
    stack.push({
      map,
      list,
      anchor,
      start,
      key: undefined,
      isMerging: false,
      merged: undefined,
      weight: 1,
      height: 1,
    });
  }

  public onClose(): void {
    const { map, list, anchor, start, weight, height } = this.stack.pop()!;
    if (anchor !== undefined) {
      anchor.weight = weight;
      anchor.height = height;
    }
    this.add(map ?? list, start, weight, height);
  }

  public onScalar(content: string, start: number, isPlain: boolean, { anchor, tag }: Properties): void {
    const frame = this.stack[this.stack.length - 1];
    // `<<` in quotes is a key as any other.
    if (isPlain && content === '<<' && isKeyNext(frame)) {
      frame.isMerging = true;
      return;
    }
    const value = isPlain || tag !== '' ? scalarOf(content, start, tag) : content;
    if (anchor !== '') {
      this.anchors.set(anchor, { value, weight: 1, height: 0 });
    }
    if (isKeyNext(frame)) {
      this.addKey(frame, value, start);
    } else {
      this.add(value, start, 1, 0);
    }
  }

  public onAlias(name: string, start: number): void {
    const { stack } = this;
    const anchor = this.anchors.get(name);
    if (anchor === undefined) {
      throw new Unreadable(`no anchor '${name}' stands before this alias`, start);
    }
    if (anchor.weight === undefined) {
      throw new Unreadable(`anchor '${name}' contains itself`, start);
    }
    this.aliased += anchor.weight;
    if (this.aliased > MOST_ALIASED) {
      throw new Unreadable(
        `its aliases stand for more than ${MOST_ALIASED} values; that is an attack on the reader or a mistake`,
        start,
      );
    }
    if (stack.length + anchor.height > MOST_DEPTH) {
      throw new Unreadable(`its aliases nest more than ${MOST_DEPTH} deep`, start);
    }
    const frame = stack[stack.length - 1];
    if (!isKeyNext(frame)) {
      this.add(anchor.value, start, anchor.weight, anchor.height);
    } else if (typeof anchor.value === 'object') {
      throw new Unreadable(`a key must be a text, and this one is ${kindOf(anchor.value)}`, start);
    } else {
      this.addKey(frame, anchor.value as Scalar, start);
    }
  }

  private addKey(frame: Frame, value: Scalar, offset: number): void {
    if (value === null) {
      throw new Unreadable('a key must be a text, and this one is empty', offset);
    }
    const key = String(value);
    if (Object.hasOwn(frame.map!, key) && frame.merged?.has(key) !== true && this.duplicates.length < MOST_DUPLICATES) {
      this.duplicates.push({ key, offset });
    }
    frame.key = key;
  }

  private add(value: unknown, offset: number, weight: number, height: number): void {
    const frame = this.stack[this.stack.length - 1];
    if (frame === undefined) {
      this.values.push(value);
      return;
    }
    frame.weight += weight;
    if (height >= frame.height) {
      frame.height = height + 1;
    }
    if (frame.list !== undefined) {
      frame.list.push(value);
    } else if (frame.isMerging) {
      merge(frame, value, offset);
    } else {
      set(frame.map!, frame.key!, value);
      frame.key = undefined;
    }
  }
}

function isKeyNext(frame: Frame | undefined): frame is Frame {
  return frame?.map !== undefined && frame.key === undefined && !frame.isMerging;
}

/** A key `__proto__` is a key, and not the prototype. */
function set(map: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    map[key] = value;
  }
}

/** go-yaml 2 takes over what a merge brings even where the key was given before; of a list, the first one counts. */
function merge(frame: Frame, value: unknown, offset: number): void {
  frame.isMerging = false;
  frame.merged ??= new Set();
  const sources: unknown[] = Array.isArray(value) ? value.toReversed() : [value];
  for (const source of sources) {
    if (typeof source !== 'object' || source === null || Array.isArray(source)) {
      throw new Unreadable(`'<<' takes a mapping or a list of mappings, and this is ${kindOf(source)}`, offset);
    }
    for (const [key, merged] of Object.entries(source)) {
      set(frame.map!, key, merged);
      frame.merged.add(key);
    }
  }
}

const OWN_TAG = /^(?:!!|tag:yaml\.org,2002:)(.*)$/;

function scalarOf(content: string, start: number, tag: string): Scalar {
  if (tag === '') {
    const value = resolveScalar(content);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new Unreadable(`'${content}' is no number that JSON, and so Kubernetes, knows`, start);
    }
    return value;
  }
  const [, type] = OWN_TAG.exec(tag) ?? [];
  switch (type) {
    case 'binary':
      return Buffer.from(content, 'base64').toString('utf8');
    case 'bool':
    case 'int':
    case 'float':
    case 'null': {
      const value = resolveScalar(content);
      const wanted = { bool: 'boolean', int: 'number', float: 'number', null: 'object' }[type];
      if (typeof value !== wanted || (type === 'int' && !Number.isInteger(value))) {
        throw new Unreadable(`'${content.slice(0, 40)}' is no ${type}`, start);
      }
      return value;
    }
    default:
      // Any other tag, such as that of a template language, is as good as none but for making it text.
      return content;
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) {
    return 'a list';
  }
  return value === null ? 'empty' : typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}
