import type { Duration } from 'cdk8s';
import { BALANCER_ATTRIBUTES, TARGET_GROUP_ATTRIBUTES } from '../balancer/attributes';
import { checkInteger, checkSeconds } from '../common/numbers';

/** Who can reach a balancer. */
export enum AlbScheme {
  /** Addresses of the VPC. */
  INTERNAL = 'internal',
  /** Addresses of the Internet. */
  INTERNET_FACING = 'internet-facing',
}

/** How a balancer picks among the pods behind a path. */
export enum AlbAlgorithm {
  /** In turn. */
  ROUND_ROBIN = 'round_robin',
  /** The pod with the fewest requests in flight: right for long streams. */
  LEAST_OUTSTANDING_REQUESTS = 'least_outstanding_requests',
  /** By chance, with anomaly detection available. */
  WEIGHTED_RANDOM = 'weighted_random',
}

/** Attributes of the balancer itself. What is left out stays as it is on the balancer. */
export interface AlbAttributes {
  /**
   * How long a client's connection may be used, 60 s to 7 days.
   * @default - the balancer's own: an hour
   */
  readonly clientKeepAlive?: Duration;

  /**
   * Whether clients may speak HTTP/2.
   * @default - the balancer's own: yes
   */
  readonly http2?: boolean;

  /**
   * Whether requests with malformed header names lose those headers.
   * @default - the balancer's own: no
   */
  readonly dropInvalidHeaderFields?: boolean;

  /**
   * Whether the balancer refuses to be deleted.
   * @default - the balancer's own: no
   */
  readonly deletionProtection?: boolean;

  /**
   * S3 bucket for access logs; its policy must allow the balancer to write.
   * @default - no access logs
   */
  readonly accessLogsBucket?: string;

  /**
   * Prefix of the access logs in the bucket.
   * @default - none
   */
  readonly accessLogsPrefix?: string;
}

/** Attributes of the target groups behind all paths of an Ingress. */
export interface AlbTargetGroupAttributes {
  /**
   * How long a pod that leaves keeps its requests, 0 s to an hour.
   * @default - the balancer's own: 300 s
   */
  readonly deregistrationDelay?: Duration;

  /**
   * How the balancer picks a pod.
   * @default - the balancer's own: round robin
   */
  readonly algorithm?: AlbAlgorithm;

  /**
   * How long a client stays with the pod that answered first, 1 s to 7 days. Keeps a conversation at the copy that
   * has its prefix cached.
   * @default - no stickiness
   */
  readonly stickiness?: Duration;

  /**
   * How long the share of a new pod grows, 30 to 900 s; not together with LEAST_OUTSTANDING_REQUESTS.
   * @default - no slow start
   */
  readonly slowStart?: Duration;
}

/** TLS on port 443. */
export interface AlbTls {
  /** ARNs of ACM certificates, the default one first. */
  readonly certificateArns: string[];

  /**
   * Name of the security policy.
   * @default ELBSecurityPolicy-TLS13-1-2-2021-06
   */
  readonly policy?: string;

  /**
   * Whether port 80 stays open and sends clients to port 443.
   * @default true
   */
  readonly redirect?: boolean;
}

type Entry = [string, string | number | boolean];

/** Entries of the annotation `load-balancer-attributes`. */
export function balancerAttributes(idleSeconds: number, attributes: AlbAttributes = {}): Entry[] {
  const { clientKeepAlive, accessLogsBucket, accessLogsPrefix } = attributes;
  if (accessLogsPrefix !== undefined && accessLogsBucket === undefined) {
    throw new Error(`accessLogsPrefix is '${accessLogsPrefix}' and accessLogsBucket is missing; name the bucket too`);
  }
  if (accessLogsBucket !== undefined && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(accessLogsBucket)) {
    throw new Error(`accessLogsBucket is '${accessLogsBucket}'; it takes the name of an S3 bucket, without 's3://'`);
  }
  return given<keyof typeof BALANCER_ATTRIBUTES>([
    ['idle_timeout.timeout_seconds', idleSeconds],
    [
      'client_keep_alive.seconds',
      seconds('clientKeepAlive', clientKeepAlive, BALANCER_ATTRIBUTES['client_keep_alive.seconds']),
    ],
    ['routing.http2.enabled', attributes.http2],
    ['routing.http.drop_invalid_header_fields.enabled', attributes.dropInvalidHeaderFields],
    ['deletion_protection.enabled', attributes.deletionProtection],
    ['access_logs.s3.enabled', accessLogsBucket === undefined ? undefined : true],
    ['access_logs.s3.bucket', accessLogsBucket],
    ['access_logs.s3.prefix', accessLogsPrefix],
  ]);
}

/** Entries of the annotation `target-group-attributes`. */
export function targetGroupAttributes(attributes: AlbTargetGroupAttributes = {}): Entry[] {
  const { deregistrationDelay, algorithm, stickiness, slowStart } = attributes;
  const known = TARGET_GROUP_ATTRIBUTES;
  if (slowStart !== undefined && algorithm !== undefined && algorithm !== AlbAlgorithm.ROUND_ROBIN) {
    throw new Error(`slowStart works with round_robin alone, and algorithm is ${algorithm}; leave one of the two out`);
  }
  return given<keyof typeof TARGET_GROUP_ATTRIBUTES>([
    [
      'deregistration_delay.timeout_seconds',
      seconds('deregistrationDelay', deregistrationDelay, known['deregistration_delay.timeout_seconds']),
    ],
    ['load_balancing.algorithm.type', algorithm],
    ['stickiness.enabled', stickiness && true],
    ['stickiness.type', stickiness && 'lb_cookie'],
    [
      'stickiness.lb_cookie.duration_seconds',
      seconds('stickiness', stickiness, known['stickiness.lb_cookie.duration_seconds']),
    ],
    ['slow_start.duration_seconds', seconds('slowStart', slowStart, known['slow_start.duration_seconds'])],
  ]);
}

/** What was given, of attributes that the balancer knows. */
function given<K extends string>(entries: readonly [K, Entry[1] | undefined][]): Entry[] {
  return entries.filter((entry): entry is [K, Entry[1]] => entry[1] !== undefined);
}

function seconds(what: string, value: Duration | undefined, bounds: { min: number; max: number }): number | undefined {
  return value && checkSeconds(what, value, bounds.min, bounds.max);
}

/** Ports a balancer listens on, as the annotation wants them. */
export function listenPorts(httpPort: number, tls: AlbTls | undefined): string {
  checkInteger('httpPort', httpPort, 1, 65535);
  const http = { HTTP: httpPort };
  if (tls === undefined) {
    return JSON.stringify([http]);
  }
  return JSON.stringify((tls.redirect ?? true) ? [http, { HTTPS: 443 }] : [{ HTTPS: 443 }]);
}
