import { isOpenToEveryone, isPublic, type Route, routesTo } from '../../balancer/effective';
import type { BalancerModel, Listener, Rule, TargetGroup } from '../../balancer/types';
import { Answers } from '../../common/memo';
import {
  type EngineContainer,
  get,
  type IngressPath,
  listOf,
  readIngress,
  readService,
  textMapOf,
  textOf,
} from '../../manifest';
import {
  type EngineBehind,
  engineBalancers,
  enginesBehind,
  ingressesOf,
  ingressOf,
  type Place,
  placeOfAnnotation,
  sparingly,
} from '../alb/engine-routes';
import type { KubernetesObject } from '../finding';
import type { RuleInput } from '../rule';

/** A way from outside of the cluster to an engine. */
export interface Exposure extends EngineBehind {
  /** The Ingress or Service that opens it. */
  readonly object: KubernetesObject;
  /** Whether it has addresses of the Internet; `undefined` when that is not known. */
  readonly isPublic: boolean | undefined;
  /** Whether anyone of those who can route to it is let in. */
  readonly isForEveryone: boolean;
  /** Where clear text is taken in, for a finding; nothing when all of it is encrypted. */
  readonly plainText?: Place & { readonly port: number };
  /** How a path of the engine is reached without signing in anywhere else; nothing when it is not, for all that is known. */
  readonly wayTo: (path: string) => Place | undefined;
}

const known = new WeakMap<RuleInput, readonly Exposure[]>();

/** The ways to engines that the objects open: by Application Load Balancers, and by Services with a balancer of AWS. */
export function exposures(input: RuleInput): readonly Exposure[] {
  let found = known.get(input);
  if (found === undefined) {
    found = input.manifests.groups.length === 0 ? [] : [...byIngress(input), ...byService(input)];
    known.set(input, found);
  }
  return found;
}

const ofEngines = new WeakMap<RuleInput, ReadonlyMap<EngineContainer, readonly Exposure[]>>();

/** The ways to one engine. */
export function exposuresOf(input: RuleInput, engine: EngineContainer): readonly Exposure[] {
  let found = ofEngines.get(input);
  if (found === undefined) {
    const byEngine = new Map<EngineContainer, Exposure[]>();
    for (const exposure of exposures(input)) {
      const known = byEngine.get(exposure.engine);
      if (known) {
        known.push(exposure);
      } else {
        byEngine.set(exposure.engine, [exposure]);
      }
    }
    found = byEngine;
    ofEngines.set(input, found);
  }
  return found.get(engine) ?? [];
}

function byIngress(input: RuleInput): Exposure[] {
  return engineBalancers(input).flatMap(({ plan, model, routes, isUncertain }) => {
    const seen = new Set<EngineContainer>();
    const byEngine = new Map<EngineContainer, Route[]>(routes.map(({ engine }) => [engine, []]));
    routes.forEach(({ engine, route }) => byEngine.get(engine)!.push(route));
    return routes.flatMap(({ route, workload, engine }): Exposure[] => {
      if (seen.has(engine)) {
        return [];
      }
      const object = ingressOf(input, plan.ingresses, route.rule?.ingress ?? route.targetGroup.ingress);
      if (object === undefined) {
        return [];
      }
      seen.add(engine);
      const own = byEngine.get(engine)!;
      const plain = own.find(({ listener }) => listener.protocol === 'HTTP');
      return [
        {
          workload,
          engine,
          object,
          isPublic: isUncertain ? undefined : isPublic(model),
          isForEveryone: isOpenToEveryone(model),
          ...(plain && { plainText: plainPlace(input, plan.ingresses, plain) }),
          wayTo: (path) => wayThrough(input, model, own, path),
        },
      ];
    });
  });
}

const schemes = new Answers<readonly string[], Place | undefined>();

function plainPlace(input: RuleInput, ingresses: readonly string[], { rule, listener, targetGroup }: Route) {
  const first = rule?.ingress ?? targetGroup.ingress;
  const own = [ingressOf(input, ingresses, first)!];
  const [ports, scheme] = [placeOfAnnotation(own, 'listen-ports')!, placeOfAnnotation(own, 'scheme')!];
  if (ports.path !== 'metadata.annotations') {
    return { ...ports, port: listener.port };
  }
  // Of a group any Ingress may say it.
  const ofGroup = schemes.of(ingresses, '', () => placeOfAnnotation(ingressesOf(input, ingresses), 'scheme'));
  const isOwn = scheme.path !== 'metadata.annotations' || ofGroup?.path === 'metadata.annotations';
  return { ...(isOwn ? scheme : (ofGroup ?? scheme)), port: listener.port };
}

/** Conditions and actions that keep strangers out, or change what the engine is asked for. */
function isPlainRoute({ rule, listener }: Route): boolean {
  const actions = rule?.actions ?? listener.defaultActions;
  return (
    listener.mutualAuthentication === undefined &&
    rule?.transforms === undefined &&
    actions.every(({ type }) => type === 'forward') &&
    (rule?.conditions ?? []).every(
      (condition) =>
        (condition.field === 'host-header' || condition.field === 'path-pattern') && !('isRegex' in condition),
    )
  );
}

function wayThrough(input: RuleInput, model: BalancerModel, own: readonly Route[], path: string): Place | undefined {
  const order = orderOf(model, path);
  let [route, first]: [Route | undefined, number] = [undefined, Infinity];
  for (const candidate of own) {
    const place = order.get(candidate.rule ?? candidate.listener)?.get(candidate.targetGroup) ?? Infinity;
    if (place < first && isPlainRoute(candidate)) {
      [route, first] = [candidate, place];
    }
  }
  if (route === undefined) {
    return undefined;
  }
  const object = ingressOf(input, [], route.rule?.ingress ?? route.targetGroup.ingress);
  return object && { object, path: pathOf(object, route) };
}

type Order = ReadonlyMap<Rule | Listener, ReadonlyMap<TargetGroup, number>>;

const orders = new Answers<BalancerModel, Order>();

/** The routes that a request for a path can take, by the rule, or the listener whose default it is, and the target. */
function orderOf(model: BalancerModel, path: string): Order {
  return orders.of(model, path, () => {
    const order = new Map<Rule | Listener, Map<TargetGroup, number>>();
    for (const [i, { rule, listener, targetGroup }] of routesTo(model, path).entries()) {
      const targets = order.get(rule ?? listener) ?? new Map<TargetGroup, number>();
      order.set(rule ?? listener, targets);
      if (!targets.has(targetGroup)) {
        targets.set(targetGroup, i);
      }
    }
    return order;
  });
}

function pathOf(ingress: KubernetesObject, { rule, targetGroup }: Route): string {
  const { paths } = readIngress(ingress);
  const isOwn = ({ service, port }: IngressPath): boolean =>
    service === targetGroup.service && port === targetGroup.servicePort;
  const patterns = rule?.conditions.find(({ field }) => field === 'path-pattern')?.values ?? [];
  const found = paths.find((path) => {
    const bare = (path.path ?? '').replace(/\/$/, '');
    return isOwn(path) && (rule === undefined || patterns.includes(path.path ?? '') || patterns.includes(`${bare}/*`));
  });
  return (found ?? paths.find(isOwn))?.jsonPath ?? 'spec.rules';
}

const NLB = 'service.beta.kubernetes.io/aws-load-balancer-';
const EVERYONE = new Set(['0.0.0.0/0', '::/0']);

function byService(input: RuleInput): Exposure[] {
  const sparing = sparingly();
  return input.set.ofKind('Service').flatMap((object) => {
    const service = readService(object);
    if (service.type !== 'LoadBalancer') {
      return [];
    }
    const annotations = textMapOf(get(object.metadata, 'annotations'));
    const ranges = listOf(get(object.spec, 'loadBalancerSourceRanges')).flatMap((range) => textOf(range) ?? []);
    const certificate = annotations.get(`${NLB}ssl-cert`);
    return service.ports.flatMap(({ port, path }) =>
      sparing(enginesBehind(input, service, port ?? 0)).map(({ workload, engine }): Exposure => {
        const isEncrypted = certificate !== undefined || engine.command.isSet('--ssl-certfile') !== false;
        return {
          workload,
          engine,
          object,
          isPublic: schemeOf(annotations),
          isForEveryone: ranges.length === 0 || ranges.some((range) => EVERYONE.has(range)),
          ...(!isEncrypted && { plainText: { object, path, port: port ?? 0 } }),
          wayTo: () => ({ object, path }),
        };
      }),
    );
  });
}

/** Without an annotation, it depends on the controller whether it faces the Internet. */
function schemeOf(annotations: ReadonlyMap<string, string>): boolean | undefined {
  const scheme = annotations.get(`${NLB}scheme`);
  const internal = annotations.get(`${NLB}internal`);
  if (scheme === 'internet-facing') {
    return true;
  }
  return scheme === 'internal' || internal === 'true' || internal === '0.0.0.0/0' ? false : undefined;
}
