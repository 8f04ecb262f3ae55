import { actionsOf, type Backends, type BuiltBackend } from './backend';
import type { Member } from './classes';
import { type ConditionConfig, isConditionField } from './config';
import { BuildError, goList, within } from './grammar';
import { fieldOf, listOf, textOf } from './object';
import type { Action, Condition, Protocol, Rule } from './types';

/**
 * The rules of one listener, by priority: Ingress by Ingress, host by host as they are listed, and of the paths of a host
 * the exact ones first, then prefixes by falling length, then the others as they are listed.
 */
export function buildRules(members: readonly Member[], backends: Backends, port: number, protocol: Protocol): Rule[] {
  const rules: Omit<Rule, 'priority'>[] = [];
  for (const member of members) {
    for (const rule of listOf(fieldOf(member.object.spec, 'rules'))) {
      const host = textOf(fieldOf(rule, 'host'));
      for (const path of sortPaths(listOf(fieldOf(fieldOf(rule, 'http'), 'paths')))) {
        rules.push(within(`ingress: ${member.key}`, () => buildRule(member, backends, host, path, protocol)));
      }
    }
  }
  return withoutDeadRules(rules.filter((rule) => !isEndlessRedirect(rule, port, protocol))).map((rule, index) => ({
    priority: index + 1,
    ...rule,
  }));
}

function buildRule(
  member: Member,
  backends: Backends,
  host: string | undefined,
  path: unknown,
  protocol: Protocol,
): Omit<Rule, 'priority'> {
  const backend = backends.build(member, fieldOf(path, 'backend'));
  const conditions = buildConditions(member, host, path, backend);
  const actions = actionsOf(backend, protocol);
  const transforms = member.annotations.checkJson(`transforms.${backend.name}`);
  return { ingress: member.key, conditions, actions, ...(transforms !== undefined && { transforms }) };
}

function sortPaths(paths: readonly unknown[]): unknown[] {
  const of = (type: string): unknown[] => paths.filter((path) => typeOf(path) === type);
  const known = ['Exact', 'Prefix', 'ImplementationSpecific'].flatMap(of);
  if (known.length < paths.length) {
    const taken = new Set(known);
    const stranger = paths.find((path) => !taken.has(path));
    throw new BuildError(`unknown pathType for path ${textOf(fieldOf(stranger, 'path')) ?? ''}`);
  }
  const prefixes = of('Prefix').sort((a, b) => lengthOf(b) - lengthOf(a));
  return [...of('Exact'), ...prefixes, ...of('ImplementationSpecific')];
}

function typeOf(path: unknown): unknown {
  return fieldOf(path, 'pathType') ?? 'ImplementationSpecific';
}

/** In bytes, as Go counts. */
function lengthOf(path: unknown): number {
  return Buffer.byteLength(textOf(fieldOf(path, 'path')) ?? '');
}

interface Patterns {
  readonly values: readonly string[];
  readonly regexes: readonly string[];
}

function buildConditions(
  member: Member,
  host: string | undefined,
  path: unknown,
  { conditions: configs }: BuiltBackend,
): Condition[] {
  const hosts = { values: host === undefined ? [] : [host], regexes: [] };
  const paths = pathPatterns(member, textOf(fieldOf(path, 'path')), typeOf(path));
  const others: Condition[] = configs.flatMap((config) => otherCondition(config));
  const conditions = [
    ...others,
    ...patternCondition('host-header', 'host', joined(hosts, configs, 'host-header', 'hostHeaderConfig')),
    ...patternCondition('path-pattern', 'path', joined(paths, configs, 'path-pattern', 'pathPatternConfig')),
  ];
  return conditions.length > 0 ? conditions : [{ field: 'path-pattern', values: ['/*'] }];
}

/** Patterns of a path. The balancer knows `*` and `?`, which have no place in an exact path or a prefix. */
function pathPatterns(member: Member, path: string | undefined, type: unknown): Patterns {
  if (path === undefined) {
    return { values: [], regexes: [] };
  }
  if (type === 'ImplementationSpecific') {
    return member.annotations.bool('use-regex-path-match') === true
      ? { values: [], regexes: [path.slice(1)] }
      : { values: [path], regexes: [] };
  }
  if (type === 'Prefix' && path === '/') {
    return { values: ['/*'], regexes: [] };
  }
  if (/[*?]/.test(path)) {
    throw new BuildError(`${type === 'Exact' ? 'exact' : 'prefix'} path shouldn't contain wildcards: ${path}`);
  }
  const bare = path.replace(/\/$/, '');
  return { values: type === 'Exact' ? [path] : [bare, `${bare}/*`], regexes: [] };
}

function joined(
  given: Patterns,
  configs: readonly ConditionConfig[],
  field: string,
  config: 'hostHeaderConfig' | 'pathPatternConfig',
): Patterns {
  const added = configs.filter((condition) => condition.field === field).map((condition) => condition[config]);
  return {
    values: [...given.values, ...added.flatMap((entry) => entry?.values ?? [])],
    regexes: [...given.regexes, ...added.flatMap((entry) => entry?.regexValues ?? [])],
  };
}

function patternCondition(
  field: 'host-header' | 'path-pattern',
  what: string,
  { values, regexes }: Patterns,
): Condition[] {
  if (values.length > 0 && regexes.length > 0) {
    throw new BuildError(
      `${what} condition must specify exactly one of Values and RegexValues, got both Values ${goList(values)} and ` +
        `RegexValues ${goList(regexes)}`,
    );
  }
  return [
    ...(values.length > 0 ? [{ field, values }] : []),
    ...(regexes.length > 0 ? [{ field, values: regexes, isRegex: true as const }] : []),
  ];
}

/** A condition on anything but host and path. */
function otherCondition(config: ConditionConfig): Condition[] {
  const { field = '' } = config;
  if (!isConditionField(field)) {
    return [];
  }
  switch (field) {
    case 'http-header': {
      const { httpHeaderName = '', values = [], regexValues = [] } = config.httpHeaderConfig ?? {};
      return [{ field, header: httpHeaderName, values: [...values, ...regexValues] }];
    }
    case 'http-request-method':
      return [{ field, values: config.httpRequestMethodConfig?.values ?? [] }];
    case 'source-ip':
      return [{ field, values: config.sourceIPConfig?.values ?? [] }];
    case 'query-string': {
      const pairs = config.queryStringConfig?.values ?? [];
      return [{ field, values: pairs.map(({ key, value = '' }) => (key === undefined ? value : `${key}=${value}`)) }];
    }
    default:
      return [];
  }
}

function redirectOf(actions: readonly Action[]): (Action & { type: 'redirect' }) | undefined {
  return actions.find((action) => action.type === 'redirect');
}

function valuesOf(conditions: readonly Condition[], field: Condition['field']): string[] {
  return conditions
    .filter((condition) => condition.field === field && !('isRegex' in condition))
    .flatMap(({ values }) => values);
}

/** A redirect that a client would follow back to the same rule is left out. */
function isEndlessRedirect({ conditions, actions }: Omit<Rule, 'priority'>, port: number, protocol: Protocol): boolean {
  const to = redirectOf(actions)?.to;
  const stays = (value: string | undefined, same: string, others: readonly string[]): boolean =>
    value === undefined || value === same || others.includes(value);
  return (
    to !== undefined &&
    stays(to.host, '#{host}', valuesOf(conditions, 'host-header')) &&
    stays(to.path, '/#{path}', valuesOf(conditions, 'path-pattern')) &&
    stays(to.port, '#{port}', [String(port)]) &&
    stays(to.protocol, '#{protocol}', [protocol]) &&
    stays(to.query, '#{query}', [])
  );
}

/** Rules that can never be reached behind a redirect are left out; behind other rules they stay. */
function withoutDeadRules<T extends Pick<Rule, 'conditions' | 'actions'>>(rules: readonly T[]): T[] {
  const redirects: T[] = [];
  return rules.filter((rule) => {
    const isDead = redirects.some(({ conditions }) => covers(conditions, rule.conditions));
    if (!isDead && redirectOf(rule.actions)) {
      redirects.push(rule);
    }
    return !isDead;
  });
}

function covers(wide: readonly Condition[], narrow: readonly Condition[]): boolean {
  if (wide.some(({ field }) => field !== 'host-header' && field !== 'path-pattern')) {
    return false;
  }
  const isCovered = (field: Condition['field'], all?: string): boolean => {
    const outer = valuesOf(wide, field);
    const inner = valuesOf(narrow, field);
    return (
      outer.length === 0 ||
      (all !== undefined && outer.includes(all)) ||
      (inner.length > 0 && inner.every((value) => outer.includes(value)))
    );
  };
  return isCovered('host-header') && isCovered('path-pattern', '/*');
}
