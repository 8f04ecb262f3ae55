import { METRIC_TABLE } from './metric-table';

/** A family of Prometheus metrics that vLLM's server may show. */
export interface Metric {
  /** The name that its samples have: counters end in `_total`, histograms add `_bucket`, `_sum` and `_count` to it. */
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** First release with it; none when the oldest has it. */
  readonly since?: string;
  /** Last release with it; none when the newest has it. */
  readonly until?: string;
}

let byName: Map<string, Metric> | undefined;

/** Every family by the name of its samples. Many appear only with a feature, such as speculative decoding. */
export function metrics(): ReadonlyMap<string, Metric> {
  byName ??= new Map(
    METRIC_TABLE.trim()
      .split('\n')
      .map((line) => {
        const metric = readLine(line);
        return [metric.name, metric];
      }),
  );
  return byName;
}

function readLine(line: string): Metric {
  const [family = '', kind, span = '..'] = line.split(' ') as [string, Metric['kind'], string?];
  const [since, until] = span.split('..');
  // The client library takes a `_total` of the code away and puts one behind every counter.
  const name = kind === 'counter' ? `${family.replace(/_total$/, '')}_total` : family;
  return { name, kind, ...(since && { since }), ...(until && { until }) };
}
