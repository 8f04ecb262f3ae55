import { isIP } from 'node:net';

/**
 * What the controller reports instead of a balancer, in its own words: they are what its user sees in an event and
 * searches for.
 */
export class BuildError extends Error {}

/** Runs a step; what it reports is preceded by `context`, as errors are in Go. */
export function within<T>(context: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof BuildError ? new BuildError(`${context}: ${error.message}`) : error;
  }
}

const GO_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** A text in quotes, as Go's strconv writes it. */
export function goQuote(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is to be escaped
  const escaped = text.replace(/[\\"\x00-\x1f\x7f]/g, (character) => {
    return GO_ESCAPES[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `"${escaped}"`;
}

/** A set of texts, as Go prints one. */
export function goSet(values: Iterable<string>): string {
  const entries = [...values].sort().map((value) => `${value}:{}`);
  return `map[${entries.join(' ')}]`;
}

/** A list, as Go prints one. */
export function goList(values: Iterable<string | number>): string {
  return `[${[...values].join(' ')}]`;
}

const MAX_DIGITS = 20;

/** A whole number to base 10 within the bits of its type. */
export function parseGoInt(text: string, bits: 32 | 64): number {
  if (!/^[+-]?[0-9]+$/.test(text)) {
    throw new BuildError(`strconv.ParseInt: parsing ${goQuote(text)}: invalid syntax`);
  }
  // Digits beyond those of any number are not worth their arithmetic.
  const digits = text.replace(/^([+-]?)0+(?=\d)/, '$1').replace(/^\+/, '');
  const value = BigInt(digits.slice(0, MAX_DIGITS));
  if (digits.length > MAX_DIGITS || BigInt.asIntN(bits, value) !== value) {
    throw new BuildError(`strconv.ParseInt: parsing ${goQuote(text)}: value out of range`);
  }
  return Number(value);
}

const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

/** A truth value in one of the spellings that Go takes. */
export function parseGoBool(text: string): boolean {
  if (TRUE.includes(text)) {
    return true;
  }
  if (FALSE.includes(text)) {
    return false;
  }
  throw new BuildError(`strconv.ParseBool: parsing ${goQuote(text)}: invalid syntax`);
}

/** Entries between commas; empty ones do not count. */
export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** `key=value,key=value`, or `undefined` where a chunk is no pair. A backslash takes the next character as it is. */
export function parseStringMap(text: string): Map<string, string> | undefined {
  const pairs = splitPairs(text).map((chunk) => {
    const equals = chunk.indexOf('=');
    return equals < 0 ? undefined : ([chunk.slice(0, equals).trim(), chunk.slice(equals + 1).trim()] as const);
  });
  const map = new Map<string, string>();
  for (const pair of pairs) {
    if (pair === undefined || pair[0] === '') {
      return undefined;
    }
    map.set(...pair);
  }
  return map;
}

function splitPairs(text: string): string[] {
  const chunks: string[] = [];
  let chunk = '';
  const end = text.trimEnd().length;
  const lastEquals = text.lastIndexOf('=');
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (character === '\\' && i + 1 < text.length) {
      chunk += text[++i]!;
    } else if (character !== ',') {
      chunk += character;
    } else if (i + 1 >= end) {
      // A comma with nothing behind it belongs to the value.
      chunk += character;
    } else if (lastEquals < i) {
      return [...chunks, chunk.trim(), text.slice(i + 1).trim()];
    } else {
      chunks.push(chunk.trim());
      chunk = '';
    }
  }
  return chunk === '' ? chunks : [...chunks, chunk.trim()];
}

/** Whether a text is a range of addresses, as Go reads it. */
export function isCidr(text: string): boolean {
  const [address = '', length = '', more] = text.split('/');
  const family = isIP(address);
  return (
    family !== 0 &&
    more === undefined &&
    !address.includes('%') &&
    /^\d{1,5}$/.test(length) &&
    Number(length) <= (family === 4 ? 32 : 128)
  );
}
