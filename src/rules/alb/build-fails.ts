import { ALB_PREFIX, knownSuffix, type AlbSuffix } from '../../balancer/annotations';
import type { BalancerPlan } from '../../balancer/types';
import { nameOf } from '../finding';
import { CPU_POD_BEHIND_BALANCER, edit, INGRESS, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { byKey, hasUnseenParams, ingressesOf, type Place, placeOfAnnotation } from './engine-routes';
import { isEmptyInstancePort } from './instance-target';

/** Words of the controller's errors that name no annotation, and the annotation they come from; the first that fits counts. */
const WORDS: readonly (readonly [RegExp, AlbSuffix])[] = [
  [/unknown scheme|conflicting scheme/, 'scheme'],
  [/IPAddressType|IPv6 configuration/, 'ip-address-type'],
  [/load balancer name/, 'load-balancer-name'],
  [/inbound-cidrs|CIDR/, 'inbound-cidrs'],
  [/listen-ports|listen port|listen protocol|listenPort config/, 'listen-ports'],
  [/targetType/, 'target-type'],
  [/backend protocol version/, 'backend-protocol-version'],
  [/backend protocol/, 'backend-protocol'],
  [/healthCheckProtocol/, 'healthcheck-protocol'],
  [/healthCheckPort/, 'healthcheck-port'],
  [/Health check timeout/, 'healthcheck-timeout-seconds'],
  [/ModifyLoadBalancerAttributes|conflicting attributes/, 'load-balancer-attributes'],
  [/authType|IDPConfig/, 'auth-type'],
  [/SSL redirect|sslRedirect|ssl-redirect/i, 'ssl-redirect'],
  [/group order/, 'group.order'],
  [/groupName/, 'group.name'],
  [/subnet/, 'subnets'],
  [/securityGroups|security group/, 'security-groups'],
];

function annotationIn(message: string): AlbSuffix | undefined {
  const [, written = ''] = /alb\.ingress\.kubernetes\.io\/([\w.-]*[\w-])/.exec(message) ?? [];
  return knownSuffix(written)?.suffix ?? WORDS.find(([words]) => words.test(message))?.[1];
}

/** Where the cause of an error of the controller stands. */
function placeOf(input: RuleInput, plan: BalancerPlan): Place | undefined {
  const { message } = plan.event;
  const named = plan.ingresses.find((key) => new RegExp(`ngress: ${escaped(key)}(?![\\w.-])`).test(message));
  const ingresses = ingressesOf(input, plan.ingresses, named);
  const suffix = annotationIn(message);
  if (suffix === undefined) {
    const object = ingresses[0];
    return (
      object && { object, path: /\bpath\b|pathType|find port|service/.test(message) ? 'spec' : 'metadata.annotations' }
    );
  }
  const services = [...byKey(input, 'Service')].filter(([key]) => message.includes(key)).map(([, service]) => service);
  return placeOfAnnotation([...(named === undefined ? ingresses : ingresses.slice(0, 1)), ...services], suffix);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function* check(input: RuleInput): Iterable<Report> {
  for (const plan of input.balancers) {
    const { reason, message } = plan.event;
    const place = reason === 'SuccessfullyReconciled' ? undefined : placeOf(input, plan);
    if (place === undefined || isEmptyInstancePort(message)) {
      continue;
    }
    // What is not among the objects may be in the cluster.
    const isUncertain = hasUnseenParams(plan) || /services "[^"]*" not found/.test(message);
    const said = reason === 'LogOnly' ? 'says in its log, and nowhere else' : `answers with the event ${reason}`;
    yield {
      ...place,
      what: `the balancer of ${nameOf(place.object)} is not made: the controller ${said}: ${message}`,
      ...(reason === 'FailedDeployModel' && {
        why: 'AWS refuses a part of it, and the controller tries for ever; what was there before stays as it was',
      }),
      ...(isUncertain && { severity: 'note' }),
    };
  }
}

export const buildFails: Rule = {
  id: 'alb/build-fails',
  severity: 'error',
  title: 'the load balancer controller cannot make what an Ingress asks for',
  why: 'no balancer is made, or the one that is there is left as it was, and an event of the Ingress is all that tells of it',
  fix: 'put right what the controller names',
  holds: 'AWS Load Balancer Controller 3.5',
  source: 'what a real controller answered; its model builder',
  get bad() {
    return together(
      edit(INGRESS, [`${ALB_PREFIX}scheme: internal`, `${ALB_PREFIX}scheme: private`]),
      POD_SERVICE,
      CPU_POD_BEHIND_BALANCER,
    );
  },
  get good() {
    return together(INGRESS, POD_SERVICE, CPU_POD_BEHIND_BALANCER);
  },
  check,
};
