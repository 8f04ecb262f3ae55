import { idleTimeoutSeconds, inboundCidrs } from '../balancer/effective';
import type { ManifestObject } from '../balancer/object';
import { planBalancer } from '../balancer/plan';
import type { Action, BalancerModel, BalancerPlan, Condition, Listener, Rule } from '../balancer/types';
import { columns, WIDTH, wrap } from './plan/layout';
import { printable } from './terminal';

const MAX_RULES = 20;

/** What is said instead of the reason of an event that there is not. */
const REASONS: Partial<Record<BalancerPlan['event']['reason'], string>> = {
  LogOnly: 'refused, in the log of the controller alone',
};

/** One section for each balancer among the objects: what its controller makes of them. */
export function balancerSections(objects: readonly ManifestObject[]): string[][] {
  return planBalancer(objects).map((plan) =>
    [
      ...wrap(`Balancer of ${plan.isGroup ? `group ${plan.name}: ` : ''}Ingress ${plan.ingresses.join(', ')}`, 0, 2),
      ...(plan.model ? modelLines(plan.model) : []),
      ...remarks(plan).flatMap((remark) => wrap(remark, 2, 4)),
    ].map(printable),
  );
}

function modelLines(model: BalancerModel): string[] {
  const { scheme, securityGroups } = model.loadBalancer;
  const idle = idleTimeoutSeconds(model);
  const lists = model.listeners.flatMap(({ inbound }) => inbound?.prefixLists ?? []);
  const clients = securityGroups
    ? `of security groups ${securityGroups.join(', ')}`
    : [...(inboundCidrs(model) ?? []), ...new Set(lists)].join(', ');
  const rows = model.listeners.flatMap((listener) => listenerRows(model, listener));
  return [
    ...wrap(`${scheme}${idle === undefined ? '' : `, idle timeout ${idle} s`}; clients: ${clients || 'none'}`, 2, 4),
    ...columns(rows, [0, 2, 3, 4]).flatMap((line, row) =>
      line.length <= WIDTH ? [line] : wrap(rows[row]!.filter((cell) => cell !== '').join(' '), 2, 6),
    ),
  ];
}

/** Listener, priority, what a request has to be, where it goes, and how that is checked. */
function listenerRows(model: BalancerModel, { port, protocol, rules, defaultActions }: Listener): string[][] {
  const shown = rules.length > MAX_RULES ? rules.slice(0, MAX_RULES) : rules;
  const otherwise = rules.length === 0 ? 'any request' : 'any other';
  return [
    ...shown.map((rule) => [String(rule.priority), conditionsOf(rule), ...endOf(model, rule.actions)]),
    ...(shown.length < rules.length ? [['', `and ${rules.length - shown.length} rules more`, '', '']] : []),
    ['', otherwise, ...endOf(model, defaultActions)],
  ].map((cells, row) => [row === 0 ? `${protocol} ${port}` : '', ...cells]);
}

function conditionsOf({ conditions }: Rule): string {
  return conditions.map(conditionOf).join(' and ');
}

function conditionOf(condition: Condition): string {
  const values = condition.values.join(', ');
  switch (condition.field) {
    case 'path-pattern':
      return values;
    case 'host-header':
      return `host ${values}`;
    case 'http-header':
      return `header ${condition.header}: ${values}`;
    default:
      return `${condition.field} ${values}`;
  }
}

function endOf(model: BalancerModel, actions: readonly Action[]): [end: string, health: string] {
  const ends = actions.map((action) => actionEnd(model, action));
  return [ends.map(({ end }) => end).join(', then '), [...new Set(ends.flatMap(({ health }) => health))].join(', ')];
}

function actionEnd({ targetGroups }: BalancerModel, action: Action): { end: string; health: string[] } {
  switch (action.type) {
    case 'forward': {
      const groups = action.targets.map(({ targetGroup }) => targetGroups.find(({ key }) => key === targetGroup));
      const names = action.targets.map(({ arn = '', weight }, index) => {
        const group = groups[index];
        const name = group ? `${group.service}:${group.servicePort}` : arn;
        return action.targets.length > 1 ? `${name} (${weight ?? 1})` : name;
      });
      return {
        end: names.join(', '),
        health: groups.flatMap((group) => (group ? [`health ${group.healthCheck.path}`] : [])),
      };
    }
    case 'redirect': {
      const { protocol = 'the same protocol', port } = action.to;
      return { end: `redirect to ${protocol}${port === undefined ? '' : ` ${port}`}`, health: [] };
    }
    case 'fixed-response':
      return { end: `answer ${action.status}`, health: [] };
    default:
      return { end: action.type, health: [] };
  }
}

/** What goes wrong, and what the controller passes by without a word. */
function remarks({ event, ignored, notSeen, refusals }: BalancerPlan): string[] {
  return [
    ...(event.reason === 'SuccessfullyReconciled'
      ? []
      : [`${REASONS[event.reason] ?? event.reason}: ${event.message}`]),
    ...refusals.map(({ annotation, what, targetGroup }) => {
      return `AWS refuses ${annotation}${targetGroup === undefined ? '' : ` of ${targetGroup}`}: ${what}`;
    }),
    ...notSeen.map((object) => `not in this bundle: ${object}`),
    ...ignored.map(({ object, annotation, nearest, why }) => {
      return `${why} annotation ${annotation} on ${object}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
    }),
  ];
}
