const DNS_1123_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const DNS_1035_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
const LABEL_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

function check(what: string, value: string, pattern: RegExp, limit: number, allowed: string): string {
  if (typeof value !== 'string' || value.length > limit || !pattern.test(value)) {
    throw new Error(`${what} is '${String(value)}'; ${allowed}, at most ${limit} characters`);
  }
  return value;
}

/** Names of Services and LeaderWorkerSets, which become DNS labels that may not start with a digit. */
export function checkDns1035Label(what: string, value: string, limit = 63): string {
  return check(
    what,
    value,
    DNS_1035_LABEL,
    limit,
    'it takes lower-case letters, digits and hyphens, starts with a letter and ends with a letter or digit',
  );
}

/** Names of namespaces, containers, ports and volumes. */
export function checkDnsLabel(what: string, value: string, limit = 63): string {
  return check(
    what,
    value,
    DNS_1123_LABEL,
    limit,
    'it takes lower-case letters, digits and hyphens, and starts and ends with a letter or digit',
  );
}

/** Names of most other objects: Secrets, ConfigMaps, Ingresses, PodMonitors. */
export function checkDnsSubdomain(what: string, value: string): string {
  return check(
    what,
    value,
    DNS_SUBDOMAIN,
    253,
    'it takes lower-case letters, digits, hyphens and dots, and starts and ends with a letter or digit',
  );
}

/** Environment variable names as vLLM and the shells of its image can read them. */
export function checkEnvironmentName(what: string, value: string): string {
  return check(what, value, ENVIRONMENT_NAME, 1024, 'it takes letters, digits and underscores, not a digit first');
}

/** Label values, which also serve as selectors. */
export function checkLabelValue(what: string, value: string): string {
  return check(
    what,
    value,
    LABEL_VALUE,
    63,
    'it takes letters, digits, hyphens, underscores and dots, and starts and ends with a letter or digit',
  );
}

/** Label and annotation keys: an optional DNS prefix, a slash, and a name. */
export function checkQualifiedName(what: string, value: string): string {
  const slash = value.indexOf('/');
  if (slash >= 0) {
    checkDnsSubdomain(`prefix of ${what}`, value.slice(0, slash));
  }
  check(
    what,
    value.slice(slash + 1),
    LABEL_NAME,
    63,
    'behind the optional prefix it takes letters, digits, hyphens, underscores and dots',
  );
  return value;
}

/** Labels, or node labels to select by: both sides of each. */
export function checkLabels(what: string, labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  for (const [key, value] of Object.entries(labels)) {
    checkQualifiedName(what, key);
    checkLabelValue(`${what} ${key}`, value);
  }
  return { ...labels };
}
