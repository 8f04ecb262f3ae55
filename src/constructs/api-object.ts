import { ApiObject, type ApiObjectProps, JsonPatch } from 'cdk8s';
import type { Construct } from 'constructs';
import { Validator } from './validator';

/**
 * The plain form of a generated type: the classes that stand for quantities and ports become what YAML shows, and
 * enums become their words. The generated types are used for checking alone: nothing of them is loaded, nothing is
 * dropped when a user patches an object, and no name of theirs reaches the public API.
 */
export type Plain<T> = T extends string
  ? `${T}`
  : T extends { readonly value: infer V }
    ? keyof T extends 'value'
      ? V extends string | number
        ? V
        : string | number
      : { readonly [K in keyof T]: Plain<T[K]> }
    : T extends object
      ? { readonly [K in keyof T]: Plain<T[K]> }
      : T;

/** Defines the API object of a construct, under the id by which cdk8s finds the default child. */
export function defineObject<T>(
  scope: Construct,
  props: ApiObjectProps & Plain<T>,
  id: 'Resource' | (string & {}) = 'Resource',
): ApiObject {
  Validator.watch(scope);
  return new ApiObject(scope, id, props);
}

/** The same for kinds that live outside of namespaces: cdk8s would write the namespace of the chart into them. */
export function defineClusterObject<T>(scope: Construct, props: ApiObjectProps & Plain<T>, id?: string): ApiObject {
  const object = defineObject<T>(scope, props, id);
  if (object.metadata.namespace !== undefined) {
    object.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  }
  return object;
}
