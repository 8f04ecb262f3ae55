import { get, listOf, mapOf, textMapOf, textOf } from './json';

export type Labels = ReadonlyMap<string, string>;

/** Whether a plain selector (a Service's) matches labels. An empty one selects nothing here. */
export function matches(selector: Labels, labels: Labels): boolean {
  return selector.size > 0 && [...selector].every(([key, value]) => labels.get(key) === value);
}

/**
 * Whether a label selector (matchLabels, matchExpressions) matches labels; `undefined` when it cannot be read. An empty one
 * matches everything, none at all nothing.
 */
export function matchesSelector(selector: unknown, labels: Labels): boolean | undefined {
  const map = mapOf(selector);
  if (map === undefined) {
    return selector === undefined || selector === null ? false : undefined;
  }
  for (const [key, value] of Object.entries(mapOf(get(map, 'matchLabels')) ?? {})) {
    if (typeof value !== 'string') {
      return undefined;
    }
    if (labels.get(key) !== value) {
      return false;
    }
  }
  for (const expression of listOf(get(map, 'matchExpressions'))) {
    const isMatch = matchesExpression(expression, labels);
    if (isMatch !== true) {
      return isMatch;
    }
  }
  return true;
}

function matchesExpression(expression: unknown, labels: Labels): boolean | undefined {
  const key = textOf(get(expression, 'key'));
  const value = key === undefined ? undefined : labels.get(key);
  const isIn = value !== undefined && listOf(get(expression, 'values')).includes(value);
  switch (key === undefined ? undefined : get(expression, 'operator')) {
    case 'In':
      return isIn;
    case 'NotIn':
      return !isIn;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return undefined;
  }
}

/** The labels of an object's metadata, or of a pod template's. */
export function labelsOf(holder: unknown): Labels {
  return textMapOf(get(get(holder, 'metadata'), 'labels'));
}
