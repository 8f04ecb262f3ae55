import { nearest } from '../../common/nearest';
import { LWS_NAME_LABEL, LWS_PREFIX } from '../../engine/lws';
import type { Workload } from '../../manifest/groups';
import { dig, get, listOf, textMapOf, textOf } from '../../manifest/json';
import { podsMatching, type SelectedPod } from '../../manifest/selected';
import { matcherOf } from '../../manifest/selector';
import type { RuleInput } from '../rule';

/** Kinds that make no pods. What makes pods and is not read could have made those that a selector is for. */
const WITHOUT_PODS = new Set(
  `APIService Certificate ClusterIssuer ClusterRole ClusterRoleBinding ConfigMap CustomResourceDefinition DestinationRule
  EndpointSlice Endpoints EnvoyFilter ExternalSecret GRPCRoute Gateway GatewayClass HTTPRoute HorizontalPodAutoscaler
  InferenceModel InferenceObjective InferencePool Ingress IngressClass IngressClassParams Issuer Kustomization LimitRange
  LocalQueue ClusterQueue ResourceFlavor MutatingWebhookConfiguration Namespace NetworkPolicy PersistentVolume
  PersistentVolumeClaim PodDisruptionBudget PodMonitor PriorityClass PrometheusRule ReferenceGrant ResourceClaim
  ResourceClaimTemplate ResourceQuota Role RoleBinding RuntimeClass ScaledObject Secret SecretProviderClass Service
  ServiceAccount ServiceMonitor StorageClass TargetGroupBinding TriggerAuthentication ValidatingAdmissionPolicy
  ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration VerticalPodAutoscaler VirtualService`.split(/\s+/),
);

/** Labels that Kubernetes puts on pods, with values that a manifest does not tell. */
const ADDED = new Set([
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'controller-revision-hash',
  'pod-template-hash',
  'job-name',
  'controller-uid',
  'batch.kubernetes.io/job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-completion-index',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  `${LWS_PREFIX}subgroup-index`,
  `${LWS_PREFIX}subgroup-key`,
]);

export interface Miss {
  /** What the selector asks for and no pod has. */
  readonly what: string;
  readonly fix?: string;
  /**
   * How much speaks for it that pods at hand are meant: `much`, when they have most of what is asked for or it is about a
   * group; `some`, when they have the label with another value; `none`, when they could be others that are not at hand.
   */
  readonly likeness: 'much' | 'some' | 'none';
  /** Whether there are objects that may make pods of any labels. */
  readonly isOpen: boolean;
}

interface Surroundings {
  readonly pods: ReadonlyMap<string, readonly SelectedPod[]>;
  /** By namespace and label. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
  /** Namespaces with objects that may make pods. */
  readonly foreign: ReadonlySet<string>;
}

const known = new WeakMap<readonly Workload[], Surroundings>();

function surroundingsOf({ objects, manifests: { workloads } }: RuleInput): Surroundings {
  const found = known.get(workloads);
  if (found !== undefined) {
    return found;
  }
  const pods = new Map<string, SelectedPod[]>();
  const values = new Map<string, Set<string>>();
  for (const workload of workloads) {
    const list = pods.get(workload.namespace) ?? [];
    pods.set(workload.namespace, list);
    for (const pod of workload.pods) {
      list.push({ workload, pod });
      for (const [key, value] of pod.labels) {
        const place = `${workload.namespace}|${key}`;
        values.set(place, (values.get(place) ?? new Set()).add(value));
      }
    }
  }
  const read = new Set(workloads.map(({ object }) => object));
  const foreign = objects
    .filter((object) => !read.has(object) && !WITHOUT_PODS.has(object.kind))
    .map(({ metadata }) => metadata.namespace ?? '');
  const made = { pods, values, foreign: new Set(foreign) };
  known.set(workloads, made);
  return made;
}

/** Why a selector matches no pod of a namespace; nothing when it does, or when the pods are not among the objects. */
export function missOf(input: RuleInput, selector: unknown, namespace: string): Miss | undefined {
  const { pods: byNamespace, values, foreign } = surroundingsOf(input);
  const pods = byNamespace.get(namespace) ?? [];
  const wanted = new Map([...textMapOf(get(selector, 'matchLabels'))].filter(([key]) => !ADDED.has(key)));
  const expressions = listOf(get(selector, 'matchExpressions'));
  const asked = { matchLabels: Object.fromEntries(wanted), matchExpressions: expressions };
  if (pods.length === 0 || (wanted.size === 0 && expressions.length === 0)) {
    return undefined;
  }
  if (podsMatching(asked, [namespace], input.manifests.workloads).length > 0) {
    return undefined;
  }
  // Expressions may name labels that are added later, or not be readable.
  if (
    expressions.length > 0 &&
    (expressions.some((each) => ADDED.has(textOf(get(each, 'key')) ?? '')) || isUnreadable(asked, pods))
  ) {
    return undefined;
  }
  const valuesOf = (key: string): string[] => sorted(values.get(`${namespace}|${key}`));
  const isThere = ([key, value]: readonly [string, string]): boolean => {
    const all = values.get(`${namespace}|${key}`);
    return all !== undefined && (all.has(value) || all.has(VARYING));
  };
  const missing = [...wanted].find((pair) => !isThere(pair));
  const isOpen = foreign.has(namespace);
  if (missing === undefined) {
    const what = expressions.length > 0 ? 'no pod matches all of it' : 'no pod has all of these labels';
    return { what, likeness: expressions.length > 0 ? 'some' : 'much', isOpen };
  }
  const [key, value] = missing;
  const others = valuesOf(key);
  const isOfGroups = key.startsWith(LWS_PREFIX) && pods.some(({ workload }) => workload.kind === 'LeaderWorkerSet');
  const similar = nearest(value, others.slice(0, MOST));
  const isMuch = isOfGroups || similar !== undefined || [...wanted].some(isThere);
  return {
    what:
      others.length > 0
        ? `no pod has ${key}: ${value}; there ${others.length === 1 ? 'is' : 'are'} ${others.slice(0, 5).join(', ')}`
        : `no pod has a label ${key}`,
    ...fixFor(key, similar ?? (others.length === 1 ? others[0] : undefined), isOfGroups),
    likeness: isMuch ? 'much' : others.length > 0 ? 'some' : 'none',
    isOpen,
  };
}

/** Values that one is looked for among; a bundle with more of them has no time for it. */
const MOST = 200;

const sortedOf = new WeakMap<ReadonlySet<string>, string[]>();

/** The known values of a label, in order. */
function sorted(values: ReadonlySet<string> | undefined): string[] {
  const known = values && sortedOf.get(values);
  if (values === undefined || known !== undefined) {
    return known ?? [];
  }
  const made = [...values].filter((value) => value !== VARYING).sort();
  sortedOf.set(values, made);
  return made;
}

/** The value of a label that differs from pod to pod. */
const VARYING = '*';

function isUnreadable(selector: unknown, pods: readonly SelectedPod[]): boolean {
  const isMatch = matcherOf(selector);
  return pods.some(({ pod }) => isMatch(pod.labels) === undefined);
}

function fixFor(key: string, meant: string | undefined, isOfGroups: boolean): { fix?: string } {
  if (meant !== undefined) {
    return { fix: `write ${key}: ${meant}${isOfGroups ? '' : ', or give the pods the label'}` };
  }
  return isOfGroups ? { fix: `for leaders, select ${LWS_NAME_LABEL} and ${LWS_PREFIX}worker-index: "0"` } : {};
}

/** The selector of a Service as a label selector. */
export function plainSelector(raw: unknown): unknown {
  return { matchLabels: dig(raw, 'spec', 'selector') };
}
