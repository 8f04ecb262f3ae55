import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';

interface Schema {
  [key: string]: unknown;
  additionalProperties?: boolean;
}

/** The schema without room for fields that it does not name: what a plan has must be documented. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(closed);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const copy: Schema = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  return copy.type === 'object' && 'properties' in copy ? { ...copy, additionalProperties: false } : copy;
}

/** Holds a document to docs/NAME.schema.json, and to have nothing that is not in it. */
export function validatorOf(name: string) {
  const schema: unknown = JSON.parse(readFileSync(join(__dirname, `../../docs/${name}.schema.json`), 'utf8'));
  return new Ajv2020({ allErrors: true }).compile(closed(schema) as object);
}
