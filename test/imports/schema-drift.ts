import { isDeepStrictEqual } from 'node:util';

/** An OpenAPI v3 schema as a CustomResourceDefinition holds it. */
export type Schema = Record<string, unknown>;

export interface Difference {
  /** `.path.to.field` for a field that only one side has, `.path.to.field keyword` for the rest. */
  readonly at: string;
  readonly slim: unknown;
  readonly reference: unknown;
}

/**
 * Compares everything that the API server acts on; prose is not compared.
 *
 * @param cutAway what the slim schema leaves out on purpose, written like `Difference.at`. An entry that neither side
 * has comes back as a difference, so that the list cannot outlive its reasons.
 */
export function compareSchemas(slim: Schema, reference: Schema, cutAway: readonly string[] = []): Difference[] {
  const differences: Difference[] = [];
  const unusedCuts = new Set(cutAway);

  function isCut(at: string): boolean {
    unusedCuts.delete(at);
    return cutAway.includes(at);
  }

  function walk(left: Schema, right: Schema, path: string): void {
    for (const keyword of namesOf(left, right)) {
      const at = `${path} ${keyword}`;
      const [a, b] = [left[keyword], right[keyword]];
      if (keyword === 'description' || isCut(at)) continue;
      if (keyword === 'properties') {
        walkFields((a ?? {}) as Record<string, Schema>, (b ?? {}) as Record<string, Schema>, path);
      } else if ((keyword === 'items' || keyword === 'additionalProperties') && isSchema(a) && isSchema(b)) {
        walk(a, b, `${path}[]`);
      } else if (!isDeepStrictEqual(comparable(keyword, a), comparable(keyword, b))) {
        differences.push({ at, slim: a, reference: b });
      }
    }
  }

  function walkFields(left: Record<string, Schema>, right: Record<string, Schema>, path: string): void {
    for (const name of namesOf(left, right)) {
      const at = `${path}.${name}`;
      const [a, b] = [left[name], right[name]];
      if (isCut(at)) continue;
      if (a && b) walk(a, b, at);
      else differences.push({ at, slim: a && 'a field', reference: b && 'a field' });
    }
  }

  walk(slim, reference, '');
  for (const at of unusedCuts) differences.push({ at, slim: 'cut away', reference: undefined });
  return differences;
}

function namesOf(left: object, right: object): string[] {
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

/** The order of these two means nothing, so a generator that sorts differently is no drift. */
function comparable(keyword: string, value: unknown): unknown {
  return (keyword === 'required' || keyword === 'enum') && Array.isArray(value)
    ? (value as unknown[]).toSorted()
    : value;
}
