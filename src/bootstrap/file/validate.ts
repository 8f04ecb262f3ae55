import { didYouMean } from '../../common/nearest';
import { printable } from '../../common/printable';
import type { Schema } from './schema';

/** Where a value stands: keys and numbers of list items. */
export type Path = readonly (string | number)[];

/** Takes a problem of the value at a path; `ofKey` when the key itself is the problem. */
export type Report = (path: Path, message: string, ofKey?: boolean) => void;

/** A path as people write it: `addOns[1].name`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  );
}

/** A value in a message: texts in quotes, what has parts by its kind. */
export function shown(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `'${printable(value)}'`;
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return value === null || value === undefined ? 'empty' : Array.isArray(value) ? 'a list' : 'a map of keys';
  }
}

/** Walks a value by its schema and reports everything that is wrong with it. */
export function validate(schema: Schema, value: unknown, report: Report, path: Path = []): void {
  const name = pathText(path) || 'the file';
  switch (schema.type) {
    case 'object':
      return isMap(value) ? validateMap(schema, value, report, path) : wrongType('a map of keys');
    case 'array':
      return Array.isArray(value) ? validateList(schema, value, report, path) : wrongType('a list');
    case 'string':
      return typeof value === 'string' ? validateText(schema, value, report, path) : wrongType(wordsOf(schema));
    case 'integer':
      return typeof value === 'number' ? validateNumber(schema, value, report, path) : wrongType(wordsOf(schema));
    case 'boolean':
      return typeof value === 'boolean' ? undefined : wrongType('true or false');
  }

  function wrongType(allowed: string): void {
    report(path, `${name} is ${shown(value)}; it takes ${allowed}`);
  }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a scalar may be, in words. */
function wordsOf({ type, enum: words, 'x-allowed': allowed, minimum, maximum }: Schema): string {
  if (words !== undefined) {
    return words.length > 1 ? `one of ${words.join(', ')}` : words[0]!;
  }
  return allowed ?? (type === 'integer' ? `a whole number from ${minimum} to ${maximum}` : 'a text');
}

function validateMap(schema: Schema, value: Record<string, unknown>, report: Report, path: Path): void {
  const { properties = {}, required = [], additionalProperties, propertyNames, minProperties, maxProperties } = schema;
  const name = pathText(path) || 'the file';
  for (const [key, inner] of Object.entries(value)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (known !== undefined) {
      validate(known, inner, report, [...path, key]);
    } else if (additionalProperties === false || additionalProperties === undefined) {
      const keys = Object.keys(properties);
      report(
        [...path, key],
        `'${printable(key)}' is no key of ${name}${didYouMean(key, keys)}${didYouMean(key, keys) === '' ? `; there ${keys.length === 1 ? 'is' : 'are'} ${keys.join(', ')}` : ''}`,
        true,
      );
    } else {
      if (propertyNames !== undefined) {
        validateText(
          propertyNames,
          key,
          (at, message) => report(at, message, true),
          [...path, key],
          `a key of ${name}`,
        );
      }
      validate(additionalProperties, inner, report, [...path, key]);
    }
  }
  for (const key of required.filter((each) => !Object.hasOwn(value, each))) {
    const { description = '' } = properties[key]!;
    report(
      path,
      `${pathText([...path, key])} is missing${description === '' ? '' : `: ${firstSentence(description)}`}`,
    );
  }
  const count = Object.keys(value).length;
  if (count < (minProperties ?? 0) || count > (maxProperties ?? Infinity)) {
    report(path, `${name} has ${count} entries; it takes ${bounds(minProperties, maxProperties)}`);
  }
}

function firstSentence(text: string): string {
  return /^[^.:;]*/.exec(text)![0].trim();
}

function bounds(least = 0, most?: number): string {
  return most === undefined ? `${least} or more` : least === 0 ? `at most ${most}` : `${least} to ${most}`;
}

function validateList(schema: Schema, value: readonly unknown[], report: Report, path: Path): void {
  const { items, minItems, maxItems, uniqueItems } = schema;
  value.forEach((inner, i) => {
    validate(items!, inner, report, [...path, i]);
    if (uniqueItems && value.indexOf(inner) !== i) {
      report(
        [...path, i],
        `${pathText([...path, i])} is ${shown(inner)}, which stands in the list before; leave it out`,
      );
    }
  });
  if (value.length < (minItems ?? 0) || value.length > (maxItems ?? Infinity)) {
    report(path, `${pathText(path)} has ${value.length} entries; it takes ${bounds(minItems, maxItems)}`);
  }
}

function validateText(schema: Schema, value: string, report: Report, path: Path, name = pathText(path)): void {
  const { enum: words, pattern, minLength = 0, maxLength = Infinity } = schema;
  const length = [...value].length;
  if (words !== undefined && !words.includes(value)) {
    return report(path, `${name} is ${shown(value)}; it takes ${wordsOf(schema)}${didYouMean(value, words)}`);
  }
  if (length < minLength || length > maxLength) {
    return report(
      path,
      `${name} is ${shown(value)}, which has ${length} characters; it takes ${maxLength === Infinity ? `${minLength} or more` : bounds(minLength, maxLength)}${schema['x-allowed'] === undefined ? '' : `: ${schema['x-allowed']}`}`,
    );
  }
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
    report(path, `${name} is ${shown(value)}; it takes ${wordsOf(schema)}`);
  }
}

function validateNumber(schema: Schema, value: number, report: Report, path: Path): void {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    report(path, `${pathText(path)} is ${shown(value)}; it takes ${wordsOf(schema)}`);
  }
}

/** A value with the defaults of its schema where it says nothing. */
export function withDefaults(schema: Schema, value: unknown): unknown {
  if (value === undefined) {
    if (schema.default === undefined && schema.type === 'object' && schema.properties !== undefined) {
      return undefined;
    }
    return schema.default === undefined ? undefined : withDefaults(schema, schema.default);
  }
  if (Array.isArray(value)) {
    return value.map((inner) => withDefaults(schema.items!, inner));
  }
  if (isMap(value) && schema.properties !== undefined) {
    const entries = Object.entries(schema.properties).map(([key, inner]) => [key, withDefaults(inner, value[key])]);
    return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
  }
  return value;
}
