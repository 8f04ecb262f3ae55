import type { Duration, Size } from 'cdk8s';
import { printable } from './printable';

/** Checks a whole number against both bounds; the message names both. */
export function checkInteger(what: string, value: number, min: number, max: number): number {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw new Error(`${what} is ${inWords(value)}; it takes a whole number from ${min} to ${max}`);
  }
  return value;
}

/** What stands where a number belongs, in words. */
export function inWords(value: unknown): string {
  if (typeof value === 'string') return `'${printable(value, 40)}'`;
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
    ? `of type ${Array.isArray(value) ? 'array' : typeof value}`
    : String(value);
}

/** Whole seconds of a duration, checked against both bounds. */
export function checkSeconds(what: string, value: Duration, min: number, max: number): number {
  const seconds = value.toSeconds({ integral: false });
  if (!Number.isSafeInteger(seconds) || seconds < min || seconds > max) {
    throw new Error(`${what} is ${seconds} s; it takes whole seconds from ${min} to ${max}`);
  }
  return seconds;
}

/** Bytes of a KiB. */
export const KIBI = 1024;
/** Bytes of a MiB. */
export const MEBI = KIBI ** 2;
/** Bytes of a GiB. */
export const GIBI = KIBI ** 3;
const UNITS = ['Ki', 'Mi', 'Gi', 'Ti'] as const;

/** Bytes of a size. `Size.gibibytes(4)` is 4,294,967,296. */
export function bytesOf(size: Size): number {
  const bytes = Math.round(size.toKibibytes({ rounding: 2 /* SizeRoundingBehavior.NONE */ }) * KIBI);
  if (!Number.isSafeInteger(bytes) || bytes < 0) {
    throw new Error(`a size is ${bytes} bytes; it takes a number of bytes that is finite and not negative`);
  }
  return bytes;
}

/** The shortest exact Kubernetes quantity of a size: `4Gi`, `512Mi`, `1536Mi`. */
export function quantityOf(size: Size): string {
  let amount = bytesOf(size);
  let unit = '';
  for (const next of UNITS) {
    if (amount === 0 || amount % KIBI !== 0) {
      break;
    }
    amount /= KIBI;
    unit = next;
  }
  return `${amount}${unit}`;
}
