import type { Container, Probe } from '../../manifest/container';
import type { Workload } from '../../manifest/groups';
import { get } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { whyLeaderWaits } from './bond';

function* check({ manifests: { groups } }: RuleInput): Iterable<Report> {
  for (const workload of groups) {
    const { object, size } = workload;
    if (workload.kind !== 'LeaderWorkerSet' || get(object.spec, 'startupPolicy') !== 'LeaderReady') {
      continue;
    }
    const why = size !== undefined && size > 1 ? whyLeaderWaits(workload) : undefined;
    const probe = why === undefined ? undefined : probeOfEngine(workload);
    if (why !== undefined && probe !== undefined) {
      yield {
        object,
        path: 'spec.startupPolicy',
        what: `startupPolicy LeaderReady makes workers once the leader is ready, and its ${probe} passes once they are there: ${why}`,
      };
    }
  }
}

/** The probe of the leader that surely asks the engine. */
function probeOfEngine({ leader }: Workload): string | undefined {
  const port = leader.engine?.settings?.port.value;
  const asks = (probe: Probe | undefined): boolean =>
    probe !== undefined &&
    port !== undefined &&
    (probe.kind === 'exec'
      ? new RegExp(`:${port}\\b|/health\\b|/v1/`).test(probe.command.join(' '))
      : (probe.kind === 'http' || probe.kind === 'tcp') && probe.port === port);
  const has = (key: 'startupProbe' | 'readinessProbe') =>
    leader.containers.some((container: Container) => asks(container[key]));
  return has('startupProbe') ? 'startup probe' : has('readinessProbe') ? 'readiness probe' : undefined;
}

export const leaderReadyDeadlock: Rule = {
  id: 'lws/leader-ready-deadlock',
  severity: 'error',
  title: 'workers wait for a leader that waits for them',
  why: 'no worker is ever made, and the leader starts over for ever',
  fix: 'leave startupPolicy out, or write LeaderCreated',
  source: 'startupPolicy of sigs.k8s.io/lws; seen with a real controller',
  get bad() {
    return edit(CPU_GROUP, ['  replicas: 1\n', '  replicas: 1\n  startupPolicy: LeaderReady\n']);
  },
  good: CPU_GROUP,
  check,
};
