import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planBalancer } from '../../src/balancer/plan';
import type { BalancerPlan, TargetGroup } from '../../src/balancer/types';
import { backendOf, ingress, type PathRow, SERVICES } from './objects';

/** What the real controller, 3.5.0, made of an Ingress. */
interface Observed {
  readonly case: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly paths: readonly PathRow[];
  readonly defaultBackend?: readonly [string, number];
  readonly event: readonly [reason: string, message: string];
  readonly rules?: readonly [id: string, patterns: string[], targets: string[]][];
  readonly listenerDefaults?: Readonly<Record<string, string>>;
  readonly targetGroups?: Readonly<Record<string, unknown>>;
  readonly lb?: { readonly scheme: string; readonly name?: string; readonly attributes: unknown };
  readonly sgIngress?: readonly [port: number, cidrs: string[]][];
}

const ROWS = JSON.parse(
  readFileSync(join(__dirname, '..', 'fixtures', 'alb-observed.json'), 'utf8'),
) as readonly Observed[];

/** A plan in the form of the observations. */
function asObserved({
  event,
  model,
}: BalancerPlan): Omit<Observed, 'case' | 'annotations' | 'paths' | 'defaultBackend'> {
  const said = { event: [event.reason, event.message.replaceAll('ing/web', 'NS/NAME')] as const };
  if (model === undefined) {
    return said;
  }
  const { loadBalancer, listeners, targetGroups } = model;
  const nameOf = (key: string): string => key.replace('ing/web-', '');
  return {
    ...said,
    rules: listeners.flatMap(({ port, rules }) =>
      rules.map(({ priority, conditions, actions }): [string, string[], string[]] => [
        `${port}:${priority}`,
        conditions.flatMap(({ field, values }) => (field === 'path-pattern' ? values : [])),
        actions.flatMap((action) =>
          action.type === 'forward' ? action.targets.map(({ targetGroup }) => nameOf(targetGroup!)) : [action.type],
        ),
      ]),
    ),
    listenerDefaults: Object.fromEntries(
      listeners.map(({ port, defaultActions }) => [String(port), defaultActions.at(-1)!.type]),
    ),
    targetGroups: Object.fromEntries(targetGroups.map((group) => [nameOf(group.key), targetGroupAsObserved(group)])),
    lb: {
      scheme: loadBalancer.scheme,
      attributes: loadBalancer.attributes,
      ...(loadBalancer.name !== undefined && { name: loadBalancer.name }),
    },
    sgIngress: listeners.map(({ port, inbound }) => [port, [...inbound!.cidrs]]),
  };
}

function targetGroupAsObserved({ targetType, port, healthCheck, attributes }: TargetGroup): unknown {
  return {
    type: targetType,
    port,
    path: healthCheck.path,
    interval: healthCheck.intervalSeconds,
    timeout: healthCheck.timeoutSeconds,
    healthy: healthCheck.healthyThreshold,
    unhealthy: healthCheck.unhealthyThreshold,
    ...(Object.keys(attributes).length > 0 && { attributes }),
  };
}

describe('as the real controller', () => {
  test.each(ROWS.map((row) => [row.case, row] as const))('%s', (_, row) => {
    const { case: name, annotations, paths, defaultBackend, ...outcome } = row;
    const spec = defaultBackend ? { defaultBackend: backendOf(...defaultBackend) } : {};
    const plans = planBalancer([...SERVICES, ingress(annotations, paths, { spec })]);
    expect(plans).toHaveLength(1);
    expect(asObserved(plans[0]!), name).toEqual(outcome);
  });

  test('nothing of an observation is left out of the comparison', () => {
    const fields = new Set(ROWS.flatMap((row) => Object.keys(row)));
    expect([...fields].sort()).toEqual(
      ['annotations', 'case', 'defaultBackend', 'event', 'lb', 'listenerDefaults', 'paths', 'rules', 'sgIngress', 'targetGroups'], // prettier-ignore
    );
    expect(ROWS).toHaveLength(20);
  });

  test('what it passed on and AWS would refuse is said', () => {
    const refusalsOf = (name: string): string[] => {
      const row = ROWS.find((candidate) => candidate.case === name)!;
      return planBalancer([...SERVICES, ingress(row.annotations, row.paths)])[0]!.refusals.map(({ what }) => what);
    };
    expect(refusalsOf('idle9999')).toEqual(["idle_timeout.timeout_seconds is '9999'; it takes 1 to 4000"]);
    expect(refusalsOf('nocert')).toEqual([expect.stringContaining('HTTPS without a certificate')]);
    expect(refusalsOf('reversed')).toEqual([]);
  });
});
