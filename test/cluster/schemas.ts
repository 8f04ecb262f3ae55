import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { client } from './harness/given';

type Schema = Readonly<Record<string, unknown>>;
interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}
interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Where kubeconform looks for the schema of an object. */
export const LOCATION = '{{ .Group }}/{{ .ResourceKind }}_{{ .ResourceAPIVersion }}.json';

/**
 * Writes a JSON Schema of every kind that the API server serves, as kubeconform wants them: made from what the server itself
 * publishes, with unknown fields refused.
 */
export async function writeSchemas(folder: string): Promise<number> {
  const { body } = await client().get<{ paths: Record<string, { serverRelativeURL: string }> }>('/openapi/v3');
  let count = 0;
  for (const [path, { serverRelativeURL }] of Object.entries(body.paths)) {
    if (!/^apis?\/.*v\d/.test(path)) {
      continue;
    }
    const document = (await client().get<Document>(serverRelativeURL)).body;
    const schemas = document.components?.schemas ?? {};
    for (const [name, schema] of Object.entries(schemas)) {
      const [kind, ...others] = (schema['x-kubernetes-group-version-kind'] as Kind[] | undefined) ?? [];
      // Several kinds are those of helpers such as DeleteOptions.
      if (kind !== undefined && others.length === 0) {
        // To kubeconform the group of `v1` is `v1`.
        const group = kind.group || kind.version;
        mkdirSync(join(folder, group), { recursive: true });
        const file = join(folder, group, `${kind.kind.toLowerCase()}_${kind.version}.json`);
        writeFileSync(file, JSON.stringify(standAlone(name, schemas)));
        count++;
      }
    }
  }
  return count;
}

/** One schema with all that it refers to. */
function standAlone(root: string, schemas: Readonly<Record<string, Schema>>): Schema {
  const needed = new Map<string, unknown>();
  const need = (name: string): void => {
    if (!needed.has(name)) {
      needed.set(name, undefined);
      needed.set(name, strict(schemas[name], need));
    }
  };
  need(root);
  return { $ref: `#/definitions/${root}`, definitions: Object.fromEntries(needed) };
}

/** As the API server reads it: fields that are not named are refused, and `null` is a field left out. */
function strict(schema: unknown, need: (name: string) => void): unknown {
  if (Array.isArray(schema)) {
    return schema.map((each) => strict(each, need));
  }
  if (typeof schema !== 'object' || schema === null) {
    return schema;
  }
  const node = schema as Schema;
  if (typeof node.$ref === 'string') {
    const name = node.$ref.slice(node.$ref.lastIndexOf('/') + 1);
    need(name);
    return { $ref: `#/definitions/${name}` };
  }
  const made = Object.fromEntries(
    Object.entries(node)
      // A default is the server's to fill in, and may be an example of anything.
      .filter(([keyword]) => keyword !== 'default')
      .map(([keyword, value]) => [
        keyword,
        keyword === 'properties'
          ? Object.fromEntries(Object.entries(value as Schema).map(([name, each]) => [name, strict(each, need)]))
          : strict(value, need),
      ]),
  );
  const isOpen =
    node.properties === undefined ||
    node.additionalProperties !== undefined ||
    node['x-kubernetes-preserve-unknown-fields'] === true;
  return isOpen ? made : { ...made, additionalProperties: false };
}
