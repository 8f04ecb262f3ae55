import { ALB_PREFIX } from '../../balancer/annotations';
import { inboundCidrs, isOpenToEveryone, isPublic } from '../../balancer/effective';
import { CPU_POD_BEHIND_BALANCER, edit, INGRESS, POD_SERVICE, together } from '../examples';
import { nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { engineBalancers, ingressesOf, placeOfAnnotation } from './engine-routes';

function* check(input: RuleInput): Iterable<Report> {
  for (const { plan, model, isUncertain } of engineBalancers(input)) {
    const place = placeOfAnnotation(ingressesOf(input, plan.ingresses), 'inbound-cidrs');
    if (place !== undefined && !isUncertain && !isPublic(model) && isOpenToEveryone(model)) {
      yield {
        ...place,
        what: `the security group of the internal balancer of ${nameOf(place.object)} lets in ${inboundCidrs(model)!.join(', ')}`,
      };
    }
  }
}

export const openToEveryone: Rule = {
  id: 'alb/open-to-everyone',
  severity: 'note',
  title: 'the security group of an internal balancer in front of an engine lets everyone in',
  why:
    'the controller opens even an internal balancer to 0.0.0.0/0: every peered network, VPN and neighbour that can route to ' +
    'it reaches the engine',
  fix: `set ${ALB_PREFIX}inbound-cidrs to the networks of those who may call it, for example 10.0.0.0/8`,
  source: 'the security group that a real controller, 3.5.0, made',
  get bad() {
    return together(
      edit(INGRESS, [`    ${ALB_PREFIX}inbound-cidrs: 10.0.0.0/8\n`, '']),
      POD_SERVICE,
      CPU_POD_BEHIND_BALANCER,
    );
  },
  get good() {
    return together(INGRESS, POD_SERVICE, CPU_POD_BEHIND_BALANCER);
  },
  check,
};
