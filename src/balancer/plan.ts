import { Backends } from './backend';
import { albIngresses, groupOf, type Member } from './classes';
import { deployError, refusals } from './deploy';
import { BuildError } from './grammar';
import { backendsOf, ignoredOnIngress, ignoredOnService, type NearestOf, nearestNames } from './ignored';
import { buildListener, listenPorts, redirectPort } from './listeners';
import { buildAddOns, buildLoadBalancer, distinct, inOrder } from './load-balancer';
import { keyOf, type ManifestObject } from './object';
import type { BalancerEvent, BalancerModel, BalancerPlan } from './types';

/**
 * What AWS Load Balancer Controller 3.5.0 makes of the Ingresses of class `alb` among objects: one plan for each group and
 * for each Ingress outside of groups, by name. The order of the objects does not matter.
 */
export function planBalancer(objects: readonly ManifestObject[]): BalancerPlan[] {
  const valid = objects.filter((object) => typeof object === 'object' && object !== null);
  const services = new Map(
    valid
      .filter(({ kind, apiVersion }) => kind === 'Service' && apiVersion === 'v1')
      .map((service) => [keyOf(service), service]),
  );
  const groups = new Map<string, Member[]>();
  const plans: BalancerPlan[] = [];
  const known: Known = { services, nearestOf: nearestNames() };
  for (const member of albIngresses(valid)) {
    try {
      const group = groupOf(member);
      const id = group ?? member.key;
      const members = groups.get(id);
      if (members) {
        members.push(member);
      } else {
        groups.set(id, [member]);
      }
    } catch (error) {
      const message = `failed load groupID due to ${wordsOf(error)}`;
      plans.push(planOf(member.key, [member], known, () => ({ event: { reason: 'FailedLoadGroupID', message } })));
    }
  }
  for (const [name, members] of groups) {
    plans.push(planOf(name, members, known, () => build(members, services)));
  }
  return plans.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

interface Outcome extends Pick<BalancerPlan, 'event' | 'model'> {
  /** In their order, when it can be told. */
  readonly members?: readonly Member[];
  /** Services that are not there. */
  readonly missing?: ReadonlySet<string>;
}

type Services = ReadonlyMap<string, ManifestObject>;

interface Known {
  readonly services: Services;
  readonly nearestOf: NearestOf;
}

function planOf(
  name: string,
  members: readonly Member[],
  { services, nearestOf }: Known,
  outcomeOf: () => Outcome,
): BalancerPlan {
  const outcome = outcomeOf();
  const ordered = outcome.members ?? [...members].sort((a, b) => (a.key < b.key ? -1 : 1));
  const behind = new Set(
    ordered.flatMap(({ object, namespace }) => backendsOf(object).map((backend) => `${namespace}/${backend.name}`)),
  );
  return {
    name,
    isGroup: !name.includes('/'),
    ingresses: ordered.map(({ key }) => key),
    event: outcome.event,
    ...(outcome.model && { model: outcome.model }),
    ignored: [
      ...ordered.flatMap((member) => ignoredOnIngress(member, nearestOf)),
      ...[...behind].sort().flatMap((key) => {
        const service = services.get(key);
        return service ? ignoredOnService(service, nearestOf) : [];
      }),
    ],
    notSeen: [
      ...[...(outcome.missing ?? [])].sort().map((key) => `Service ${key}`),
      ...distinct(ordered.map(({ paramsNotSeen = '' }) => paramsNotSeen)).map((name) => `IngressClassParams ${name}`),
    ],
    refusals: outcome.model ? refusals(outcome.model) : [],
  };
}

/** Builds a model and hands it to AWS, as far as both can be known here. */
function build(group: readonly Member[], services: Services): Outcome {
  let members: Member[];
  try {
    members = inOrder(group);
  } catch (error) {
    return { event: { reason: 'LogOnly', message: wordsOf(error) } };
  }
  let model: BalancerModel;
  let missing: ReadonlySet<string>;
  try {
    const ports = listenPorts(members);
    const loadBalancer = buildLoadBalancer(members);
    const redirect = redirectPort(members, ports);
    const backends = new Backends(services, loadBalancer);
    const listeners = ports.map((port) => buildListener(port, backends, loadBalancer, redirect));
    model = {
      loadBalancer: { ...loadBalancer, ...buildAddOns(members) },
      listeners,
      targetGroups: [...backends.targetGroups.values()],
    };
    missing = backends.missing;
  } catch (error) {
    return { event: { reason: 'FailedBuildModel', message: `Failed build model due to ${wordsOf(error)}` }, members };
  }
  const refused = deployError(model);
  const event: BalancerEvent =
    refused === undefined
      ? { reason: 'SuccessfullyReconciled', message: 'Successfully reconciled' }
      : { reason: 'FailedDeployModel', message: `Failed deploy model due to ${refused}` };
  return { event, model, members, missing };
}

function wordsOf(error: unknown): string {
  if (error instanceof BuildError) {
    return error.message;
  }
  throw error;
}
