import {
  ALB_ANNOTATIONS,
  ALB_PREFIX,
  type AlbAnnotation,
  type AlbSuffix,
  knownSuffix,
  nearestAnnotation,
} from './annotations';
import { USE_ANNOTATION } from './backend';
import type { Member } from './classes';
import { annotationsOf, fieldOf, keyOf, listOf, type ManifestObject, textOf } from './object';
import type { IgnoredAnnotation } from './types';

/** The known annotation that a misspelt one meant, if any. */
export type NearestOf = (suffix: string) => string | undefined;

/** What a name can be at most; nothing longer is compared. */
const MAX_NAME = 63;
const MAX_LOOK_UPS = 500;

/** Looks names up once, and not without end: a file may be full of wrong ones. */
export function nearestNames(): NearestOf {
  const known = new Map<string, string | undefined>();
  return (suffix) => {
    if (!known.has(suffix) && known.size < MAX_LOOK_UPS && suffix.length <= MAX_NAME) {
      known.set(suffix, nearestAnnotation(suffix));
    }
    return known.get(suffix);
  };
}

/** Annotations of an Ingress that nobody reads. The controller passes them by without a word. */
export function ignoredOnIngress({ object, key }: Member, nearestOf: NearestOf): IgnoredAnnotation[] {
  const backends = backendsOf(object);
  const names = {
    actions: new Set(backends.filter(({ port }) => port === USE_ANNOTATION).map(({ name }) => name)),
    conditions: new Set(backends.map(({ name }) => name)),
    transforms: new Set(backends.map(({ name }) => name)),
  };
  return ignored(object, `Ingress ${key}`, nearestOf, (suffix, name) =>
    Object.hasOwn(names, suffix) && !names[suffix as keyof typeof names].has(name ?? '') ? 'unused' : undefined,
  );
}

/** Annotations of a Service behind an Ingress that nobody reads. */
export function ignoredOnService(service: ManifestObject, nearestOf: NearestOf): IgnoredAnnotation[] {
  return ignored(service, `Service ${keyOf(service)}`, nearestOf, (suffix) =>
    (ALB_ANNOTATIONS[suffix] as AlbAnnotation).on === 'Ingress' ? 'misplaced' : undefined,
  );
}

function ignored(
  object: ManifestObject,
  name: string,
  nearestOf: NearestOf,
  whyNot: (suffix: AlbSuffix, name: string | undefined) => 'unused' | 'misplaced' | undefined,
): IgnoredAnnotation[] {
  return [...annotationsOf(object).keys()]
    .filter((annotation) => annotation.startsWith(ALB_PREFIX))
    .sort()
    .flatMap((annotation): IgnoredAnnotation[] => {
      const suffix = annotation.slice(ALB_PREFIX.length);
      const known = knownSuffix(suffix);
      if (known === undefined) {
        const nearest = nearestOf(suffix);
        return [{ object: name, annotation, why: 'unknown', ...(nearest !== undefined && { nearest }) }];
      }
      const why = whyNot(known.suffix, known.name);
      return why === undefined ? [] : [{ object: name, annotation, why }];
    });
}

/** Names of the Services behind an Ingress, with the name of the port if there is one. */
export function backendsOf(ingress: ManifestObject): { name: string; port: string | undefined }[] {
  const { spec } = ingress;
  const paths = listOf(fieldOf(spec, 'rules')).flatMap((rule) => listOf(fieldOf(fieldOf(rule, 'http'), 'paths')));
  return [fieldOf(spec, 'defaultBackend'), ...paths.map((path) => fieldOf(path, 'backend'))].flatMap((backend) => {
    const service = fieldOf(backend, 'service');
    const name = textOf(fieldOf(service, 'name'));
    return name === undefined ? [] : [{ name, port: textOf(fieldOf(fieldOf(service, 'port'), 'name')) }];
  });
}
