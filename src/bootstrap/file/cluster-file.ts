import {
  isAlias,
  isMap as isYamlMap,
  isScalar,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
  type YAMLParseError,
} from 'yaml';
import { redact } from '../aws/redact';
import { amiTypeFor, checkMeaning } from './meaning';
import { CLUSTER_SCHEMA } from './schema';
import type { ClusterFile, NodeGroupFile } from './types';
import { type Path, validate, withDefaults } from './validate';

/** One thing that is wrong with a cluster file. */
export interface FileProblem {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** What is wrong, the value, and what is allowed. */
  readonly message: string;
}

/** A cluster file that cannot be used; the message has one line for each problem. */
export class ClusterFileError extends Error {
  public constructor(
    public readonly file: string,
    public readonly problems: readonly FileProblem[],
  ) {
    const said = problems.slice(0, MOST_PROBLEMS);
    super(
      [
        ...said.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`),
        ...(said.length < problems.length ? [`${file}: and ${problems.length - said.length} more`] : []),
      ].join('\n'),
    );
    this.name = 'ClusterFileError';
  }
}

/**
 * A cluster file has some KiB. The parser compares every key of a map with every other one, which takes minutes for a file of a
 * MiB. What aliases stand for is bounded before they are unfolded.
 */
const MOST_CHARACTERS = 64 * 1024;
/** Problems that are said one by one. */
const MOST_PROBLEMS = 50;
const MOST_ALIASES = 100;
const TOO_DEEP = 'its lists and maps stand in each other a thousandfold; a cluster file has four levels';
const ENDPOINT = { private: true, public: false };

/**
 * Reads a cluster.yaml and fills in the defaults. Calls nobody.
 * @param text what stands in the file
 * @param file its name, for messages
 * @throws ClusterFileError with everything that is wrong, by line
 * @example
 *   const cluster = readClusterFile(readFileSync('cluster.yaml', 'utf8'), 'cluster.yaml');
 */
export function readClusterFile(text: string, file = 'cluster.yaml'): ClusterFile {
  try {
    return read(text, file);
  } catch (error) {
    if (error instanceof RangeError) {
      throw new ClusterFileError(file, [{ line: 1, column: 1, message: TOO_DEEP }]);
    }
    throw error;
  }
}

function read(text: string, file: string): ClusterFile {
  if (text.length > MOST_CHARACTERS) {
    throw new ClusterFileError(file, [
      {
        line: 1,
        column: 1,
        message: `it has ${text.length} characters; a cluster file has at most ${MOST_CHARACTERS}`,
      },
    ]);
  }
  const lines = new LineCounter();
  const problems: FileProblem[] = [];
  const at = (offset: number, message: string): void => {
    const { line, col } = lines.linePos(offset);
    problems.push({ line: Math.max(1, line), column: Math.max(1, col), message: redact(message) });
  };
  const fail = (): never => {
    throw new ClusterFileError(
      file,
      [...problems].sort((a, b) => a.line - b.line || a.column - b.column),
    );
  };

  // U+FFFD stands for bytes that are no UTF-8.
  const foreign = text.search(/[\0\ufffd]/);
  if (foreign >= 0) {
    const before = text.slice(0, foreign).split('\n');
    const [line, column] = [before.length, before.at(-1)!.length + 1];
    throw new ClusterFileError(file, [
      { line, column, message: 'it is no text in UTF-8 from here on; save it as such' },
    ]);
  }

  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    logLevel: 'error',
  });
  const document = 'empty' in documents ? undefined : documents[0];
  if (document === undefined || document.contents === null) {
    at(0, `it is empty; it takes ${CLUSTER_SCHEMA.required!.join(', ')}: see examples/eks-cluster/cluster.yaml`);
    return fail();
  }
  const root: Node = document.contents;
  const tabs = document.errors
    .filter(({ code }) => code === 'TAB_AS_INDENT')
    .map(({ pos }) => lines.linePos(pos[0]).line);
  for (const error of document.errors) {
    // What a tab makes of the rest of its line says nothing new.
    if (error.code === 'TAB_AS_INDENT' || !tabs.includes(lines.linePos(error.pos[0]).line)) {
      at(error.pos[0], syntaxText(error));
    }
  }
  if ('length' in documents && documents.length > 1) {
    at(documents[1]!.range[0], 'a second document begins here; a cluster file has one');
  }
  // A tag such as !!binary would make values that no key takes.
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node) && node.resolve(document) === undefined) {
        at(
          node.range?.[0] ?? 0,
          `'*${node.source}' stands for a value that is named nowhere before with '&${node.source}'`,
        );
      }
      if ('tag' in node && node.tag?.startsWith('tag:') === false) {
        at(node.range?.[0] ?? 0, `the tag '${node.tag}' is not known; write the value without it`);
      }
    },
  });
  if (problems.length > 0) {
    return fail();
  }
  let written: unknown;
  try {
    written = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch {
    at(0, `its aliases stand for more than ${MOST_ALIASES} values; write them out`);
    return fail();
  }

  const report = (path: Path, message: string, ofKey = false): void => at(offsetOf(root, path, ofKey), message);
  validate(CLUSTER_SCHEMA, written, report);
  if (problems.length > 0) {
    return fail();
  }
  const asWritten = withDefaults(CLUSTER_SCHEMA, written) as ClusterFile;
  const writtenGroup = (written as { nodeGroup: Partial<NodeGroupFile> }).nodeGroup;
  const endpoint = {
    ...ENDPOINT,
    ...(asWritten.network.endpoint as Partial<ClusterFile['network']['endpoint']> | undefined),
  };
  const cluster = {
    ...asWritten,
    network: { ...asWritten.network, endpoint },
    nodeGroup: { ...asWritten.nodeGroup, diskSize: writtenGroup.diskSize },
  };
  checkMeaning(cluster, report);
  if (problems.length > 0) {
    return fail();
  }
  return complete(cluster);
}

/** What the YAML parser found, in words for who writes the file. */
function syntaxText({ code, message }: YAMLParseError): string {
  if (code === 'DUPLICATE_KEY') {
    return 'this key is there twice; keep one of them';
  }
  if (/call stack/i.test(message)) {
    return TOO_DEEP;
  }
  return code === 'TAB_AS_INDENT' ? 'a tab stands here; YAML indents with spaces' : message;
}

/** The defaults that depend on other values. */
function complete(cluster: ClusterFile): ClusterFile {
  const { network, nodeGroup } = cluster;
  const { diskSize, ...group } = nodeGroup;
  return {
    ...cluster,
    network: { ...network, nodeSubnets: network.nodeSubnets ?? network.subnets },
    nodeGroup: {
      ...group,
      amiType: group.amiType ?? amiTypeFor(group.instanceType)!,
      labels: group.labels ?? {},
      ...(group.launchTemplate === undefined && { diskSize: diskSize ?? 100 }),
    },
  };
}

/** Where the value at a path begins, or its key; the nearest parent that is there for what is missing. */
function offsetOf(root: Node, path: Path, ofKey: boolean): number {
  let node: unknown = root;
  let offset = root.range?.[0] ?? 0;
  for (const [depth, step] of path.entries()) {
    if (isYamlMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
      if (pair === undefined) {
        return offset;
      }
      const [key, value] = [pair.key as Node, pair.value as Node | null];
      const isLast = depth === path.length - 1;
      offset = ((isLast && ofKey) || value?.range == null ? key.range : value.range)?.[0] ?? offset;
      node = value;
    } else {
      const item = (node as { items?: (Node | null)[] } | null)?.items?.[step as number];
      if (item == null) {
        return offset;
      }
      offset = item.range?.[0] ?? offset;
      node = item;
    }
  }
  return offset;
}
