import { Answers } from '../../common/memo';
import { ALB_PREFIX, type AlbSuffix } from '../../balancer/annotations';
import { type Route, routesOf } from '../../balancer/effective';
import { keyOf } from '../../balancer/object';
import type { BalancerModel, BalancerPlan } from '../../balancer/types';
import {
  type EngineContainer,
  get,
  integerOf,
  leadsTo,
  podsSelectedBy,
  portOf,
  readService,
  type SelectedPod,
  type Service,
  textOf,
  type Workload,
} from '../../manifest';
import type { KubernetesObject } from '../finding';
import type { RuleInput } from '../rule';

/** An engine, and the port that something leads to on it. */
export interface EngineBehind {
  readonly workload: Workload;
  readonly engine: EngineContainer;
}

/** A way from a balancer to an engine. */
export interface EngineRoute extends EngineBehind {
  readonly route: Route;
  readonly service: KubernetesObject;
}

/** A balancer that is made, and what of it ends at engines. */
export interface EngineBalancer {
  readonly plan: BalancerPlan;
  readonly model: BalancerModel;
  readonly routes: readonly EngineRoute[];
  /** Whether IngressClassParams, which win over annotations, are elsewhere: nothing is certain then. */
  readonly isUncertain: boolean;
  /** Whether other Ingresses of the group may be elsewhere, and may say what these do not. */
  readonly mayHaveOthers: boolean;
}

const known = new WeakMap<RuleInput, readonly EngineBalancer[]>();

/** The balancers that lead to an engine; worked out once for all rules. */
export function engineBalancers(input: RuleInput): readonly EngineBalancer[] {
  let found = known.get(input);
  if (found === undefined) {
    const sparing = sparingly();
    found = input.balancers.flatMap((plan) => engineBalancer(input, plan, sparing) ?? []);
    known.set(input, found);
  }
  return found;
}

function engineBalancer(
  input: RuleInput,
  plan: BalancerPlan,
  sparing: ReturnType<typeof sparingly>,
): EngineBalancer | undefined {
  const { model } = plan;
  if (model === undefined || input.manifests.groups.length === 0) {
    return undefined;
  }
  const services = byKey(input, 'Service');
  const routes = routesOf(model).flatMap((route) => {
    const { namespace, service: name, servicePort } = route.targetGroup;
    const service = services.get(`${namespace}/${name}`);
    return service === undefined
      ? []
      : sparing(enginesBehind(input, readService(service), servicePort)).map((behind) => ({
          ...behind,
          route,
          service,
        }));
  });
  return routes.length === 0
    ? undefined
    : {
        plan,
        model,
        routes,
        isUncertain: hasUnseenParams(plan),
        mayHaveOthers: plan.isGroup && plan.ingresses.length === 1,
      };
}

/** Whether the parameters of the class, which win over annotations, are not among the objects. */
export function hasUnseenParams({ notSeen }: BalancerPlan): boolean {
  return notSeen.some((name) => name.startsWith('IngressClassParams '));
}

/** The objects of a kind by `namespace/name`, as the balancers call them. */
export function byKey(input: RuleInput, kind: 'Ingress' | 'Service'): ReadonlyMap<string, KubernetesObject> {
  const maps = keyed.get(input) ?? {};
  keyed.set(input, maps);
  return (maps[kind] ??= new Map(input.set.ofKind(kind).map((object) => [keyOf(object), object])));
}

const keyed = new WeakMap<RuleInput, Partial<Record<'Ingress' | 'Service', ReadonlyMap<string, KubernetesObject>>>>();

/** The engines that a port of a Service leads to: those that listen there, not what stands beside them in a pod. */
export function enginesBehind(
  { manifests }: RuleInput,
  service: Service,
  wanted: number | string,
): readonly EngineBehind[] {
  const port = portOf(service, wanted);
  if (port === undefined) {
    return [];
  }
  const pods = podsSelectedBy(service, manifests.workloads);
  return behind.of(pods, port.targetPort, () =>
    pods.flatMap(({ workload, pod }) => {
      const target = leadsTo(
        port,
        pod.containers.flatMap(({ ports }) => ports),
      );
      return pod.engines
        .filter((engine) => target !== undefined && listensOn(engine, target))
        .map((engine) => ({ workload, engine }));
    }),
  );
}

/** Services that select the same pods for the same port share one list. */
const behind = new Answers<readonly SelectedPod[], readonly EngineBehind[]>();

/** Ways to one list of engines that are all followed, and engines of it that further ways are followed to. */
const MOST_WAYS = 20;

/**
 * Hands lists of engines on. Where thousands of ways lead to one list of thousands, there would be millions of pairs: the first
 * ways get it whole, so that each engine is seen, and the others its beginning, so that each way is.
 */
export function sparingly(): (engines: readonly EngineBehind[]) => readonly EngineBehind[] {
  const uses = new Map<readonly EngineBehind[], number>();
  return (engines) => {
    const before = uses.get(engines) ?? 0;
    uses.set(engines, before + 1);
    return before < MOST_WAYS ? engines : engines.slice(0, MOST_WAYS);
  };
}

/** Whether an engine's server listens on a port; where its flags do not say, what the container declares counts. */
function listensOn({ settings, ports }: EngineContainer, target: number): boolean {
  if (settings === undefined || settings.headless.value === true) {
    return false;
  }
  const port = settings.port.value;
  return port === undefined ? ports.some(({ containerPort }) => containerPort === target) : port === target;
}

/** Where an annotation of a balancer stands, for a finding about it. */
export interface Place {
  readonly object: KubernetesObject;
  readonly path: string;
}

/** The path of an annotation within its object. */
export function annotationPath(annotation: string): string {
  return `metadata.annotations['${annotation}']`;
}

/** The first of some objects that carries an annotation; else the first object, where it would belong. */
export function placeOfAnnotation(objects: readonly KubernetesObject[], suffix: AlbSuffix): Place | undefined {
  const annotation = ALB_PREFIX + suffix;
  const holder = objects.find(({ metadata }) => typeof get(metadata.annotations, annotation) === 'string');
  const object = holder ?? objects[0];
  return object && { object, path: holder ? annotationPath(annotation) : 'metadata.annotations' };
}

/** An Ingress by its key; the first of a balancer's when that is none of the objects. */
export function ingressOf(input: RuleInput, ingresses: readonly string[], key: string): KubernetesObject | undefined {
  const all = byKey(input, 'Ingress');
  return all.get(key) ?? all.get(ingresses.find((each) => all.has(each)) ?? '');
}

/** The Ingresses of a balancer by their keys, one of them first. */
export function ingressesOf(input: RuleInput, ingresses: readonly string[], first?: string): KubernetesObject[] {
  const all = byKey(input, 'Ingress');
  const keys = first === undefined ? ingresses : [first, ...ingresses.filter((key) => key !== first)];
  return keys.flatMap((key) => all.get(key) ?? []);
}

/** The number in a variable of an engine; nothing when it is not set, `undefined` in `value` when it is not to be read. */
export function numberIn(
  engine: EngineContainer,
  name: string,
): { path: string; value: number | undefined } | undefined {
  const variable = engine.variable(name);
  const text = variable?.text.value?.trim();
  return (
    variable && {
      path: variable.path,
      value: text !== undefined && /^[+-]?\d{1,9}$/.test(text) ? integerOf(Number(text)) : undefined,
    }
  );
}

/** `Kind/name` of a workload. */
export function nameOfWorkload({ object }: Workload): string {
  return `${textOf(object.kind) ?? ''}/${object.metadata.name}`;
}
