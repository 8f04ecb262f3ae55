/** What a balancer is planned from: any object of a manifest; anyone may have written it, so nothing is taken for granted. */
export interface ManifestObject {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: unknown;
  readonly [field: string]: unknown;
}

/** A map, or an empty one in the place of anything else. */
export function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** A value of a map by its own key: what `toString` and its like inherit is nobody's input. */
export function fieldOf(value: unknown, key: string): unknown {
  const map = mapOf(value);
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** A list, or an empty one in the place of anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** A text that is not empty: for the controller, which is written in Go, an empty one and none are the same. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The texts of a list. */
export function textsOf(value: unknown): string[] {
  return listOf(value).filter((entry) => typeof entry === 'string');
}

/** Name of an object, empty when it has none. */
export function nameOf(object: ManifestObject): string {
  return textOf(fieldOf(object.metadata, 'name')) ?? '';
}

/** Namespace of an object; the one that the client is set to counts as `default`. */
export function namespaceOf(object: ManifestObject): string {
  return textOf(fieldOf(object.metadata, 'namespace')) ?? 'default';
}

/** `namespace/name`, as the controller writes it. */
export function keyOf(object: ManifestObject): string {
  return `${namespaceOf(object)}/${nameOf(object)}`;
}

/** The annotations of an object that are texts; the API server refuses the others. */
export function annotationsOf(object: ManifestObject): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(mapOf(fieldOf(object.metadata, 'annotations'))).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}
