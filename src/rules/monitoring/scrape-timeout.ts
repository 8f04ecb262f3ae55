import { get, listOf, textOf } from '../../manifest/json';
import { CPU_GROUP, edit, POD_MONITOR, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';

const LISTS = { PodMonitor: 'podMetricsEndpoints', ServiceMonitor: 'endpoints' };

function* check({ set }: RuleInput): Iterable<Report> {
  for (const [kind, list] of Object.entries(LISTS)) {
    for (const object of set.ofKind(kind)) {
      for (const [i, endpoint] of listOf(get(object.spec, list)).entries()) {
        const [interval, timeout] = ['interval', 'scrapeTimeout'].map((key) => secondsOf(get(endpoint, key)));
        if (interval !== undefined && timeout !== undefined && timeout > interval) {
          yield {
            object,
            path: `spec.${list}[${i}].scrapeTimeout`,
            what: `scrapeTimeout is ${textOf(get(endpoint, 'scrapeTimeout'))}, and interval ${textOf(get(endpoint, 'interval'))}`,
          };
        }
      }
    }
  }
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};

/** A duration as Prometheus writes it: `1m30s`. */
function secondsOf(value: unknown): number | undefined {
  const text = textOf(value) ?? '';
  return /^(\d+(ms|[smhdwy]))+$/.test(text)
    ? [...text.matchAll(/(\d+)(ms|[smhdwy])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0)
    : undefined;
}

const MONITOR = (timeout: string): string =>
  together(
    CPU_GROUP,
    edit(POD_MONITOR, ['path: /metrics', `path: /metrics, interval: 15s, scrapeTimeout: ${timeout}`]),
  );

export const scrapeTimeout: Rule = {
  id: 'monitoring/scrape-timeout',
  severity: 'error',
  title: 'a scrape may take longer than the time to the next one',
  why: 'the Prometheus operator rejects the monitor, so nothing is scraped',
  fix: 'make scrapeTimeout no longer than interval',
  source: 'prometheus-operator 0.93',
  get bad() {
    return MONITOR('30s');
  },
  get good() {
    return MONITOR('10s');
  },
  check,
};
