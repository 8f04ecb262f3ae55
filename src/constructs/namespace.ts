import { type ApiObject, Chart } from 'cdk8s';
import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { defineClusterObject } from './api-object';
import { PodSecurityLevel } from './options';

const NAMESPACES = Symbol.for('cdk8s-vllm.namespaces');
const LEVELS = [PodSecurityLevel.RESTRICTED, PodSecurityLevel.BASELINE, PodSecurityLevel.PRIVILEGED];

interface Owned {
  readonly object: ApiObject;
  level: PodSecurityLevel;
}

/**
 * The Namespace object of a group, defined once in an App however many groups live in it. Its Pod Security level is
 * the strictest that all of them meet. The label has to be true: a LeaderWorkerSet gets no warning at apply when its
 * pods are refused later, only an event on a StatefulSet.
 */
export function ensureNamespace(scope: Construct, level: PodSecurityLevel): void {
  const namespace = Chart.of(scope).namespace;
  if (namespace === undefined) {
    throw new Error(
      "the chart has no namespace to create; give it one (new Chart(app, id, { namespace: 'vllm' })) " +
        'or pass namespacePolicy: NamespacePolicy.EXISTING',
    );
  }
  const root = scope.node.root as unknown as { [NAMESPACES]?: Map<string, Owned> };
  const known = (root[NAMESPACES] ??= new Map<string, Owned>());
  const owned = known.get(namespace);
  if (owned === undefined) {
    const object = defineClusterObject<k8s.KubeNamespaceProps>(new Construct(scope, 'Namespace'), {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    known.set(namespace, { object, level });
    label(object, level);
  } else if (LEVELS.indexOf(level) > LEVELS.indexOf(owned.level)) {
    owned.level = level;
    label(owned.object, level);
  }
}

function label(object: ApiObject, level: PodSecurityLevel): void {
  for (const mode of ['enforce', 'audit', 'warn']) {
    object.metadata.addLabel(`pod-security.kubernetes.io/${mode}`, level);
  }
}
