import type { KubernetesObject } from '../manifest/object';

export type { KubernetesObject };

/** How much a finding weighs. */
export type Severity = 'error' | 'warning' | 'note';

/** What a rule has to say about one object. */
export interface Finding {
  /** Stable name: `group/name`. */
  readonly id: string;
  readonly severity: Severity;
  readonly object: KubernetesObject;
  /** JSON path within the object. */
  readonly path: string;
  /** What is wrong, with the value got. */
  readonly what: string;
  /** What comes of it. */
  readonly why: string;
  /** What to do. */
  readonly fix: string;
  /** Where the rule is known from. */
  readonly source: string;
}

/** All objects of an App, indexed once for all rules. */
export class ObjectSet {
  private readonly byKind = new Map<string, KubernetesObject[]>();

  /** The objects with a name; one that gets its name from the API server cannot clash with another. */
  public readonly objects: readonly KubernetesObject[];

  public constructor(objects: readonly KubernetesObject[]) {
    this.objects = objects.filter((object) => typeof object.metadata?.name === 'string');
    for (const object of this.objects) {
      const list = this.byKind.get(object.kind);
      if (list) {
        list.push(object);
      } else {
        this.byKind.set(object.kind, [object]);
      }
    }
  }

  /** The objects of a kind, in the order of the bundle. */
  public ofKind(kind: string): readonly KubernetesObject[] {
    return this.byKind.get(kind) ?? [];
  }
}

/** What the cluster is that the objects are meant for; what is not known is not judged. */
export interface TargetVersions {
  readonly kubernetes?: string;
  readonly lws?: string;
}

/** The place of an object among those of its kind; with another name, the place of a namesake of that name. */
export function placeOf(object: KubernetesObject, name = object.metadata.name): string {
  return `${object.metadata.namespace ?? ''}|${name}`;
}

/** `Kind/name` of an object. */
export function nameOf(object: KubernetesObject): string {
  return `${object.kind}/${object.metadata.name}`;
}

/** Reads a value by a path of keys; `undefined` where there is none. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    object,
  );
}
