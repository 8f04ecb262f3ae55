import { Chart, Duration } from 'cdk8s';
import { Construct } from 'constructs';
import type { PodMonitorProps as PodMonitorResourceProps } from '../../imports/monitoring.coreos.com';
import { checkDnsSubdomain, checkLabels } from '../common/names';
import { checkSeconds } from '../common/numbers';
import { METRICS_PATH, PORT_NAME } from '../engine/server';
import { defineObject } from './api-object';
import type { IVllmGroup } from './vllm-group';

/** Which group, and how its metrics are read. */
export interface PodMonitorProps {
  /** The group whose leaders are read; workers have no metrics. */
  readonly group: IVllmGroup;

  /**
   * Name of the object.
   * @default - the id of the construct
   */
  readonly name?: string;

  /**
   * Labels that the Prometheus of the cluster selects monitors by; kube-prometheus-stack selects
   * `release: <name of its Helm release>`.
   * @default - none
   */
  readonly labels?: { [label: string]: string };

  /**
   * Time between two reads, in whole seconds.
   * @default Duration.seconds(15)
   */
  readonly interval?: Duration;
}

/**
 * Tells the Prometheus Operator to read the metrics of a group's leaders.
 *
 * @example
 *   new PodMonitor(chart, 'monitor', { group, labels: { release: 'kube-prometheus-stack' } });
 */
export class PodMonitor extends Construct {
  /** Name of the object. */
  public readonly monitorName: string;

  public constructor(scope: Construct, id: string, props: PodMonitorProps) {
    super(scope, id);
    this.monitorName = checkDnsSubdomain('name of the PodMonitor', props.name ?? this.node.id);
    const seconds = checkSeconds('interval', props.interval ?? Duration.seconds(15), 1, 3600);
    const labels = checkLabels('label', props.labels);
    const { groupNamespace } = props.group;
    const isElsewhere = groupNamespace !== undefined && groupNamespace !== (Chart.of(this).namespace ?? '');
    defineObject<PodMonitorResourceProps>(this, {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PodMonitor',
      metadata: { name: this.monitorName, ...(props.labels && { labels }) },
      spec: {
        selector: { matchLabels: { ...props.group.leaderSelector } },
        ...(isElsewhere && { namespaceSelector: { matchNames: [groupNamespace || 'default'] } }),
        // By the name of the container port: the operator keeps only targets whose pods declare it.
        podMetricsEndpoints: [{ port: PORT_NAME, path: METRICS_PATH, interval: `${seconds}s` }],
      },
    });
  }
}
