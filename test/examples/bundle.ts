import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** An object of the bundle, or anything inside of one. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type Fields = { readonly [key: string]: Json };

/** What stands at a path: `undefined` where there is nothing, a list where the path asks for several places. */
export type Found = Json | undefined;

const root = join(__dirname, '../..');

export function readBundle(): Fields[] {
  const documents = parseAllDocuments(readFileSync(join(root, 'dist/vllm-gemma.k8s.yaml'), 'utf8'));
  return documents.map((document) => document.toJS() as Fields);
}

/** The objects that `Kind/name` or `Kind` means. */
export function select(bundle: readonly Fields[], where: string): Fields[] {
  const [kind, name] = where.split('/');
  return bundle.filter(
    (object) => object.kind === kind && (name === undefined || at(object, 'metadata.name') === name),
  );
}

/**
 * Reads `spec.a[0].b`, `volumes[*].c`, `annotations[a.b/c]`, `env[NAME].value` (a list entry by its name) and
 * `args --flag` (the value of a flag, `present` for one without a value).
 */
export function at(start: Json, path: string): Found {
  const [place = '', flag] = path.split(' ');
  const steps = [...place.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map((match) => match[1] ?? match[2] ?? '');
  const found = walk(start, steps);
  return flag === undefined ? found : flagValue(found, flag);
}

function walk(value: Found, steps: readonly string[]): Found {
  const [step, ...rest] = steps;
  if (step === undefined || value === undefined) {
    return value;
  }
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    if (step === '*') {
      const all = list.flatMap((each) => walk(each, rest) ?? []);
      return all.length === 0 ? undefined : all;
    }
    return walk(/^\d+$/.test(step) ? list[Number(step)] : list.find((each) => at(each, 'name') === step), rest);
  }
  return typeof value === 'object' && value !== null ? walk((value as Fields)[step], rest) : undefined;
}

function flagValue(args: Found, flag: string): Found {
  const list = (args ?? []) as readonly string[];
  for (const [index, argument] of list.entries()) {
    if (argument.startsWith(`${flag}=`)) {
      return argument.slice(flag.length + 1);
    }
    if (argument === flag) {
      const next = list[index + 1];
      return next === undefined || next.startsWith('-') ? 'present' : next;
    }
  }
  return undefined;
}

/** As the document and the settings file write it. */
export function show(found: Found): string {
  if (found === undefined) {
    return '(absent)';
  }
  if (Array.isArray(found)) {
    return found.join(', ');
  }
  if (typeof found === 'object' && found !== null) {
    // An entry of `env` stands for its value.
    const { value } = found as Fields;
    return value === undefined ? 'present' : show(value);
  }
  return String(found);
}

/** Whether what was found is what a row asks for. Of several places one is enough. */
export function equals(found: Found, value: string): boolean {
  return Array.isArray(found) ? found.some((each) => show(each as Json) === value) : show(found) === value;
}
