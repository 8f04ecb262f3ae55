import { nearest } from '../../common/nearest';
import { keyOf, namespaceOf } from '../../balancer/object';
import { get, readIngress } from '../../manifest';
import type { KubernetesObject } from '../finding';
import { CPU_POD_BEHIND_BALANCER, edit, INGRESS, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { ingressesOf, type Place } from './engine-routes';

const PREFIX = 'Service ';

/** Names are compared for so many Services at most: a file may be full of missing ones. */
const MOST_LOOK_UPS = 50;

function* check(input: RuleInput): Iterable<Report> {
  const groups = new Set(input.set.ofKind('LeaderWorkerSet').map(keyOf));
  const names = new Map<string, string[]>();
  for (const service of input.set.ofKind('Service')) {
    const namespace = namespaceOf(service);
    const known = names.get(namespace);
    if (known) {
      known.push(service.metadata.name);
    } else {
      names.set(namespace, [service.metadata.name]);
    }
  }
  let lookUps = 0;
  for (const plan of input.balancers) {
    const ingresses = ingressesOf(input, plan.ingresses);
    for (const key of plan.notSeen.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length))) {
      const slash = key.indexOf('/');
      const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)];
      const found = ingresses
        .filter((ingress) => namespaceOf(ingress) === namespace)
        .flatMap((ingress) => pathTo(ingress, name) ?? [])[0];
      // LWS makes a headless Service of the name of a group.
      if (found === undefined || groups.has(key)) {
        continue;
      }
      const others = names.get(namespace) ?? [];
      const meant = lookUps++ < MOST_LOOK_UPS ? nearest(name, others) : undefined;
      yield {
        ...found,
        what: `Service '${name}' of namespace ${namespace} is not among the objects`,
        ...(meant !== undefined && { fix: `name a Service that is there: '${meant}' is the nearest` }),
        ...(others.length === 0 && { severity: 'note' }),
      };
    }
  }
}

/** Where an Ingress names a Service; an action in an annotation may do so too. */
function pathTo(object: KubernetesObject, service: string): Place | undefined {
  const path = readIngress(object).paths.find((candidate) => candidate.service === service);
  if (path !== undefined) {
    return { object, path: path.jsonPath === 'spec.defaultBackend' ? path.jsonPath : `${path.jsonPath}.backend` };
  }
  const annotations = Object.values(get(object.metadata, 'annotations') ?? {});
  const isAction = annotations.some((text) => typeof text === 'string' && text.includes(`"${service}"`));
  return isAction ? { object, path: 'metadata.annotations' } : undefined;
}

export const missingService: Rule = {
  id: 'alb/missing-service',
  severity: 'warning',
  title: 'an Ingress leads to a Service that is not there',
  why: 'the controller reports success and answers every request of that path with 503: Backend service does not exist',
  fix: 'add the Service, or name one that is there',
  source: 'what a real controller, 3.5.0, made of it',
  get bad() {
    return together(
      edit(INGRESS, [
        '          - { path: /v1,',
        `          - { path: /docs, pathType: Prefix, backend: { service: { name: small-web, port: { number: 80 } } } }\n          - { path: /v1,`,
      ]),
      POD_SERVICE,
      CPU_POD_BEHIND_BALANCER,
    );
  },
  get good() {
    return together(INGRESS, POD_SERVICE, CPU_POD_BEHIND_BALANCER);
  },
  check,
};
