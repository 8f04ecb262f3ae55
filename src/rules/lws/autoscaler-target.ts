import { splitOrdinal } from '../../engine/lws';
import { scaleTargetOf } from '../../manifest/others';
import { CPU_GROUP, together } from '../examples';
import { type KubernetesObject, nameOf, placeOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';

const SCALER = (target: string): string => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: chat, namespace: serving }
spec:
  minReplicas: 1
  maxReplicas: 4
  scaleTargetRef: ${target}
  metrics:
    - type: Pods
      pods: { metric: { name: vllm_num_requests_waiting }, target: { type: AverageValue, averageValue: "5" } }
`;

const KINDS = ['HorizontalPodAutoscaler', 'ScaledObject', 'VariantAutoscaling'];
const GROUP = 'leaderworkerset.x-k8s.io';

function* check({ set }: RuleInput): Iterable<Report> {
  const groups = new Map(set.ofKind('LeaderWorkerSet').map((lws) => [placeOf(lws), lws]));
  const own = new Set(
    ['StatefulSet', 'Deployment'].flatMap((kind) => set.ofKind(kind).map((object) => `${kind}|${placeOf(object)}`)),
  );
  for (const object of KINDS.flatMap((kind) => set.ofKind(kind))) {
    const { apiVersion, kind, name, path } = scaleTargetOf(object);
    if (name === undefined) {
      continue;
    }
    if (kind === 'LeaderWorkerSet') {
      if (apiVersion?.split('/')[0] !== GROUP) {
        yield {
          object,
          path: `${path}.apiVersion`,
          what: `the apiVersion of the target is ${apiVersion === undefined ? 'not given' : `'${apiVersion}'`}, and no LeaderWorkerSet is found under it`,
          why: 'the autoscaler finds nothing to scale',
          fix: `write apiVersion: ${GROUP}/v1`,
        };
      }
      continue;
    }
    const target = own.has(`${kind}|${placeOf(object, name)}`) ? undefined : groupOf(kind, object, name, groups);
    if (target !== undefined) {
      const isOwned = kind === 'StatefulSet';
      yield {
        object,
        path,
        what: `it scales ${kind}/${name}, which ${isOwned ? 'LWS makes for' : 'is not among the objects, beside'} ${nameOf(target)}`,
        ...(!isOwned && { why: 'there is no such object, so the autoscaler finds nothing to scale' }),
        fix: `scale apiVersion ${GROUP}/v1, kind LeaderWorkerSet, name ${target.metadata.name}`,
      };
    }
  }
}

function groupOf(
  kind: string,
  object: KubernetesObject,
  name: string,
  groups: ReadonlyMap<string, KubernetesObject>,
): KubernetesObject | undefined {
  const same = groups.get(placeOf(object, name));
  if (kind === 'Deployment') {
    return same;
  }
  const numbered = splitOrdinal(name);
  return kind === 'StatefulSet' ? (same ?? (numbered && groups.get(placeOf(object, numbered.base)))) : undefined;
}

export const autoscalerTarget: Rule = {
  id: 'lws/autoscaler-target',
  severity: 'error',
  title: 'an autoscaler scales something else than the LeaderWorkerSet',
  why: 'LWS owns that StatefulSet and puts its number of replicas back',
  fix: 'scale the LeaderWorkerSet',
  source: 'scale subresource of the LeaderWorkerSet CRD; an autoscaler on a real API server',
  get bad() {
    return together(CPU_GROUP, SCALER('{ apiVersion: apps/v1, kind: StatefulSet, name: chat }'));
  },
  get good() {
    return together(CPU_GROUP, SCALER(`{ apiVersion: ${GROUP}/v1, kind: LeaderWorkerSet, name: chat }`));
  },
  check,
};
