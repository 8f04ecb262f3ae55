import { ALB_PREFIX } from '../../balancer/annotations';
import { backendsOf } from '../../balancer/ignored';
import { namespaceOf } from '../../balancer/object';
import { readIngress, readService } from '../../manifest';
import { nameOf } from '../finding';
import { CPU_POD_BEHIND_BALANCER, edit, INGRESS, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { byKey, hasUnseenParams, ingressesOf, placeOfAnnotation } from './engine-routes';

/** Whether the controller complains of a Service without a port on the nodes. */
export function isEmptyInstancePort(message: string): boolean {
  return message.includes('When using Instance targets');
}

function* check(input: RuleInput): Iterable<Report> {
  const services = byKey(input, 'Service');
  for (const plan of input.balancers) {
    if (!isEmptyInstancePort(plan.event.message)) {
      continue;
    }
    for (const ingress of ingressesOf(input, plan.ingresses)) {
      const namespace = namespaceOf(ingress);
      const backend = backendsOf(ingress).find(({ name }) => {
        const service = services.get(`${namespace}/${name}`);
        return service !== undefined && readService(service).type === 'ClusterIP' && !asksForIp([service, ingress]);
      });
      if (backend !== undefined && readIngress(ingress).paths.length > 0) {
        const place = placeOfAnnotation([ingress], 'target-type')!;
        const isDefault = place.path === 'metadata.annotations';
        yield {
          ...place,
          what:
            `target-type is 'instance'${isDefault ? ', the default of the controller,' : ''} and Service/${backend.name} ` +
            `behind ${nameOf(ingress)} is of type ClusterIP, which opens no port on the nodes`,
          ...(hasUnseenParams(plan) && { severity: 'note' }),
        };
        break;
      }
    }
  }
}

function asksForIp(objects: readonly Parameters<typeof placeOfAnnotation>[0][number][]): boolean {
  const { object } = placeOfAnnotation(objects, 'target-type')!;
  return object.metadata.annotations?.[`${ALB_PREFIX}target-type`] === 'ip';
}

export const instanceTarget: Rule = {
  id: 'alb/instance-target',
  severity: 'error',
  title: 'a balancer is to reach a ClusterIP Service through the nodes',
  why: "the controller builds nothing and leaves an event: service must be of type 'NodePort' or 'LoadBalancer'",
  fix: `set ${ALB_PREFIX}target-type: ip, which leads straight to the pods`,
  holds: 'a controller that was not started with --default-target-type=ip',
  source: 'what a real controller, 3.5.0, answered',
  get bad() {
    return together(edit(INGRESS, [`    ${ALB_PREFIX}target-type: ip\n`, '']), POD_SERVICE, CPU_POD_BEHIND_BALANCER);
  },
  get good() {
    return together(INGRESS, POD_SERVICE, CPU_POD_BEHIND_BALANCER);
  },
  check,
};
