import { Duration } from 'cdk8s';
import { LeaderService, type LeaderServiceProps, VllmPipelineGroup } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { type ErrorCase, expectError } from '../common/errors';
import { find, newChart, newGroup } from './harness';

const chart = newChart();
const props: Required<LeaderServiceProps> = {
  group: VllmPipelineGroup.fromName('far', { port: 9000, keepAliveTimeout: Duration.minutes(20) }),
  name: 'front',
  port: 80,
};
const service = new LeaderService(chart, 'id', props);
const object = find<{ selector: object; ports: object[]; type: string }>(chart, 'Service');

/** What each prop does. One line a prop, or this file does not compile. */
const effects: Record<keyof LeaderServiceProps, () => void> = {
  group: () => {
    expect(object.spec.selector).toEqual({
      'leaderworkerset.sigs.k8s.io/name': 'far',
      'leaderworkerset.sigs.k8s.io/worker-index': '0',
    });
    expect(service.keepAliveTimeout.toMinutes()).toBe(20);
  },
  name: () => expect([object.metadata.name, service.serviceName]).toEqual(['front', 'front']),
  port: () => {
    expect(object.spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
    expect(service.url).toBe('http://front:80');
  },
};

describe('LeaderService, all props', () => {
  test.each(Object.entries(effects))('%s', (_, check) => check());
});

describe('LeaderService', () => {
  test('takes its id and the port of the group by default, and says where the health is', () => {
    const other = newChart();
    const leader = new LeaderService(other, 'gemma-leader', { group: newGroup(other, { port: 8123 }) });
    expect(leader.url).toBe('http://gemma-leader:8123');
    expect(find(other, 'Service')).toMatchObject({
      metadata: { annotations: { 'alb.ingress.kubernetes.io/healthcheck-path': '/health' } },
      spec: { type: 'ClusterIP' },
    });
  });

  const group = VllmPipelineGroup.fromName('gemma');
  const errors: ErrorCase[] = [
    [
      'the name of its group',
      () => new LeaderService(newChart(), 'gemma', { group }),
      "name of the Service is 'gemma', the name of its group",
      'headless Service',
      "'gemma-leader'",
    ],
    ['a name', () => new LeaderService(newChart(), '1a', { group }), "name of the Service is '1a'"],
    ['a port', () => new LeaderService(newChart(), 'a', { group, port: 0 }), 'port is 0', 'from 1 to 65535'],
  ];
  test.each(errors)('refuses %s', (_, cause, ...parts) => expectError(cause, ...parts));
});
