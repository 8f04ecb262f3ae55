import { Yaml } from 'cdk8s';

/** What kubectl's parser takes for a number, without the underscores that it leaves out. */
const NUMBERS = [
  /^[-+]?(?:0[xX][\da-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9]\d*)$/,
  /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/,
  /^-?0b[-+]?[01]+$/,
];

/**
 * Whether a text stands without quotes in what cdk8s writes, while kubectl reads a number there: `0o17` arrives as 15.
 * Source: the YAML that cdk8s writes, read by kubectl.
 */
function isLost(text: string): boolean {
  if (!/^[-+.\d]/.test(text) || text.length > 400) {
    return false;
  }
  const plain = text.replaceAll('_', '');
  return NUMBERS.some((number) => number.test(plain)) && !/^["']/.test(Yaml.stringify(text));
}

/** The first text of an object that kubectl would read as a number, with its place; nothing where there is none. */
export function lostText(value: unknown, path = ''): { readonly path: string; readonly text: string } | undefined {
  if (typeof value === 'string') {
    return isLost(value) ? { path, text: value } : undefined;
  }
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const isList = Array.isArray(value);
  for (const [key, entry] of Object.entries(value)) {
    const place = isList ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const found = !isList && isLost(key) ? { path: place, text: key } : lostText(entry, place);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
