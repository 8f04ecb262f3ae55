import type { Duration } from 'cdk8s';
import type { AlbIngressClass } from './alb-ingress-class';
import type { AlbAttributes, AlbScheme, AlbTargetGroupAttributes, AlbTls } from './alb-options';
import type { AlbRoute } from './alb-route';

/** What an Application Load Balancer serves, and to whom. */
export interface AlbIngressProps {
  /** Paths and the Services behind them, in any order. */
  readonly routes: AlbRoute[];

  /**
   * Name of the Ingress.
   * @default - the id of the construct
   */
  readonly name?: string;

  /**
   * Host that requests must name.
   * @default - any
   */
  readonly host?: string;

  /**
   * Who can reach the balancer.
   * @default AlbScheme.INTERNAL
   */
  readonly scheme?: AlbScheme;

  /**
   * Client addresses that the balancer's security group lets in. The controller's own default is the whole Internet,
   * even for an internal balancer.
   * @default - the private ranges 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16; to be given for INTERNET_FACING
   */
  readonly inboundCidrs?: string[];

  /**
   * How long a connection may carry no byte, 1 to 4000 s. It has to cover the wait for the first token, and has to be
   * shorter than the keep-alive of every pod behind it.
   * @default Duration.minutes(5)
   */
  readonly idleTimeout?: Duration;

  /**
   * Port for plain HTTP.
   * @default 80
   */
  readonly httpPort?: number;

  /**
   * TLS on port 443.
   * @default - none: keys and passwords cross the network in clear text
   */
  readonly tls?: AlbTls;

  /**
   * Other attributes of the balancer.
   * @default - those of AWS
   */
  readonly attributes?: AlbAttributes;

  /**
   * Attributes of the target groups.
   * @default - those of AWS
   */
  readonly targetGroupAttributes?: AlbTargetGroupAttributes;

  /**
   * Ingresses of one group share a balancer.
   * @default - a balancer of its own
   */
  readonly groupName?: string;

  /**
   * Place among the Ingresses of the group, -1000 to 1000, lower first.
   * @default 0
   */
  readonly groupOrder?: number;

  /**
   * Name of the balancer in AWS, at most 32 characters; settled when it is made.
   * @default - made up by the controller
   */
  readonly loadBalancerName?: string;

  /**
   * Subnets of the balancer, ids or Name tags, in two zones or more.
   * @default - found by their tags
   */
  readonly subnets?: string[];

  /**
   * Security groups of the balancer, ids or Name tags. The controller then ignores `inboundCidrs`.
   * @default - one that the controller manages
   */
  readonly securityGroups?: string[];

  /**
   * AWS tags of everything the controller makes.
   * @default - none
   */
  readonly tags?: { [key: string]: string };

  /**
   * The class that the Ingress belongs to.
   * @default AlbIngressClass.existing()
   */
  readonly ingressClass?: AlbIngressClass;
}
