import { idleTimeoutSeconds } from '../../balancer/effective';
import { CPU_POD, CPU_POD_BEHIND_BALANCER, INGRESS, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { listed } from '../words';
import { engineBalancers, numberIn } from './engine-routes';

const VARIABLE = 'VLLM_HTTP_TIMEOUT_KEEP_ALIVE';
const DEFAULT_SECONDS = 5;

function* check(input: RuleInput): Iterable<Report> {
  const seen = new Set<unknown>();
  for (const { plan, model, routes, isUncertain, mayHaveOthers } of engineBalancers(input)) {
    const idle = idleTimeoutSeconds(model);
    for (const { workload, engine } of routes) {
      const given = numberIn(engine, VARIABLE);
      const isKnown = given === undefined ? engine.environment.unread.length === 0 : given.value !== undefined;
      const keepAlive = given?.value ?? DEFAULT_SECONDS;
      if (idle === undefined || !isKnown || keepAlive > idle || seen.has(engine)) {
        continue;
      }
      seen.add(engine);
      const attribute = Object.hasOwn(model.loadBalancer.attributes, 'idle_timeout.timeout_seconds');
      yield {
        object: workload.object,
        path: given?.path ?? `${engine.path}.env`,
        what:
          `the engine closes an idle connection after ${keepAlive} s${given === undefined ? ', its default' : ''}, and the ` +
          `balancer of Ingress ${listed(plan.ingresses)} keeps it for ${idle} s`,
        fix: `set ${VARIABLE} to more than ${idle}, for example "${idle + 10}"`,
        ...(isUncertain || (mayHaveOthers && !attribute) ? { severity: 'note' } : {}),
      };
    }
  }
}

export const keepAliveBelowIdle: Rule = {
  id: 'alb/keep-alive-below-idle',
  severity: 'warning',
  title: 'an engine closes idle connections before the balancer in front of it does',
  why: 'the balancer sends a request over a connection that the engine has just closed, and the caller now and then gets 502',
  fix: `set ${VARIABLE} to more than the idle timeout of the balancer`,
  source: 'troubleshooting of Application Load Balancers, HTTP 502; vllm/envs.py',
  get bad() {
    return together(INGRESS, POD_SERVICE, CPU_POD);
  },
  get good() {
    return together(INGRESS, POD_SERVICE, CPU_POD_BEHIND_BALANCER);
  },
  check,
};
