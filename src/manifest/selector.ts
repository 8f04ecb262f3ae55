import { get, listOf, mapOf, textMapOf, textOf } from './json';

export type Labels = ReadonlyMap<string, string>;

/** Whether a plain selector (a Service's) matches labels. An empty one selects nothing here. */
export function matches(selector: Labels, labels: Labels): boolean {
  return selector.size > 0 && [...selector].every(([key, value]) => labels.get(key) === value);
}

/** Whether something matches labels; `undefined` when that cannot be read. */
type Matcher = (labels: Labels) => boolean | undefined;

/**
 * Whether a label selector (matchLabels, matchExpressions) matches labels; `undefined` when it cannot be read. An empty one
 * matches everything, none at all nothing.
 */
export function matchesSelector(selector: unknown, labels: Labels): boolean | undefined {
  return matcherOf(selector)(labels);
}

/** `matchesSelector` for the labels of many pods: the selector is read once. */
export function matcherOf(selector: unknown): Matcher {
  const map = mapOf(selector);
  if (map === undefined) {
    const isMatch = selector === undefined || selector === null ? false : undefined;
    return () => isMatch;
  }
  const parts = [
    ...Object.entries(mapOf(get(map, 'matchLabels')) ?? {}).map(([key, value]): Matcher =>
      typeof value === 'string' ? (labels) => labels.get(key) === value : () => undefined,
    ),
    ...listOf(get(map, 'matchExpressions')).map(expressionMatcher),
  ];
  return (labels) => {
    for (const part of parts) {
      const isMatch = part(labels);
      if (isMatch !== true) {
        return isMatch;
      }
    }
    return true;
  };
}

function expressionMatcher(expression: unknown): Matcher {
  const key = textOf(get(expression, 'key'));
  if (key === undefined) {
    return () => undefined;
  }
  const values = new Set(listOf(get(expression, 'values')));
  const isIn = (labels: Labels): boolean => labels.has(key) && values.has(labels.get(key));
  switch (get(expression, 'operator')) {
    case 'In':
      return isIn;
    case 'NotIn':
      return (labels) => !isIn(labels);
    case 'Exists':
      return (labels) => labels.has(key);
    case 'DoesNotExist':
      return (labels) => !labels.has(key);
    default:
      return () => undefined;
  }
}

/** The labels of an object's metadata, or of a pod template's. */
export function labelsOf(holder: unknown): Labels {
  return textMapOf(get(get(holder, 'metadata'), 'labels'));
}
