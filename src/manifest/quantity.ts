import { remembered } from '../common/memo';

/** A Kubernetes quantity, exact. */
export interface Quantity {
  /** As written. */
  readonly text: string;
  /** In whole units, rounded up as Kubernetes does: bytes, devices, cores. */
  readonly value: number;
  /** In thousandths, rounded up: thousandths of a core. */
  readonly millis: number;
}

// Source: apimachinery/pkg/api/resource: up to nine decimals count, more are rounded up.
const FORM = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d+))?$/;
const NANO_DIGITS = 9;
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const LARGEST = 2n ** 63n - 1n;
/** Longer ones are no quantities that a person or a program writes. */
const LONGEST = 64;

/** Reads a quantity; `undefined` for what Kubernetes refuses. Numbers without quotes are taken, as there. */
export function parseQuantity(raw: unknown): Quantity | undefined {
  const text = typeof raw === 'number' ? String(raw) : raw;
  return typeof text === 'string' && text.length <= LONGEST ? quantityOf(text) : undefined;
}

const quantityOf = remembered((text): Quantity | undefined => {
  const found = FORM.exec(text);
  if (!found) {
    return undefined;
  }
  const [, sign, digits, binary, decimal, exponent] = found as unknown as [string, string, string, ...string[]];
  const [whole = '', fraction = ''] = digits.split('.');
  const power = decimal === undefined || decimal === '' ? Number(exponent ?? 0) : DECIMAL[decimal]!;
  const factor = binary === undefined ? 1n : 1024n ** BigInt(BINARY.indexOf(binary) + 1);
  const nanos = scale(BigInt(`${whole}${fraction}` || '0') * factor, power - fraction.length + NANO_DIGITS);
  const signed = (amount: bigint) => Number(amount > LARGEST ? LARGEST : amount) * (sign === '-' ? -1 : 1) || 0;
  return {
    text,
    value: signed(scale(nanos, -NANO_DIGITS)),
    millis: signed(scale(nanos, 3 - NANO_DIGITS)),
  };
});

/** Times a power of ten, rounded up. */
function scale(amount: bigint, power: number): bigint {
  if (amount === 0n || power === 0) {
    return amount;
  }
  const bounded = Math.min(Math.abs(power), 2 * LONGEST + NANO_DIGITS);
  const factor = 10n ** BigInt(bounded);
  return power > 0 ? amount * factor : (amount + factor - 1n) / factor;
}
