import { textOf } from '../../manifest/json';
import { type KubernetesObject, nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';

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

function* check({ objects, originOf }: RuleInput): Iterable<Report> {
  /** The first of each name, and the first in each folder. */
  const seen = new Map<string, KubernetesObject>();
  for (const object of objects) {
    const { name } = object.metadata;
    const namespace = namespaceOf(object);
    const group = /^(.*?)\//.exec(textOf(object.apiVersion) ?? '')?.[1] ?? '';
    const key = `${group}|${object.kind}|${namespace}|${name}`;
    const folder = originOf(object)?.folder;
    const inFolder = `${folder}|${key}`;
    const first = seen.get(key);
    if (first !== undefined) {
      const fix = FIXES[object.kind];
      const what = `two objects are called ${nameOf(object)}${namespace && ` in namespace ${namespace}`}`;
      const isTogether = folder === undefined || seen.has(inFolder) || originOf(first)?.folder === undefined;
      yield {
        object,
        path: 'metadata.name',
        ...(isTogether
          ? { what, ...(fix !== undefined && { fix }) }
          : { ...ELSEWHERE, what: `${what}: at ${originOf(first)?.place}, and at ${originOf(object)?.place}` }),
      };
    }
    seen.set(key, first ?? object);
    seen.set(inFolder, seen.get(inFolder) ?? object);
  }
}

/** Folders are often variants of one thing, of which one is applied. */
const ELSEWHERE = {
  severity: 'warning',
  why: 'when both are applied, the second one overwrites the first',
  fix: 'when both folders are applied, give one of them another name; otherwise check them one by one',
} as const;

function namespaceOf(object: KubernetesObject): string {
  return CLUSTER_SCOPED.has(object.kind) ? '' : (object.metadata.namespace ?? '');
}

const SERVICE = (name: string): string => `apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: tools }
spec: { selector: { app: dashboard }, ports: [{ port: 80 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: dashboard, namespace: tools }
spec:
  selector: { matchLabels: { app: dashboard } }
  template:
    metadata: { labels: { app: dashboard } }
    spec: { containers: [{ name: dashboard, image: registry.example/dashboard:1.0 }] }
`;

/** cdk8s joins a construct's path to a name and lets two objects of the same name pass: the second apply wins. */
export const duplicateName: Rule = {
  id: 'k8s/duplicate-name',
  severity: 'error',
  title: 'two objects of one kind, namespace and name',
  why: 'the second one overwrites the first when both are applied',
  fix: 'give one of them another name',
  source: 'the identity of Kubernetes objects',
  get bad() {
    return `${SERVICE('dashboard')}---\n${SERVICE('dashboard').split('---')[0]}`;
  },
  get good() {
    return SERVICE('dashboard');
  },
  check,
};
