import { Chart, type Duration } from 'cdk8s';
import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { checkDns1035Label } from '../common/names';
import { checkInteger } from '../common/numbers';
import { HEALTH_PATH, PORT_NAME } from '../engine/server';
import { ALB } from './alb-annotations';
import { defineObject } from './api-object';
import type { IVllmGroup } from './vllm-group';

/** Which group, and under which name and port. */
export interface LeaderServiceProps {
  /** The group whose leaders serve. */
  readonly group: IVllmGroup;

  /**
   * Name of the Service. Never that of the group: LWS gives its own headless Service that name.
   * @default - the id of the construct
   */
  readonly name?: string;

  /**
   * Port of the Service.
   * @default - the port of the group
   */
  readonly port?: number;
}

/**
 * The Service in front of the leaders of a group. Workers have no HTTP server and are left out, by the labels that
 * LWS itself gives.
 *
 * @example
 *   new LeaderService(chart, 'vllm-leader', { group });
 */
export class LeaderService extends Construct {
  /** The group whose leaders serve. */
  public readonly group: IVllmGroup;
  /** Name of the Service. */
  public readonly serviceName: string;
  /** Port of the Service. */
  public readonly port: number;

  public constructor(scope: Construct, id: string, props: LeaderServiceProps) {
    super(scope, id);
    this.group = props.group;
    this.serviceName = checkDns1035Label('name of the Service', props.name ?? this.node.id);
    this.port = checkInteger('port', props.port ?? props.group.port, 1, 65535);
    if (this.serviceName === props.group.groupName) {
      throw new Error(
        `name of the Service is '${this.serviceName}', the name of its group; LWS needs it for the headless Service ` +
          `that gives the leader its address: take another, for example '${this.serviceName}-leader'`,
      );
    }
    const { namespace } = Chart.of(this);
    const { groupName, groupNamespace } = props.group;
    if (groupNamespace !== undefined && groupNamespace !== (namespace ?? '')) {
      throw new Error(
        `group '${groupName}' is in namespace '${groupNamespace || 'default'}' and the Service in '${namespace ?? 'default'}'; a ` +
          'Service selects pods of its own namespace only: define it in a chart of that namespace',
      );
    }
    defineObject<k8s.KubeServiceProps>(this, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: this.serviceName, annotations: { [ALB.healthCheckPath]: HEALTH_PATH } },
      spec: {
        type: 'ClusterIP',
        selector: { ...props.group.leaderSelector },
        ports: [{ name: PORT_NAME, port: this.port, targetPort: PORT_NAME }],
      },
    });
  }

  /** How long the leaders keep an idle connection open. */
  public get keepAliveTimeout(): Duration {
    return this.group.keepAliveTimeout;
  }

  /** Base URL within the namespace: `http://vllm-leader:8000`. */
  public get url(): string {
    return `http://${this.serviceName}:${this.port}`;
  }

  /**
   * Base URL as a client of another namespace needs it.
   * @internal
   */
  public _urlFrom(namespace: string | undefined): string {
    const own = Chart.of(this).namespace;
    return own === undefined || own === namespace ? this.url : `http://${this.serviceName}.${own}:${this.port}`;
  }
}
