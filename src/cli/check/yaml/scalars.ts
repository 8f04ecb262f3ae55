/** What a plain scalar is to Kubernetes. */
export type Scalar = string | number | boolean | null;

/** Words that go-yaml 2 takes for something else than a string. */
const WORDS: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
]);

/** By the first character: it may be a word, it may be a number. Anything else is a string, and most scalars are. */
const MAY_BE = new Map<number, 'word' | 'number'>([
  ...[...'yYnNtTfFoO~'].map((letter) => [letter.charCodeAt(0), 'word'] as const),
  ...[...'+-.0123456789'].map((letter) => [letter.charCodeAt(0), 'number'] as const),
]);

const INTEGER = /^([-+]?)(?:0[bB]([01]+)|0[xX]([\da-fA-F]+)|0[oO]?([0-7]+)|([1-9]\d*|0))$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const POINT_FIRST = /^\.\d+(?:[eE][-+]?\d+)?$/;
const TWO_TO_63 = 2n ** 63n;
const TWO_TO_64 = 2n ** 64n;

/**
 * A plain scalar as sigs.k8s.io/yaml resolves it, which every Kubernetes program reads with: go-yaml 2, so that `yes` and
 * `on` are true, `0755` is octal, `1_000` is a number, and a date stays text.
 */
export function resolveScalar(text: string): Scalar {
  const first = text === '' ? 'word' : MAY_BE.get(text.charCodeAt(0));
  if (first === undefined) {
    return text;
  }
  const word = WORDS.get(text);
  if (word !== undefined) {
    return word;
  }
  return first === 'number' ? (numberOf(text) ?? text) : text;
}

function numberOf(text: string): number | undefined {
  if (text.startsWith('.')) {
    return POINT_FIRST.test(text) ? finite(Number(text)) : undefined;
  }
  const plain = text.includes('_') ? text.replaceAll('_', '') : text;
  const found = INTEGER.exec(plain);
  if (found) {
    const [, sign = '', binary, hexadecimal, octal, decimal = ''] = found;
    if (decimal !== '' && decimal.length < 16) {
      return Number(plain) + 0;
    }
    const digits =
      binary !== undefined
        ? `0b${binary}`
        : hexadecimal !== undefined
          ? `0x${hexadecimal}`
          : octal !== undefined
            ? `0o${octal}`
            : decimal;
    // Digits without end are not worth reckoning with: they are out of range.
    const magnitude = digits.length > 80 ? TWO_TO_64 : BigInt(digits);
    const fits = sign === '-' ? magnitude <= TWO_TO_63 : magnitude < (sign === '+' ? TWO_TO_63 : TWO_TO_64);
    if (fits) {
      return (sign === '-' ? -1 : 1) * Number(magnitude) + 0;
    }
  }
  return FLOAT.test(plain) ? finite(Number(plain)) : undefined;
}

/** Go refuses a number that is out of range, and go-yaml then takes it for text. */
function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
