import { isOpenToEveryone, isPublic, type Route, routesTo } from '../../balancer/effective';
import type { BalancerModel } from '../../balancer/types';
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
  type Place,
  placeOfAnnotation,
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

function byIngress(input: RuleInput): Exposure[] {
  return engineBalancers(input).flatMap(({ plan, model, routes, isUncertain }) => {
    const seen = new Set<EngineContainer>();
    return routes.flatMap(({ route, workload, engine }): Exposure[] => {
      const [object] = ingressesOf(input, plan.ingresses, route.rule?.ingress ?? route.targetGroup.ingress);
      if (object === undefined || seen.has(engine)) {
        return [];
      }
      seen.add(engine);
      const own = routes.filter((other) => other.engine === engine).map((other) => other.route);
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

function plainPlace(input: RuleInput, ingresses: readonly string[], { rule, listener, targetGroup }: Route) {
  const first = rule?.ingress ?? targetGroup.ingress;
  const objects = ingressesOf(input, ingresses, first);
  const ports = placeOfAnnotation(objects.slice(0, 1), 'listen-ports')!;
  return {
    ...(ports.path === 'metadata.annotations' ? placeOfAnnotation(objects, 'scheme')! : ports),
    port: listener.port,
  };
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
  const isOwn = (route: Route): boolean =>
    own.some(({ targetGroup, listener, rule }) => {
      return targetGroup === route.targetGroup && listener === route.listener && rule === route.rule;
    });
  const route = routesTo(model, path).find((candidate) => isOwn(candidate) && isPlainRoute(candidate));
  if (route === undefined) {
    return undefined;
  }
  const [object] = ingressesOf(input, [], route.rule?.ingress ?? route.targetGroup.ingress);
  return object && { object, path: pathOf(object, route) };
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
  return input.set.ofKind('Service').flatMap((object) => {
    const service = readService(object);
    if (service.type !== 'LoadBalancer') {
      return [];
    }
    const annotations = textMapOf(get(object.metadata, 'annotations'));
    const ranges = listOf(get(object.spec, 'loadBalancerSourceRanges')).flatMap((range) => textOf(range) ?? []);
    const certificate = annotations.get(`${NLB}ssl-cert`);
    return service.ports.flatMap(({ port, path }) =>
      enginesBehind(input, service, port ?? 0).map(({ workload, engine }): Exposure => {
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
