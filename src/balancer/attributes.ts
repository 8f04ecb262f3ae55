/** What an attribute takes: bounds of a number, words, or any text. */
export interface AlbAttribute {
  readonly min?: number;
  readonly max?: number;
  /** A number that is allowed besides those between the bounds. */
  readonly also?: number;
  readonly words?: readonly string[];
  /** What the balancer does when nothing was ever written. */
  readonly fallback?: string;
}

const BOOLEAN = ['true', 'false'];
const WEEK_SECONDS = 7 * 24 * 3600;
const on: AlbAttribute = { words: BOOLEAN, fallback: 'true' };
const off: AlbAttribute = { words: BOOLEAN, fallback: 'false' };
const anything: AlbAttribute = {};

/** Attributes of an Application Load Balancer. Source: the API reference of Elastic Load Balancing. */
export const BALANCER_ATTRIBUTES = {
  'access_logs.s3.bucket': anything,
  'access_logs.s3.enabled': off,
  'access_logs.s3.prefix': anything,
  'client_keep_alive.seconds': { min: 60, max: WEEK_SECONDS, fallback: '3600' },
  'connection_logs.s3.bucket': anything,
  'connection_logs.s3.enabled': off,
  'connection_logs.s3.prefix': anything,
  'deletion_protection.enabled': off,
  'health_check_logs.s3.bucket': anything,
  'health_check_logs.s3.enabled': off,
  'health_check_logs.s3.prefix': anything,
  'idle_timeout.timeout_seconds': { min: 1, max: 4000, fallback: '60' },
  'ipv6.deny_all_igw_traffic': { words: BOOLEAN },
  'load_balancing.cross_zone.enabled': on,
  'routing.http.desync_mitigation_mode': { words: ['monitor', 'defensive', 'strictest'], fallback: 'defensive' },
  'routing.http.drop_invalid_header_fields.enabled': off,
  'routing.http.preserve_host_header.enabled': off,
  'routing.http.x_amzn_tls_version_and_cipher_suite.enabled': off,
  'routing.http.xff_client_port.enabled': off,
  'routing.http.xff_header_processing.mode': { words: ['append', 'preserve', 'remove'], fallback: 'append' },
  'routing.http2.enabled': on,
  'waf.fail_open.enabled': off,
  'zonal_shift.config.enabled': off,
} as const satisfies Readonly<Record<string, AlbAttribute>>;

const COUNT_OR_OFF: AlbAttribute = {};

/** Attributes of a target group of an Application Load Balancer. Source: the same. */
export const TARGET_GROUP_ATTRIBUTES = {
  'deregistration_delay.timeout_seconds': { min: 0, max: 3600, fallback: '300' },
  'load_balancing.algorithm.anomaly_mitigation': { words: ['on', 'off'], fallback: 'off' },
  'load_balancing.algorithm.type': {
    words: ['round_robin', 'least_outstanding_requests', 'weighted_random'],
    fallback: 'round_robin',
  },
  'load_balancing.cross_zone.enabled': { words: [...BOOLEAN, 'use_load_balancer_configuration'] },
  'slow_start.duration_seconds': { min: 30, max: 900, also: 0, fallback: '0' },
  'stickiness.app_cookie.cookie_name': anything,
  'stickiness.app_cookie.duration_seconds': { min: 1, max: WEEK_SECONDS, fallback: '86400' },
  'stickiness.enabled': off,
  'stickiness.lb_cookie.duration_seconds': { min: 1, max: WEEK_SECONDS, fallback: '86400' },
  'stickiness.type': { words: ['lb_cookie', 'app_cookie'] },
  'target_group_health.dns_failover.minimum_healthy_targets.count': COUNT_OR_OFF,
  'target_group_health.dns_failover.minimum_healthy_targets.percentage': COUNT_OR_OFF,
  'target_group_health.unhealthy_state_routing.minimum_healthy_targets.count': COUNT_OR_OFF,
  'target_group_health.unhealthy_state_routing.minimum_healthy_targets.percentage': COUNT_OR_OFF,
} as const satisfies Readonly<Record<string, AlbAttribute>>;

/** Whether an attribute takes a value; what is not known is for the service to judge. */
export function takes(attribute: AlbAttribute, value: string): boolean {
  if (attribute.words) {
    return attribute.words.includes(value);
  }
  if (attribute.min === undefined || attribute.max === undefined) {
    return true;
  }
  const number = Number(value);
  return /^\d+$/.test(value) && ((number >= attribute.min && number <= attribute.max) || number === attribute.also);
}

/** What an attribute takes, for a person. */
export function allowedValues(attribute: AlbAttribute): string {
  const also = attribute.also === undefined ? '' : `${attribute.also} or `;
  return attribute.words?.join(', ') ?? `${also}${attribute.min} to ${attribute.max}`;
}
