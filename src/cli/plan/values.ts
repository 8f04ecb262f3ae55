import { WrongInput } from '../terminal';

/** Bounds of a number, and what to say of one outside of them. */
interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Both bounds in the unit that a person writes. */
  readonly range?: string;
  /** An example, or what to do. */
  readonly hint: string;
}

/** A whole number as Python's `int()` reads it, which is what vLLM does. */
export function integer(flag: string, text: string, bounds: Bounds): number {
  return bounded(flag, text, pythonInt(text), bounds);
}

/** Decimal below, binary above: vLLM's own reading of `1k` and `1K`. */
const VLLM_UNITS: Readonly<Record<string, number>> = {
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
  T: 2 ** 40,
};
const BINARY_UNITS: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };

/**
 * A number as `human_readable_int` of vllm/utils/argparse_utils.py reads it: `4096`, `4k` for 4000, `4K` for 4096, `25.6k`.
 * Kubernetes' `4Gi`, and `4GiB`, have one meaning alone and are taken as well.
 */
export function humanInteger(flag: string, text: string, bounds: Bounds): number {
  const value = text.trim();
  const human = /^(\d+(?:\.\d+)?)([kKmMgGtT])$/.exec(value);
  if (human) {
    const [, number = '', unit = ''] = human;
    if (number.includes('.') && unit === unit.toUpperCase()) {
      throw new WrongInput(
        `${flag} is ${value}; vLLM takes no decimals before ${unit} (binary), only before ${unit.toLowerCase()} (decimal): ` +
          bounds.hint,
      );
    }
    return bounded(flag, text, Math.trunc(Number(number) * VLLM_UNITS[unit]!), bounds);
  }
  const binary = /^(\d+(?:\.\d+)?)([KMGT]i)B?$/.exec(value);
  return bounded(flag, text, binary ? Number(binary[1]) * BINARY_UNITS[binary[2]!]! : pythonInt(value), bounds);
}

const KUBERNETES_UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, ...BINARY_UNITS };

/** Bytes as a Kubernetes quantity: `20Gi`, `21474836480`, `20G` for 20e9. */
export function bytes(flag: string, text: string, bounds: Bounds): number {
  const found = /^(\d+(?:\.\d+)?(?:[eE]\d+)?)(k|M|G|T|Ki|Mi|Gi|Ti)?$/.exec(text.trim());
  return bounded(flag, text, found ? Number(found[1]) * KUBERNETES_UNITS[found[2] ?? '']! : NaN, bounds, ' bytes');
}

/** Thousandths of a core from a Kubernetes quantity: `6`, `5.5`, `5500m`. */
export function millicores(flag: string, text: string, bounds: Bounds): number {
  const found = /^(\d+(?:\.\d+)?)(m)?$/.exec(text.trim());
  const value = found ? Number(found[1]) * (found[2] ? 1 : 1000) : NaN;
  return bounded(
    flag,
    text,
    Math.abs(value - Math.round(value)) < 1e-6 ? Math.round(value) : value,
    bounds,
    ' thousandths of a core',
  );
}

/** One of some words. */
export function word<T>(flag: string, text: string, words: Readonly<Record<string, T>>): T {
  if (!Object.hasOwn(words, text)) {
    throw new WrongInput(`${flag} is '${text}'; it takes ${Object.keys(words).join(', ')}`);
  }
  return words[text] as T;
}

/** Whole numbers with commas between them. */
export function integers(flag: string, text: string, hint: string): number[] {
  const parts = text.split(',').map(pythonInt);
  if (parts.some((part) => !Number.isSafeInteger(part))) {
    throw new WrongInput(`${flag} is '${text}'; it takes whole numbers with commas between them, ${hint}`);
  }
  return parts;
}

function pythonInt(text: string): number {
  return /^\s*[+-]?\d+(_\d+)*\s*$/.test(text) ? Number(text.replaceAll('_', '')) : NaN;
}

function bounded(flag: string, text: string, value: number, { min, max, range, hint }: Bounds, unit = ''): number {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    const seen = String(value) === text.trim() || Number.isNaN(value) || unit === '' ? '' : ` (${value}${unit})`;
    throw new WrongInput(
      `${flag} is '${text}'${seen}; it takes ${range ?? `a whole number from ${min} to ${max}`}, ${hint}`,
    );
  }
  return value;
}
