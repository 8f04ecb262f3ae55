import type { KubernetesObject } from '../../rules/finding';
import { compose, type Composed } from './yaml/compose';
import { MOST_DEPTH } from './yaml/parser';
import { Unreadable } from './yaml/unreadable';
import { documentsOf, jsonValuesOf, type Part } from './yaml/documents';
import { clip } from './clip';
import type { FileText, FileToRead } from './files';
import { Lines, type Place } from './yaml/lines';
import { leftoverIn, templateHint } from './template';
import { firstPlaceOf, locate, type Node, treeOf } from './yaml/tree';
import { stepsOf } from './yaml/path';

/** What the reader itself finds. */
export const DUPLICATE_KEY = {
  id: 'yaml/duplicate-key',
  severity: 'warning',
  title: 'a key stands twice in a mapping',
  why: 'kubectl takes the last one without a word, and strict readers such as kustomize refuse the file',
  fix: 'remove one of them',
  source: 'sigs.k8s.io/yaml',
} as const;
export const UNRENDERED_TEMPLATE = {
  id: 'yaml/unrendered-template',
  severity: 'error',
  title: 'a placeholder stands where a value has to be',
  why: 'it looks like a template that was not rendered, and the API server refuses it as it is',
  fix: 'put the value in',
  source: 'Kubernetes names, labels, images and quantities',
} as const;
export const READER_FINDINGS = [DUPLICATE_KEY, UNRENDERED_TEMPLATE] as const;

/** Values of one document, which all are in memory at once; a List of a hundred thousand objects has a tenth of it. */
const MOST_VALUES = 20_000_000;
/** Duplicate keys of a document that are said one by one. */
const MOST_DUPLICATES = 50;
/** Remarks of a kind that are kept; a file of broken documents alone could fill the memory with them. */
const MOST_REMARKS = 1000;
/** Lists in lists. */
const MOST_LISTS = 20;

/** A document of a file. */
export class Document {
  private tree: Node | undefined | null = null;

  public constructor(
    public readonly file: SourceFile,
    public readonly part: Part,
  ) {}

  /** Where a path within the document leads to. */
  public placeOf(path: string): Place {
    const tree = this.nodes();
    return this.placeAt(tree === undefined ? firstWord(this.part.text) : locate(tree, stepsOf(path)));
  }

  /** Where the key stands first whose repetition stands at `offset`. */
  public firstPlaceOf(key: string, offset: number): Place | undefined {
    const tree = this.nodes();
    const first = tree && firstPlaceOf(tree, key, offset);
    return first === undefined || first === offset ? undefined : this.placeAt(first);
  }

  /** Where it begins, behind its marker and comments. */
  public get beginning(): Place {
    const { text } = this.part;
    const content = text.search(/^(?!---(?:\s|$)|[ \t\r]*(?:#|$))/m);
    return this.placeAt(content < 0 ? firstWord(text) : content);
  }

  public placeAt(offset: number): Place {
    return this.file.lines.placeOf(this.part.start + offset);
  }

  /** Lets go of the places, which take more memory than the text. */
  public forget(): void {
    this.tree = null;
  }

  private nodes(): Node | undefined {
    if (this.tree === null) {
      try {
        this.tree = treeOf(this.part.text);
      } catch {
        // What only a JSON parser takes has no places but its beginning.
        this.tree = undefined;
      }
    }
    return this.tree;
  }
}

/** A file that was read. */
export interface SourceFile {
  readonly name: string;
  readonly lines: Lines;
}

/** An object with where it came from. */
export interface ReadObject {
  readonly object: KubernetesObject;
  readonly document: Document;
  /** Path of the object in its document: empty, or that of an item of a List. */
  readonly prefix: string;
}

/** Something to say about a part of a file. */
export interface Remark extends Place {
  /** As findings name it. */
  readonly file: string;
  readonly message: string;
  /** There where it is about a file or folder as a whole: line and column are then 1 and say nothing. */
  readonly isWhole?: true;
}

/** Something that the reader finds in an object, or in a document. */
export interface ReaderFinding {
  readonly rule: (typeof READER_FINDINGS)[number];
  readonly document: Document;
  readonly place: Place;
  readonly object: KubernetesObject | undefined;
  readonly path: string;
  readonly what: string;
  /** Where it can be said better than the rule says it. */
  readonly fix?: string;
}

/** What was read. */
export class Read {
  public readonly objects: ReadObject[] = [];
  public readonly findings: ReaderFinding[] = [];
  /** Parts that nobody could read. */
  public readonly unread: Remark[] = [];
  /** Parts that are no objects of Kubernetes. */
  public readonly passedBy: Remark[] = [];
  public documents = 0;
  public unreadCount = 0;
  public passedByCount = 0;

  /** Says that a part could not be read. The place is asked for only when it is going to be told. */
  public sayUnread(file: string, place: () => Place, message: string): void {
    if (++this.unreadCount <= MOST_REMARKS) {
      this.unread.push({ file, ...place(), message: clip(message) });
    }
  }

  /** Says that of a file or folder nothing could be read. */
  public sayWhollyUnread(file: string, message: string): void {
    if (++this.unreadCount <= MOST_REMARKS) {
      this.unread.push({ file, line: 1, column: 1, message: clip(message), isWhole: true });
    }
  }

  /** Says that a part is no object of Kubernetes. */
  public sayPassedBy(file: string, place: () => Place, message: string): void {
    if (++this.passedByCount <= MOST_REMARKS) {
      this.passedBy.push({ file, ...place(), message: clip(message) });
    }
  }
}

/** Reads the documents of a file one by one, and adds what they hold. */
export function readFile(file: FileToRead, { text, foreignBytes }: FileText, read: Read): void {
  // A folder holds files of all kinds; what cannot be an object need not be YAML either.
  if (file.isFound && !text.includes('apiVersion')) {
    read.sayPassedBy(file.name, () => ({ line: 1, column: 1 }), 'no apiVersion in it');
    return;
  }
  const source: SourceFile = { name: file.name, lines: new Lines(text) };
  for (const part of documentsOf(text)) {
    const document = new Document(source, part);
    readPart(document, foreignBytes, read);
    document.forget();
  }
}

function readPart(document: Document, foreignBytes: FileText['foreignBytes'], read: Read): void {
  const { file, part } = document;
  const unread = (offset: number, message: string): void => {
    read.sayUnread(file.name, () => document.placeAt(offset), message);
  };
  if (foreignBytes.length > 0) {
    const [first, last] = [document.placeAt(0).line, document.placeAt(part.text.length).line];
    const foreign = foreignBytes.find(({ line }) => line >= first && line <= last);
    if (foreign !== undefined) {
      read.documents++;
      const byte = `0x${foreign.byte.toString(16).toUpperCase().padStart(2, '0')}`;
      const message = `byte ${foreign.offset} of the file, ${byte}, is no UTF-8; save it as UTF-8`;
      read.sayUnread(file.name, () => ({ line: foreign.line, column: 1 }), message);
      return;
    }
  }
  if (hasTooMuch(part.text)) {
    read.documents++;
    unread(0, `the document holds more than ${MOST_VALUES / 1e6} million values; split it`);
    return;
  }
  let composed: Composed;
  try {
    composed = compose(part.text);
  } catch (error) {
    const isJson = /^\s*[{[]/.test(part.text);
    const values = isJson ? jsonValuesOf(part.text) : undefined;
    if (values !== undefined) {
      for (const { start, text } of values) {
        readPart(new Document(file, { start: part.start + start, text }), foreignBytes, read);
      }
      return;
    }
    const value = isJson ? asJson(part.text) : undefined;
    if (value === undefined) {
      read.documents++;
      const offset = error instanceof Unreadable ? error.offset : 0;
      const hint = templateHint(part.text);
      unread(offset, `${hint === undefined ? '' : `${hint}: `}${(error as Error).message}`);
      return;
    }
    composed = { values: [value], duplicates: [] };
  }
  const objectsBefore = read.objects.length;
  for (const value of composed.values) {
    if (value !== null) {
      read.documents++;
      readObject(value, '', undefined, document, read);
    }
  }
  const own = read.objects.slice(objectsBefore);
  sayDuplicates(composed, document, own.length === 1 ? own[0]!.object : undefined, read);
}

/** kubectl reads JSON as such: it has escapes that YAML 1.1 does not have. `undefined` when it is none. */
function asJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, MOST_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, most: number): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (most === 0 || Object.values(value).some((each) => isDeeper(each, most - 1)))
  );
}

/** Collects an object, or those of a List. */
function readObject(
  value: unknown,
  prefix: string,
  list: { apiVersion: string; kind: string } | undefined,
  document: Document,
  read: Read,
  depth = 0,
): void {
  const passBy = (message: string): void => {
    read.sayPassedBy(document.file.name, () => document.placeOf(prefix), message);
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const kind = Array.isArray(value) ? 'a list' : value === null ? 'empty' : `a ${typeof value}`;
    passBy(`${prefix === '' ? 'it' : prefix} is ${kind} and no object`);
    return;
  }
  const given = value as Readonly<Record<string, unknown>>;
  // Items of a list of one kind, such as a DeploymentList, need not say it again.
  const { apiVersion = list?.apiVersion, kind = list?.kind } = given;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || apiVersion === '' || kind === '') {
    const missing = Object.entries({ apiVersion, kind }).filter(([, word]) => typeof word !== 'string' || word === '');
    passBy(`no object of Kubernetes: ${missing.map(([name]) => name).join(' and ')} missing`);
    return;
  }
  if (kind.endsWith('List') && 'items' in given && (given.items === null || Array.isArray(given.items))) {
    if (depth >= MOST_LISTS) {
      passBy(`lists in lists, more than ${MOST_LISTS} deep`);
      return;
    }
    const ofItems = kind === 'List' ? undefined : { apiVersion, kind: kind.slice(0, -'List'.length) };
    for (const [i, item] of ((given.items ?? []) as readonly unknown[]).entries()) {
      readObject(item, `${prefix === '' ? '' : `${prefix}.`}items[${i}]`, ofItems, document, read, depth + 1);
    }
    return;
  }
  const object = (
    given.apiVersion === undefined || given.kind === undefined ? { ...given, apiVersion, kind } : given
  ) as KubernetesObject;
  read.objects.push({ object, document, prefix });
  const leftover = leftoverIn(object);
  if (leftover !== undefined) {
    const { path, text, hint } = leftover;
    read.findings.push({
      rule: UNRENDERED_TEMPLATE,
      document,
      place: document.placeOf(prefix === '' ? path : `${prefix}.${path}`),
      object,
      path,
      what: `${path} is '${text}'`,
      fix: hint,
    });
  }
}

function sayDuplicates(
  { duplicates }: Composed,
  document: Document,
  object: KubernetesObject | undefined,
  read: Read,
): void {
  for (const { key, offset } of duplicates.slice(0, MOST_DUPLICATES)) {
    const first = document.firstPlaceOf(key, offset);
    read.findings.push({
      rule: DUPLICATE_KEY,
      document,
      place: document.placeAt(offset),
      object,
      path: '',
      what: `key '${key}' stands here again${first === undefined ? '' : `; first in line ${first.line}`}`,
    });
  }
  if (duplicates.length > MOST_DUPLICATES) {
    read.sayPassedBy(
      document.file.name,
      () => document.placeAt(duplicates[MOST_DUPLICATES]!.offset),
      'more duplicate keys from here on in this document',
    );
  }
}

/** Bounds the values before they are in memory, by the characters that part them; small documents need no count. */
function hasTooMuch(text: string): boolean {
  if (text.length < MOST_VALUES) {
    return false;
  }
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // , [ ] { } and the end of a line; - ? : before a space.
    if (code === 44 || code === 91 || code === 93 || code === 123 || code === 125 || code === 10) {
      count++;
    } else if ((code === 45 || code === 63 || code === 58) && text.charCodeAt(i + 1) === 32) {
      count++;
    }
  }
  return count > MOST_VALUES;
}

/** Where a text without places begins. */
function firstWord(text: string): number {
  return Math.max(0, text.search(/\S/));
}
