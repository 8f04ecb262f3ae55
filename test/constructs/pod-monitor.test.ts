import { Duration } from 'cdk8s';
import { PodMonitor, type PodMonitorProps, VllmPipelineGroup } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { type ErrorCase, expectError } from '../common/errors';
import { find, newChart } from './harness';

const group = VllmPipelineGroup.fromName('gemma');
const chart = newChart();
const props: Required<PodMonitorProps> = {
  group,
  name: 'metrics',
  labels: { release: 'kube-prometheus-stack' },
  interval: Duration.minutes(1),
};
const monitor = new PodMonitor(chart, 'id', props);
const object = find<{ selector: object; podMetricsEndpoints: object[] }>(chart, 'PodMonitor');

/** What each prop does. One line a prop, or this file does not compile. */
const effects: Record<keyof PodMonitorProps, () => void> = {
  group: () =>
    expect(object.spec.selector).toEqual({
      matchLabels: {
        'leaderworkerset.sigs.k8s.io/name': 'gemma',
        'leaderworkerset.sigs.k8s.io/worker-index': '0',
      },
    }),
  name: () => expect([object.metadata.name, monitor.monitorName]).toEqual(['metrics', 'metrics']),
  labels: () => expect(object.metadata.labels).toEqual({ release: 'kube-prometheus-stack' }),
  interval: () =>
    expect(object.spec.podMetricsEndpoints).toEqual([{ port: 'http', path: '/metrics', interval: '60s' }]),
};

describe('PodMonitor, all props', () => {
  test.each(Object.entries(effects))('%s', (_, check) => check());
});

describe('PodMonitor', () => {
  test('reads every 15 seconds by default, and has no labels', () => {
    const other = newChart();
    new PodMonitor(other, 'monitor', { group });
    expect(find(other, 'PodMonitor').metadata).toEqual({ name: 'monitor', namespace: 'vllm' });
    expect(find(other, 'PodMonitor').spec.podMetricsEndpoints).toMatchObject([{ interval: '15s' }]);
  });

  const make = (wrong: Partial<PodMonitorProps>) => () => new PodMonitor(newChart(), 'id', { group, ...wrong });
  const errors: ErrorCase[] = [
    ['a name', make({ name: 'A' }), "name of the PodMonitor is 'A'"],
    ['a label', make({ labels: { 'a b': 'x' } }), "label is 'a b'"],
    ['the value of a label', make({ labels: { a: 'x y' } }), "label a is 'x y'"],
    ['no time', make({ interval: Duration.seconds(0) }), 'interval is 0 s', 'from 1 to 3600'],
    ['too much time', make({ interval: Duration.hours(2) }), 'interval is 7200 s', 'from 1 to 3600'],
  ];
  test.each(errors)('refuses %s', (_, cause, ...parts) => expectError(cause, ...parts));
});
