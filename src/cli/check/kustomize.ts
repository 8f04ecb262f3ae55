import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { get, listOf, textOf } from '../../manifest';
import { compose } from './yaml/compose';

/** The names that kustomize knows. */
const NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];
/** No such file is larger; what is, is not looked into. */
const MOST_BYTES = 2 ** 20;

/** A file that says what kustomize makes of others. */
export interface Kustomization {
  /** As messages name it. */
  readonly name: string;
  readonly folder: string;
  /** Files that it reads and does not apply as they are: patches, configurations, data. By their real paths. */
  readonly notApplied: readonly string[];
  /** Real paths of the files and folders that it builds upon. */
  readonly builtUpon: readonly string[];
}

/** The kustomization of a folder, if one of its files is one. */
export function kustomizationOf(folder: string, files: readonly string[]): Kustomization | undefined {
  const own = NAMES.find((name) => files.includes(name));
  if (own === undefined) {
    return undefined;
  }
  const name = join(folder, own);
  const value = valueOf(name);
  const realOf = (path: string): string[] => {
    try {
      return [realpathSync(join(folder, path))];
    } catch {
      // A patch that stands in the kustomization itself, an address, or a file that is missing.
      return [];
    }
  };
  return {
    name,
    folder,
    notApplied: notAppliedBy(value).flatMap(realOf),
    builtUpon: resourcesOf(value).flatMap(realOf),
  };
}

function valueOf(path: string): unknown {
  try {
    return statSync(path).size > MOST_BYTES ? undefined : compose(readFileSync(path, 'utf8')).values[0];
  } catch {
    // What is wrong with it is said where the file itself is read.
    return undefined;
  }
}

/** Fields of plain paths whose files are read and not applied. */
const PATHS = ['patchesStrategicMerge', 'configurations', 'crds', 'generators', 'transformers', 'validators'];
/** Fields of entries, each with a path or what stands for it. */
const ENTRIES = ['patches', 'patchesJson6902', 'replacements'];
/** Fields of entries that make data of files: `files: [name=path]`, `envs: [path]`. */
const GENERATORS = ['configMapGenerator', 'secretGenerator'];

function notAppliedBy(value: unknown): string[] {
  const plain = [...PATHS, ...ENTRIES].flatMap((key) => listOf(get(value, key)).map(textOf));
  const entries = ENTRIES.flatMap((key) => listOf(get(value, key)).map((entry) => textOf(get(entry, 'path'))));
  const data = GENERATORS.flatMap((key) => listOf(get(value, key)))
    .flatMap((entry) => [...listOf(get(entry, 'files')), ...listOf(get(entry, 'envs')), get(entry, 'env')])
    .map((file) => textOf(file)?.replace(/^[^=]*=/, ''));
  const charts = listOf(get(value, 'helmCharts')).flatMap((chart) =>
    [get(chart, 'valuesFile'), ...listOf(get(chart, 'additionalValuesFiles'))].map(textOf),
  );
  return [...plain, ...entries, ...data, ...charts, textOf(get(get(value, 'openapi'), 'path'))].filter(isPath);
}

function resourcesOf(value: unknown): string[] {
  return ['resources', 'bases', 'components'].flatMap((key) => listOf(get(value, key)).map(textOf)).filter(isPath);
}

/** A patch may be written out where a path could stand. */
function isPath(text: string | undefined): text is string {
  return text !== undefined && text !== '' && !text.includes('\n') && text.length < 4096;
}

/** How what kustomize makes of the files is checked, and where that is said; nothing without a kustomization. */
export function kustomizeHint(
  all: readonly Kustomization[],
  leftOut: number,
): { readonly file: string; readonly message: string } | undefined {
  const used = new Set(all.flatMap(({ builtUpon }) => builtUpon));
  const roots = all.filter(({ folder }) => !used.has(realpathSync(folder)));
  // What builds on most is most often what is applied.
  const [root] = [...(roots.length > 0 ? roots : all)].sort((a, b) => b.builtUpon.length - a.builtUpon.length);
  if (root === undefined) {
    return undefined;
  }
  const files =
    leftOut === 1
      ? 'file that kustomize reads and does not apply is'
      : 'files that kustomize reads and does not apply are';
  return {
    file: root.name,
    message:
      (leftOut > 0 ? `${leftOut} ${files} left out; ` : '') +
      `what it builds is checked with: kustomize build ${quoted(root.folder)} | cdk8s-vllm check -` +
      (roots.length > 1 ? `, and so for ${roots.length - 1} more` : ''),
  };
}

/** A path as a shell takes it. */
export function quoted(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
