import type { AlbSuffix } from './annotations';

/** What the controller says of an Ingress, as the event that `kubectl describe` shows. */
export interface BalancerEvent {
  readonly reason:
    | 'SuccessfullyReconciled'
    /** Nothing is made: an annotation or a reference cannot be understood. */
    | 'FailedBuildModel'
    /** AWS refuses a part; the controller tries for ever. */
    | 'FailedDeployModel'
    /** The class or the group of the Ingress is invalid. */
    | 'FailedLoadGroupID'
    /** Not an event: a line in the log of the controller is all there is. */
    | 'LogOnly';
  readonly message: string;
}

/** One balancer: an Ingress, or the Ingresses of a group. */
export interface BalancerPlan {
  /** Name of the group, or `namespace/name` of the Ingress. */
  readonly name: string;
  readonly isGroup: boolean;
  /** `namespace/name` of its Ingresses, in the order of their rules. */
  readonly ingresses: readonly string[];
  readonly event: BalancerEvent;
  /** What is made; nothing when the model cannot be built. */
  readonly model?: BalancerModel;
  /** Annotations that nobody reads. */
  readonly ignored: readonly IgnoredAnnotation[];
  /** Objects that the balancer needs and that are not among those given: `Service namespace/name`. */
  readonly notSeen: readonly string[];
  /** What AWS refuses, or quietly does not do, although the controller passes it on; in our words. */
  readonly refusals: readonly Refusal[];
}

export interface IgnoredAnnotation {
  /** `Ingress namespace/name` or `Service namespace/name`. */
  readonly object: string;
  readonly annotation: string;
  /**
   * - unknown: no annotation of the controller
   * - misplaced: known, and not read from this kind of object
   * - unused: about a backend or a port that is not there
   */
  readonly why: 'unknown' | 'misplaced' | 'unused';
  /** The known annotation of the nearest name. */
  readonly nearest?: string;
}

export interface Refusal {
  /** The annotation it comes from. */
  readonly annotation: AlbSuffix;
  readonly what: string;
  /** `namespace/name:port` of the target group it is about. */
  readonly targetGroup?: string;
}

export interface BalancerModel {
  readonly loadBalancer: LoadBalancer;
  /** By port. */
  readonly listeners: readonly Listener[];
  /** In the order in which the listeners and their rules name them. */
  readonly targetGroups: readonly TargetGroup[];
}

export interface LoadBalancer {
  /** Nothing when the controller makes one up. */
  readonly name?: string;
  readonly scheme: 'internal' | 'internet-facing';
  readonly ipAddressType: 'ipv4' | 'dualstack' | 'dualstack-without-public-ipv4';
  /** Ids or Name tags; nothing when they are found by their tags. */
  readonly subnets?: readonly string[];
  /** Ids or Name tags; nothing when the controller makes one that lets in `inbound` of each listener. */
  readonly securityGroups?: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly wafAcl?: string;
  readonly shield?: boolean;
  readonly hasFrontendNlb: boolean;
}

export type Protocol = 'HTTP' | 'HTTPS';

export interface Listener {
  readonly port: number;
  readonly protocol: Protocol;
  /** ARNs, the default one first; of HTTPS. */
  readonly certificates: readonly string[];
  /** Hosts that certificates are looked up for, when none is named. */
  readonly discoveryHosts: readonly string[];
  readonly sslPolicy?: string;
  readonly mutualAuthentication?: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Who may connect; nothing when the security groups are the user's. */
  readonly inbound?: Inbound;
  readonly defaultActions: readonly Action[];
  /** By priority. */
  readonly rules: readonly Rule[];
}

export interface Inbound {
  readonly cidrs: readonly string[];
  readonly prefixLists: readonly string[];
}

export interface Rule {
  readonly priority: number;
  /** `namespace/name` of the Ingress that it comes from. */
  readonly ingress: string;
  readonly conditions: readonly Condition[];
  readonly actions: readonly Action[];
  /** The annotation that rewrites host or path, as it is written. */
  readonly transforms?: string;
}

/** All conditions of a rule have to hold; of the values of one condition, any. */
export type Condition =
  | { readonly field: 'host-header' | 'path-pattern'; readonly values: readonly string[]; readonly isRegex?: true }
  | { readonly field: 'http-header'; readonly header: string; readonly values: readonly string[] }
  | { readonly field: 'http-request-method' | 'query-string' | 'source-ip'; readonly values: readonly string[] };

export type Action =
  | { readonly type: 'forward'; readonly targets: readonly ForwardTarget[]; readonly stickySeconds?: number }
  | { readonly type: 'redirect'; readonly status: string; readonly to: Redirect }
  | { readonly type: 'fixed-response'; readonly status: string; readonly body?: string }
  | { readonly type: 'authenticate-cognito' | 'authenticate-oidc' | 'jwt-validation'; readonly onFailure: string };

export interface Redirect {
  readonly host?: string;
  readonly path?: string;
  readonly port?: string;
  readonly protocol?: string;
  readonly query?: string;
}

/** A target group of ours, or one that is there already. */
export interface ForwardTarget {
  /** Key of a `TargetGroup`. */
  readonly targetGroup?: string;
  readonly arn?: string;
  readonly weight?: number;
}

export interface TargetGroup {
  /** `ingress namespace/ingress name-service:port`, unique in the balancer. */
  readonly key: string;
  readonly ingress: string;
  readonly namespace: string;
  readonly service: string;
  /** As the backend names it: number or name. */
  readonly servicePort: number | string;
  readonly targetType: 'instance' | 'ip';
  /** Port that requests go to: of the pods, or of the nodes; a name, or nothing when the cluster assigns it. */
  readonly targetPort?: number | string;
  /** Port that the target group is made with; traffic does not depend on it. */
  readonly port?: number;
  readonly protocol: Protocol;
  readonly protocolVersion: 'HTTP1' | 'HTTP2' | 'GRPC';
  readonly ipAddressType: 'ipv4' | 'ipv6';
  readonly healthCheck: HealthCheck;
  readonly attributes: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly nodeLabels?: Readonly<Record<string, string>>;
}

export interface HealthCheck {
  readonly path: string;
  /** Nothing when the cluster assigns it. */
  readonly port?: number | 'traffic-port';
  readonly protocol: Protocol;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
  readonly successCodes: string;
}
