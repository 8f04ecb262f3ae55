import { ALB_PREFIX } from '../../balancer/annotations';
import { BALANCER_ATTRIBUTES } from '../../balancer/attributes';
import { idleTimeoutSeconds, type Route } from '../../balancer/effective';
import { OPEN_PATHS } from '../../engine/paths';
import type { EngineContainer } from '../../manifest';
import { CPU_POD_BEHIND_BALANCER, edit, INGRESS, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { type EngineBalancer, engineBalancers, ingressesOf, nameOfWorkload, placeOfAnnotation } from './engine-routes';

const ATTRIBUTE = 'idle_timeout.timeout_seconds';
const DEFAULT_SECONDS = Number(BALANCER_ATTRIBUTES[ATTRIBUTE].fallback);
/** Paths that answer at once. */
const QUICK = new Set(OPEN_PATHS.filter(({ isHarmful }) => !isHarmful).map(({ path }) => path));

/** Whether a route carries requests that run the model. */
function isForRequests({ rule }: Route): boolean {
  const patterns = rule?.conditions.filter(({ field }) => field === 'path-pattern').flatMap(({ values }) => values);
  return (
    patterns === undefined ||
    patterns.length === 0 ||
    patterns.some((pattern) => !QUICK.has(pattern.replace(/\/\*$/, '')))
  );
}

/** Whether an engine generates text; one that embeds or ranks answers within seconds. */
function generates({ command }: EngineContainer): boolean {
  const runner = command.flag('--runner')?.value ?? 'auto';
  const convert = command.flag('--convert')?.value ?? 'auto';
  const task = command.unknownFlags.find(({ spelling }) => spelling === '--task')?.value ?? 'generate';
  return !['pooling', 'draft'].includes(runner) && ['auto', 'none'].includes(convert) && /^(auto|generate)$/.test(task);
}

function isGiven({ model }: EngineBalancer): boolean {
  return Object.hasOwn(model.loadBalancer.attributes, ATTRIBUTE);
}

function* check(input: RuleInput): Iterable<Report> {
  for (const balancer of engineBalancers(input)) {
    const seconds = idleTimeoutSeconds(balancer.model);
    const found = balancer.routes.find(({ route, engine }) => isForRequests(route) && generates(engine));
    if (seconds === undefined || seconds > DEFAULT_SECONDS || found === undefined) {
      continue;
    }
    const place = placeOfAnnotation(
      ingressesOf(input, balancer.plan.ingresses, found.route.rule?.ingress),
      'load-balancer-attributes',
    );
    const isKnown = !balancer.isUncertain && (isGiven(balancer) || !balancer.mayHaveOthers);
    const keepsOpen = found.engine.command.isSet('--sse-keep-alive-interval') === true;
    if (place !== undefined) {
      yield {
        ...place,
        what:
          `the balancer in front of ${nameOfWorkload(found.workload)} ends a connection after ${seconds} s without a byte` +
          (isGiven(balancer) ? '' : ', which is the default'),
        ...(!isKnown || keepsOpen ? { severity: 'note' } : {}),
      };
    }
  }
}

export const idleTimeout: Rule = {
  id: 'alb/idle-timeout',
  severity: 'warning',
  title: 'the idle timeout of a balancer in front of an engine is left at a minute or less',
  why:
    'a long prefill, a full queue or an answer that is not streamed sends nothing for longer than that, and the caller gets ' +
    '504 while the engine goes on',
  fix: `set ${ALB_PREFIX}load-balancer-attributes: ${ATTRIBUTE}=300, and let the engine keep idle connections for longer`,
  source: 'attributes of an Application Load Balancer: 1 to 4000 s, default 60',
  get bad() {
    return together(
      edit(INGRESS, [`    ${ALB_PREFIX}load-balancer-attributes: ${ATTRIBUTE}=300\n`, '']),
      POD_SERVICE,
      CPU_POD_BEHIND_BALANCER,
    );
  },
  get good() {
    return together(INGRESS, POD_SERVICE, CPU_POD_BEHIND_BALANCER);
  },
  check,
};
