/** Labels of the first sample of a metric. */
export function labelsOf(metric: string, text: string): Record<string, string> {
  const line = text.split('\n').find((each) => each.startsWith(`${metric}{`)) ?? '';
  const labels = line.slice(metric.length + 1, line.lastIndexOf('}'));
  return Object.fromEntries(
    [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name!, value!]),
  );
}

/** Sum over the samples of a metric; nothing when there is none. */
export function totalOf(metric: string, text: string): number | undefined {
  const values = text
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)))
    .filter(Number.isFinite);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}
