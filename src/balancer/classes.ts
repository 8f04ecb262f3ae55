import { BuildError } from './grammar';
import { annotationsOf, fieldOf, keyOf, type ManifestObject, mapOf, namespaceOf, nameOf, textOf } from './object';
import { Annotations } from './reader';

/** Controller of an IngressClass that makes Application Load Balancers. */
export const ALB_CONTROLLER = 'ingress.k8s.aws/alb';
/** API group of IngressClassParams. */
export const PARAMS_GROUP = 'elbv2.k8s.aws';
/** The IngressClass that the chart of the controller makes. */
export const DEFAULT_CLASS = 'alb';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const DEFAULT_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';

/** An Ingress that the controller takes for its own. */
export interface Member {
  readonly object: ManifestObject;
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly annotations: Annotations;
  /** `spec` of the IngressClassParams, which wins over annotations. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Name of IngressClassParams that are not among the objects. */
  readonly paramsNotSeen?: string;
  /** Why the class is invalid. */
  readonly classError?: string;
}

/** The Ingresses among objects that the controller makes balancers of. */
export function albIngresses(objects: readonly ManifestObject[]): Member[] {
  const classes = byName(objects, 'IngressClass', 'networking.k8s.io');
  const params = byName(objects, 'IngressClassParams', PARAMS_GROUP);
  return objects
    .filter((object) => isKind(object, 'Ingress', 'networking.k8s.io') && nameOf(object) !== '')
    .flatMap((object) => {
      const annotations = annotationsOf(object);
      const found = classify(object, annotations, classes, params);
      return found === undefined
        ? []
        : [
            {
              object,
              key: keyOf(object),
              namespace: namespaceOf(object),
              annotations: new Annotations(annotations),
              params: {},
              ...found,
            },
          ];
    });
}

/** What the class of an Ingress says; nothing when it is a class of another controller. */
type Classified = Partial<Pick<Member, 'params' | 'paramsNotSeen' | 'classError'>> | undefined;

function classify(
  ingress: ManifestObject,
  annotations: ReadonlyMap<string, string>,
  classes: ReadonlyMap<string, ManifestObject>,
  params: ReadonlyMap<string, ManifestObject>,
): Classified {
  // The annotation comes first, and knows of no IngressClass and no parameters.
  const old = annotations.get(CLASS_ANNOTATION);
  if (old !== undefined) {
    return old === DEFAULT_CLASS ? {} : undefined;
  }
  const name = textOf(fieldOf(ingress.spec, 'ingressClassName')) ?? defaultClass(classes);
  const found = name === undefined ? undefined : classes.get(name);
  if (found === undefined) {
    return name === DEFAULT_CLASS ? {} : undefined;
  }
  if (fieldOf(found.spec, 'controller') !== ALB_CONTROLLER) {
    return undefined;
  }
  const reference = fieldOf(found.spec, 'parameters');
  if (reference === undefined || reference === null) {
    return {};
  }
  if (fieldOf(reference, 'apiGroup') !== PARAMS_GROUP || fieldOf(reference, 'kind') !== 'IngressClassParams') {
    return { classError: `IngressClass ${name} references unknown parameters` };
  }
  const paramsName = textOf(fieldOf(reference, 'name')) ?? '';
  const object = params.get(paramsName);
  return object === undefined ? { paramsNotSeen: paramsName } : { params: mapOf(object.spec) };
}

/** The class that the API server gives an Ingress that names none. */
function defaultClass(classes: ReadonlyMap<string, ManifestObject>): string | undefined {
  return [...classes.values()]
    .filter((object) => annotationsOf(object).get(DEFAULT_ANNOTATION) === 'true')
    .map(nameOf)
    .sort()[0];
}

function byName(objects: readonly ManifestObject[], kind: string, group: string): Map<string, ManifestObject> {
  return new Map(objects.filter((object) => isKind(object, kind, group)).map((object) => [nameOf(object), object]));
}

/** Whether an object is of a kind, in any version of its API group. */
export function isKind(object: ManifestObject, kind: string, group: string): boolean {
  return object.kind === kind && typeof object.apiVersion === 'string' && object.apiVersion.startsWith(`${group}/`);
}

const GROUP_NAME = /^([a-z0-9][-a-z0-9.]*)?[a-z0-9]$/;
const MAX_GROUP_NAME = 63;

/** Whether a group of Ingresses can be called so. */
export function isGroupName(name: string): boolean {
  return GROUP_NAME.test(name) && name.length <= MAX_GROUP_NAME;
}

/** The group of an Ingress, or `undefined` when it has a balancer of its own. */
export function groupOf({ annotations, params, classError }: Member): string | undefined {
  if (classError !== undefined) {
    throw new BuildError(`invalid ingress class: ${classError}`);
  }
  const group = fieldOf(params, 'group');
  const name = group === undefined ? annotations.text('group.name') : (textOf(fieldOf(group, 'name')) ?? '');
  if (name === undefined || isGroupName(name)) {
    return name;
  }
  throw new BuildError(
    GROUP_NAME.test(name)
      ? `invalid ingress group: groupName must be no more than ${MAX_GROUP_NAME} characters`
      : "invalid ingress group: groupName must consist of lower case alphanumeric characters, '-' or '.', and must " +
          'start and end with an alphanumeric character',
  );
}
