/** A map as JSON has it, once it is known to be one. */
export type JsonMap = Readonly<Record<string, unknown>>;

/** The value as a map, or nothing: anyone may have written the object, so nothing is taken for granted. */
export function mapOf(value: unknown): JsonMap | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMap) : undefined;
}

/** The value of a key of its own; never what every object inherits, such as `constructor`. */
export function get(value: unknown, key: string): unknown {
  const map = mapOf(value);
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** The value behind several keys. */
export function dig(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(get, value);
}

/** The value as a list; anything else is an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function integerOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

export function booleanOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The entries of a map that are texts, in a map that inherits nothing: labels, selectors, annotations. */
export function textMapOf(value: unknown): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [key, entry] of Object.entries(mapOf(value) ?? {})) {
    if (typeof entry === 'string') {
      texts.set(key, entry);
    }
  }
  return texts;
}
