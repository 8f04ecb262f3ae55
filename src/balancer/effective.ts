import { BALANCER_ATTRIBUTES } from './attributes';
import type { BalancerModel, Condition, Listener, Rule, TargetGroup } from './types';

const IDLE_TIMEOUT = 'idle_timeout.timeout_seconds';
const EVERYONE = new Set(['0.0.0.0/0', '::/0']);

/** How long a connection through a balancer may carry no byte; nothing when its attribute is no number. */
export function idleTimeoutSeconds({ loadBalancer }: BalancerModel): number | undefined {
  const text = loadBalancer.attributes[IDLE_TIMEOUT] ?? BALANCER_ATTRIBUTES[IDLE_TIMEOUT].fallback;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Whether a balancer has addresses of the Internet. */
export function isPublic({ loadBalancer }: BalancerModel): boolean {
  return loadBalancer.scheme === 'internet-facing';
}

/** The listeners that carry requests on, and do so in clear text. */
export function plainListeners({ listeners }: BalancerModel): Listener[] {
  return listeners.filter(
    ({ protocol, rules, defaultActions }) =>
      protocol === 'HTTP' &&
      [...rules, { actions: defaultActions }].some(({ actions }) => actions.some(({ type }) => type === 'forward')),
  );
}

/** Who may connect to any of the listeners; nothing when the security groups are the user's. */
export function inboundCidrs({ listeners }: BalancerModel): string[] | undefined {
  const cidrs = listeners.flatMap(({ inbound }) => inbound?.cidrs ?? []);
  return listeners.some(({ inbound }) => inbound) ? [...new Set(cidrs)].sort() : undefined;
}

/** Whether a security group of the controller lets everyone in, who can reach the balancer at all. */
export function isOpenToEveryone(model: BalancerModel): boolean {
  return inboundCidrs(model)?.some((cidr) => EVERYONE.has(cidr)) ?? false;
}

/** A way through the balancer to a target group. */
export interface Route {
  readonly targetGroup: TargetGroup;
  readonly listener: Listener;
  /** Nothing for the default action. */
  readonly rule?: Rule;
}

/** All ways to the target groups of a balancer. */
export function routesOf({ listeners, targetGroups }: BalancerModel): Route[] {
  const byKey = new Map(targetGroups.map((group) => [group.key, group]));
  const behind = (rule: Pick<Rule, 'actions'>): TargetGroup[] =>
    rule.actions
      .flatMap((action) => (action.type === 'forward' ? action.targets : []))
      .flatMap(({ targetGroup }) => byKey.get(targetGroup ?? '') ?? []);
  return listeners.flatMap((listener) => [
    ...listener.rules.flatMap((rule) => behind(rule).map((targetGroup) => ({ targetGroup, listener, rule }))),
    ...behind({ actions: listener.defaultActions }).map((targetGroup) => ({ targetGroup, listener })),
  ]);
}

/**
 * Where a request for a path can end, of whatever host and with whatever headers. A rule that asks for the path alone and
 * matches takes all such requests, so nothing behind it gets any.
 */
export function routesTo(model: BalancerModel, path: string): Route[] {
  const all = routesOf(model);
  return model.listeners.flatMap((listener) => {
    const open = new Set<Rule>();
    let isTaken = false;
    for (const rule of listener.rules) {
      const paths = rule.conditions.filter(({ field }) => field === 'path-pattern');
      if (!isTaken && paths.every((condition) => mayMatch(condition, path))) {
        open.add(rule);
        isTaken = paths.length === rule.conditions.length && paths.every((condition) => !('isRegex' in condition));
      }
    }
    return all.filter((route) => route.listener === listener && (route.rule ? open.has(route.rule) : !isTaken));
  });
}

function mayMatch(condition: Condition, path: string): boolean {
  // A regular expression is not tried: it may be of any cost, and of another dialect.
  return 'isRegex' in condition || condition.values.some((pattern) => matchesPattern(pattern, path));
}

/** `*` is any text and `?` any character; upper and lower case differ. Without a regular expression, which a pattern of many stars would keep busy. */
export function matchesPattern(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(p));
}
