import { type ApiObject, Chart } from 'cdk8s';
import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { checkDnsLabel } from '../common/names';
import { defineClusterObject } from './api-object';
import { NamespacePolicy, PodSecurityLevel } from './options';

const NAMESPACES = Symbol.for('cdk8s-vllm.namespaces');
const LEVELS = [PodSecurityLevel.RESTRICTED, PodSecurityLevel.BASELINE, PodSecurityLevel.PRIVILEGED];

interface Known {
  /** The object, once a group has defined it. */
  object?: ApiObject;
  level: PodSecurityLevel;
}

/**
 * Says which Pod Security level the pods of a group need. The Namespace object, which one group of the App defines, bears
 * the strictest level that all of them meet. The label has to be true: a LeaderWorkerSet gets no warning at apply when its
 * pods are refused later, only an event on a StatefulSet.
 */
export function declareNamespace(scope: Construct, level: PodSecurityLevel, policy?: NamespacePolicy): void {
  const { namespace } = Chart.of(scope);
  const policyOrDefault = policy ?? (isOrdinary(namespace) ? NamespacePolicy.CREATE : NamespacePolicy.EXISTING);
  if (namespace === undefined) {
    if (policyOrDefault === NamespacePolicy.CREATE) {
      throw new Error(
        "the chart has no namespace to create; give it one (new Chart(app, id, { namespace: 'vllm' })) " +
          'or pass namespacePolicy: NamespacePolicy.EXISTING',
      );
    }
    return;
  }
  checkDnsLabel('namespace of the chart', namespace);
  if (policy === NamespacePolicy.CREATE && !isOrdinary(namespace)) {
    throw new Error(
      `namespace '${namespace}' belongs to the cluster, and a Pod Security level on it would stop what runs there; take ` +
        'a namespace of your own, or pass namespacePolicy: NamespacePolicy.EXISTING',
    );
  }
  const root = scope.node.root as unknown as { [NAMESPACES]?: Map<string, Known> };
  const namespaces = (root[NAMESPACES] ??= new Map<string, Known>());
  const known = namespaces.get(namespace) ?? { level };
  namespaces.set(namespace, known);
  if (LEVELS.indexOf(level) > LEVELS.indexOf(known.level)) {
    known.level = level;
  }
  if (policyOrDefault === NamespacePolicy.CREATE) {
    known.object ??= defineClusterObject<k8s.KubeNamespaceProps>(new Construct(scope, 'Namespace'), {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
  }
  for (const mode of ['enforce', 'audit', 'warn']) {
    known.object?.metadata.addLabel(`pod-security.kubernetes.io/${mode}`, known.level);
  }
}

/** Whether a namespace can be the bundle's own. */
function isOrdinary(namespace: string | undefined): boolean {
  return namespace !== undefined && namespace !== 'default' && !namespace.startsWith('kube-');
}
