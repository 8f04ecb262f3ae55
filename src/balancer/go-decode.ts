import type { JsonNode } from './go-json';
import { BuildError } from './grammar';

/** The Go type that a JSON value is decoded into; `goType` is its name in error messages. */
export type GoType =
  | { readonly is: 'string' | 'bool' | 'int32' | 'intOrString'; readonly goType: string }
  | { readonly is: 'list' | 'map'; readonly of: GoType; readonly goType: string }
  | { readonly is: 'struct'; readonly name: string; readonly goType: string; readonly fields: Fields };

type Fields = Readonly<Record<string, GoType>>;

const simple = (is: 'string' | 'bool' | 'int32' | 'intOrString', goType: string = is): GoType => ({
  is,
  goType,
});

export const go = {
  string: simple('string'),
  bool: simple('bool'),
  int32: simple('int32'),
  intOrString: simple('intOrString', 'int32'),
  /** A text with a type of its own, which the messages name. */
  named: (goType: string): GoType => simple('string', goType),
  list: (of: GoType): GoType => ({ is: 'list', of, goType: `[]${of.goType}` }),
  map: (of: GoType): GoType => ({ is: 'map', of, goType: `map[string]${of.goType}` }),
  struct: (name: string, fields: Fields): GoType => ({ is: 'struct', name, goType: `ingress.${name}`, fields }),
};

/** Where a value stands: the innermost struct, and the path of its field. */
interface Place {
  readonly struct?: string;
  readonly path: readonly string[];
}

/**
 * Decodes a value as Go's encoding/json does: names of fields without regard to case, unknown fields passed by, null is
 * nothing, of equal keys the last one counts. The first value of a wrong type is the error.
 */
export function decode(node: JsonNode, type: GoType, place: Place = { path: [] }): unknown {
  if (node.kind === 'null') {
    return undefined;
  }
  switch (type.is) {
    case 'string':
      return node.kind === 'string' ? node.text : mismatch(node.kind, type, place);
    case 'bool':
      return node.kind === 'bool' ? node.value : mismatch(node.kind, type, place);
    case 'int32':
      return decodeInt(node, type, place);
    case 'intOrString':
      return node.kind === 'string' ? node.text : decodeInt(node, type, place);
    case 'list':
      return node.kind === 'array'
        ? node.items.map((item) => decode(item, type.of, place) ?? zeroOf(type.of))
        : mismatch(node.kind, type, place);
    case 'map':
      return node.kind === 'object'
        ? Object.fromEntries(
            node.entries.map(([key, value]) => [key, decode(value, type.of, place) ?? zeroOf(type.of)]),
          )
        : mismatch(node.kind, type, place);
    case 'struct':
      return node.kind === 'object'
        ? decodeStruct(node.entries, type.name, type.fields, place)
        : mismatch(node.kind, type, place);
  }
}

function decodeStruct(
  entries: readonly (readonly [string, JsonNode])[],
  name: string,
  fields: Fields,
  place: Place,
): Record<string, unknown> {
  const names = new Map(Object.keys(fields).map((field) => [field.toLowerCase(), field]));
  const values: Record<string, unknown> = {};
  for (const [key, node] of entries) {
    const field = Object.hasOwn(fields, key) ? key : names.get(key.toLowerCase());
    if (field !== undefined) {
      const value = decode(node, fields[field]!, { struct: name, path: [...place.path, field] });
      if (value !== undefined) {
        values[field] = value;
      }
    }
  }
  return values;
}

function decodeInt(node: JsonNode, type: GoType, place: Place): number {
  if (node.kind !== 'number') {
    return mismatch(node.kind, type, place);
  }
  const value = Number(node.literal);
  const isInt32 = /^-?\d+$/.test(node.literal) && value >= -(2 ** 31) && value < 2 ** 31;
  return isInt32 ? value : mismatch(`number ${node.literal}`, type, place);
}

function mismatch(value: string, type: GoType, { struct, path }: Place): never {
  const target = struct === undefined ? 'Go value' : `Go struct field ${struct}.${path.join('.')}`;
  throw new BuildError(`json: cannot unmarshal ${value} into ${target} of type ${type.goType}`);
}

function zeroOf(type: GoType): unknown {
  switch (type.is) {
    case 'string':
      return '';
    case 'int32':
    case 'intOrString':
      return 0;
    case 'bool':
      return false;
    case 'list':
      return [];
    default:
      return {};
  }
}
