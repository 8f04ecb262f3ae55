import { ALB_PREFIX } from '../../balancer/annotations';
import { CPU_POD_BEHIND_BALANCER, edit, INGRESS, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { byKey, ingressesOf, placeOfAnnotation } from './engine-routes';

function* check(input: RuleInput): Iterable<Report> {
  for (const plan of input.balancers) {
    for (const { annotation, what, targetGroup } of plan.refusals) {
      const service = byKey(input, 'Service').get(targetGroup?.slice(0, targetGroup.lastIndexOf(':')) ?? '');
      const place = placeOfAnnotation(
        [...ingressesOf(input, plan.ingresses), ...(service ? [service] : [])],
        annotation,
      );
      if (place !== undefined) {
        yield { ...place, what: `${annotation}${targetGroup === undefined ? '' : ` of ${targetGroup}`}: ${what}` };
      }
    }
  }
}

export const refusedByAws: Rule = {
  id: 'alb/refused-by-aws',
  severity: 'error',
  title: 'AWS refuses a value that the load balancer controller hands on to it',
  why: 'the controller tries for ever, and the balancer or target group stays without what is asked for',
  fix: 'take a value that AWS allows',
  source: 'API reference of Elastic Load Balancing',
  get bad() {
    return together(
      edit(INGRESS, [
        `    ${ALB_PREFIX}healthcheck-path: /health\n`,
        `    ${ALB_PREFIX}healthcheck-path: /health\n    ${ALB_PREFIX}unhealthy-threshold-count: "20"\n`,
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
