import { type Finding, type KubernetesObject, nameOf, type ObjectSet } from './finding';

/** Kinds that live outside of namespaces; cdk8s writes the namespace of the chart into them all the same. */
const CLUSTER_SCOPED = new Set([
  'APIService',
  'CSIDriver',
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'IngressClass',
  'IngressClassParams',
  'MutatingWebhookConfiguration',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PriorityClass',
  'RuntimeClass',
  'StorageClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
]);

/** What to do about two objects that this library makes one of. */
const FIXES: Readonly<Record<string, string>> = {
  Namespace: 'keep yours and pass namespacePolicy: NamespacePolicy.EXISTING to the group',
  IngressClass: 'make it once, and refer to it with AlbIngressClass.existing(name) elsewhere',
  IngressClassParams: 'make it once, and refer to its class with AlbIngressClass.existing(name) elsewhere',
};

/** cdk8s joins a construct's path to a name and lets two objects of the same name pass: the second apply wins. */
export function* duplicateName({ objects }: ObjectSet): Iterable<Finding> {
  const seen = new Set<string>();
  for (const object of objects) {
    const { name } = object.metadata;
    const namespace = namespaceOf(object);
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
        fix: FIXES[object.kind] ?? 'give one of them another name',
      };
    }
    seen.add(key);
  }
}

function namespaceOf(object: KubernetesObject): string {
  return CLUSTER_SCOPED.has(object.kind) ? '' : (object.metadata.namespace ?? '');
}
