import { type Finding, nameOf, type ObjectSet } from './finding';

/** cdk8s joins a construct's path to a name and lets two objects of the same name pass: the second apply wins. */
export function* duplicateName({ objects }: ObjectSet): Iterable<Finding> {
  const seen = new Set<string>();
  for (const object of objects) {
    const { name, namespace = '' } = object.metadata;
    const group = object.apiVersion.includes('/') ? object.apiVersion.slice(0, object.apiVersion.indexOf('/')) : '';
    const key = `${group}|${object.kind}|${namespace}|${name}`;
    if (seen.has(key)) {
      yield {
        id: 'k8s/duplicate-name',
        severity: 'error',
        object,
        path: 'metadata.name',
        what: `two objects are called ${nameOf(object)}${namespace && ` in namespace ${namespace}`}`,
        why: 'the second one overwrites the first when both are applied',
        fix: 'give one of them another name',
      };
    }
    seen.add(key);
  }
}
