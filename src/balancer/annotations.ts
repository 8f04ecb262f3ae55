import { nearest } from '../common/nearest';

/** What stands before the suffix of every annotation for an Application Load Balancer. */
export const ALB_PREFIX = 'alb.ingress.kubernetes.io/';

/** How the text of an annotation is read. */
export type Grammar =
  /** Any text. */
  | { readonly is: 'text' }
  /** One of these words. */
  | { readonly is: 'word'; readonly words: readonly string[] }
  /** A whole number; beyond the bounds AWS refuses it, and the controller a `group.order`. */
  | { readonly is: 'int'; readonly min?: number; readonly max?: number }
  /** `true`, `false` and their Go spellings. */
  | { readonly is: 'bool' }
  /** Entries between commas. */
  | { readonly is: 'list' }
  /** `key=value` between commas. */
  | { readonly is: 'map' }
  | { readonly is: 'json' };

/** One annotation of the controller. */
export interface AlbAnnotation {
  /** Objects it is read from; of the two the Service wins. */
  readonly on: 'Ingress' | 'Service' | 'both';
  /**
   * What Ingresses of one group make of it: one value for all that have it, or an error; all values together; or each
   * its own.
   */
  readonly merge: 'exclusive' | 'union' | 'own';
  readonly grammar: Grammar;
  /** What holds without it, where that is a text. */
  readonly fallback?: string;
  /** The suffix goes on with a dot and a name: `actions.NAME`. */
  readonly named?: true;
}

const text: Grammar = { is: 'text' };
const list: Grammar = { is: 'list' };
const map: Grammar = { is: 'map' };
const json: Grammar = { is: 'json' };
const bool: Grammar = { is: 'bool' };
const word = (...words: string[]): Grammar => ({ is: 'word', words });
const int = (min?: number, max?: number): Grammar => ({ is: 'int', min, max });

const group = (merge: AlbAnnotation['merge'], grammar: Grammar, fallback?: string): AlbAnnotation => ({
  on: 'Ingress',
  merge,
  grammar,
  ...(fallback !== undefined && { fallback }),
});
const target = (grammar: Grammar, fallback?: string): AlbAnnotation => ({
  on: 'both',
  merge: 'own',
  grammar,
  ...(fallback !== undefined && { fallback }),
});

/** The annotations of AWS Load Balancer Controller 3.5.0, by suffix. Source: its guide, and its model builder. */
export const ALB_ANNOTATIONS = {
  // The balancer.
  'load-balancer-name': group('exclusive', text),
  'group.name': group('own', text),
  'group.order': group('own', int(-1000, 1000), '0'),
  tags: { on: 'both', merge: 'union', grammar: map },
  'ip-address-type': group('exclusive', word('ipv4', 'dualstack', 'dualstack-without-public-ipv4'), 'ipv4'),
  scheme: group('exclusive', word('internal', 'internet-facing'), 'internal'),
  subnets: group('exclusive', list),
  'security-groups': group('exclusive', list),
  'manage-backend-security-group-rules': group('exclusive', bool, 'false'),
  'customer-owned-ipv4-pool': group('exclusive', text),
  'ipam-ipv4-pool-id': group('exclusive', text),
  'load-balancer-attributes': group('exclusive', map),
  'minimum-load-balancer-capacity': group('exclusive', map),
  'wafv2-acl-arn': group('exclusive', text),
  'wafv2-acl-name': group('exclusive', text),
  'waf-acl-id': group('exclusive', text),
  'web-acl-id': group('exclusive', text),
  'shield-advanced-protection': group('exclusive', bool),

  // Its listeners.
  'listen-ports': group('union', json),
  'ssl-redirect': group('exclusive', int(1, 65_535)),
  'inbound-cidrs': group('exclusive', list, '0.0.0.0/0, ::/0'),
  'security-group-prefix-lists': group('exclusive', list),
  'certificate-arn': group('union', list),
  'ssl-policy': group('exclusive', text, 'ELBSecurityPolicy-2016-08'),
  'create-acm-cert': group('own', bool, 'false'),
  'acm-pca-arn': group('own', text),
  'mutual-authentication': group('exclusive', json),
  'listener-attributes': { ...group('union', map), named: true },

  // Its rules.
  actions: { ...group('own', json), named: true },
  conditions: { ...group('own', json), named: true },
  transforms: { ...group('own', json), named: true },
  'use-regex-path-match': group('own', bool, 'false'),
  'jwt-validation': group('own', json),
  'auth-type': target(word('none', 'oidc', 'cognito'), 'none'),
  'auth-idp-cognito': target(json),
  'auth-idp-oidc': target(json),
  'auth-on-unauthenticated-request': target(word('authenticate', 'allow', 'deny'), 'authenticate'),
  'auth-scope': target(text, 'openid'),
  'auth-session-cookie': target(text, 'AWSELBAuthSessionCookie'),
  'auth-session-timeout': target(int(1, 604_800), '604800'),

  // Its target groups.
  'target-type': target(word('instance', 'ip'), 'instance'),
  'backend-protocol': target(word('HTTP', 'HTTPS'), 'HTTP'),
  'backend-protocol-version': target(word('HTTP1', 'HTTP2', 'GRPC'), 'HTTP1'),
  'target-group-attributes': target(map),
  'target-node-labels': target(map),
  'multi-cluster-target-group': target(bool, 'false'),
  'target-control-port': { ...group('own', int(1, 65_535)), named: true },
  'healthcheck-port': target(text, 'traffic-port'),
  'healthcheck-protocol': target(word('HTTP', 'HTTPS')),
  'healthcheck-path': target(text, '/'),
  'healthcheck-interval-seconds': target(int(5, 300), '15'),
  'healthcheck-timeout-seconds': target(int(2, 120), '5'),
  'healthy-threshold-count': target(int(2, 10), '2'),
  'unhealthy-threshold-count': target(int(2, 10), '2'),
  'success-codes': target(text, '200'),

  // A Network Load Balancer in front of it.
  'enable-frontend-nlb': group('exclusive', bool, 'false'),
  'frontend-nlb-scheme': group('exclusive', word('internal', 'internet-facing')),
  'frontend-nlb-subnets': group('exclusive', list),
  'frontend-nlb-security-groups': group('exclusive', list),
  'frontend-nlb-listener-port-mapping': group('union', map),
  'frontend-nlb-eip-allocations': group('exclusive', list),
  'frontend-nlb-healthcheck-port': group('exclusive', text),
  'frontend-nlb-healthcheck-protocol': group('exclusive', word('HTTP', 'HTTPS')),
  'frontend-nlb-healthcheck-path': group('exclusive', text),
  'frontend-nlb-healthcheck-interval-seconds': group('exclusive', int(5, 300)),
  'frontend-nlb-healthcheck-timeout-seconds': group('exclusive', int(2, 120)),
  'frontend-nlb-healthcheck-healthy-threshold-count': group('exclusive', int(2, 10)),
  'frontend-nlb-healthcheck-unhealthy-threshold-count': group('exclusive', int(2, 10)),
  'frontend-nlb-healthcheck-success-codes': group('exclusive', text),
  'frontend-nlb-attributes': group('exclusive', map),
  'frontend-nlb-tags': group('union', map),

  /** Written by the controller itself. */
  'dry-run-plan': group('own', text),
} as const satisfies Readonly<Record<string, AlbAnnotation>>;

/** Suffix of an annotation that the controller knows. */
export type AlbSuffix = keyof typeof ALB_ANNOTATIONS;

/** The annotation of a suffix, as objects carry it. */
export function albAnnotation<S extends AlbSuffix>(suffix: S): `${typeof ALB_PREFIX}${S}` {
  return `${ALB_PREFIX}${suffix}`;
}

/** What holds where an annotation is missing. */
export function fallbackOf(suffix: AlbSuffix): string {
  return (ALB_ANNOTATIONS[suffix] as AlbAnnotation).fallback ?? '';
}

/** Bounds of an annotation that takes a whole number. */
export function boundsOf(suffix: AlbSuffix): { readonly min: number; readonly max: number } {
  const { grammar } = ALB_ANNOTATIONS[suffix] as AlbAnnotation;
  const { min, max } = grammar.is === 'int' ? grammar : {};
  return { min: min ?? -Infinity, max: max ?? Infinity };
}

/** The known suffix of an annotation, and the name that follows it; nothing when the controller does not know it. */
export function knownSuffix(suffix: string): { readonly suffix: AlbSuffix; readonly name?: string } | undefined {
  if (isSuffix(suffix)) {
    return isNamed(suffix) ? undefined : { suffix };
  }
  const dot = suffix.indexOf('.');
  const stem = suffix.slice(0, dot);
  const isKnown = dot > 0 && dot < suffix.length - 1 && isSuffix(stem) && isNamed(stem);
  return isKnown ? { suffix: stem, name: suffix.slice(dot + 1) } : undefined;
}

/** The known annotation that a misspelt one most probably meant. */
export function nearestAnnotation(suffix: string): string | undefined {
  const dot = suffix.indexOf('.');
  const known = Object.keys(ALB_ANNOTATIONS);
  const stem = nearest(
    suffix,
    known.filter((candidate) => !isNamed(candidate)),
  );
  if (stem === undefined && dot > 0) {
    const named = nearest(suffix.slice(0, dot), known.filter(isNamed));
    return named && ALB_PREFIX + named + suffix.slice(dot);
  }
  return stem && ALB_PREFIX + stem;
}

function isSuffix(suffix: string): suffix is AlbSuffix {
  return Object.hasOwn(ALB_ANNOTATIONS, suffix);
}

function isNamed(suffix: string): boolean {
  return isSuffix(suffix) && (ALB_ANNOTATIONS[suffix] as AlbAnnotation).named === true;
}
