import { printable } from '../common/printable';

/** Words for a value of JSON in a message: short and on one line, whatever it is. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return `'${printable(value, 40)}'`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** What to do about a field that is missing, when the class of the model is not known to put anything there. */
export const WAY_OUT = 'is the file complete? Write it into the file, or describe the model by Model.custom';

/** Bounds of a whole number. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Whether a value of JSON is an object: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Fields of an untrusted JSON object, read by the names that different models give them. A name counts when the object has
 * it itself and its value is not null; the defaults of the model's class stand in for what is missing.
 */
export class Fields {
  public constructor(
    /** What the object is, to begin a message with. */
    public readonly where: string,
    private readonly json: Readonly<Record<string, unknown>>,
    private readonly defaults: Readonly<Record<string, unknown>> = {},
  ) {}

  /** The same object with defaults. */
  public withDefaults(defaults: Readonly<Record<string, unknown>>): Fields {
    return new Fields(this.where, this.json, defaults);
  }

  /** Whether the object itself has the field, even as null. */
  public has(name: string): boolean {
    return Object.hasOwn(this.json, name) && this.json[name] !== undefined;
  }

  /** Whether none of the names is in the object itself, so that a default stands in. */
  public isSilent(...names: readonly string[]): boolean {
    return !names.some((name) => this.has(name));
  }

  /** First of the names with a value, and the value; `undefined` when there is none, even by default. */
  public find(...names: readonly string[]): { readonly name: string; readonly value: unknown } | undefined {
    for (const from of [this.json, this.defaults]) {
      const own = names.filter((name) => Object.hasOwn(from, name) && from[name] !== undefined);
      const name = own.find((candidate) => from[candidate] !== null);
      if (name !== undefined) return { name, value: from[name] };
      // A field that says null has no value, whatever the class would put there.
      if (own.length > 0) return undefined;
    }
    return undefined;
  }

  /** Value of the first of the names that has one. */
  public raw(...names: readonly string[]): unknown {
    return this.find(...names)?.value;
  }

  /** Throws, naming the field, the value and what is allowed. */
  public refuse(name: string, value: unknown, allowed: string): never {
    throw new Error(`${this.where}: ${printable(name)} is ${show(value)}; it takes ${allowed}`);
  }

  /** A whole number that must be there. */
  public integer(names: readonly string[], bounds: Bounds): number {
    return (
      this.optionalInteger(names, bounds) ??
      this.refuse(names[0]!, undefined, `a whole number from ${bounds.min} to ${bounds.max}; ${WAY_OUT}`)
    );
  }

  /** A whole number, when one of the names has a value. */
  public optionalInteger(names: readonly string[], { min, max }: Bounds): number | undefined {
    const found = this.find(...names);
    if (found === undefined) return undefined;
    const { name, value } = found;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) {
      return this.refuse(name, value, `a whole number from ${min} to ${max}`);
    }
    return value;
  }

  /** A switch. */
  public flag(name: string, otherwise = false): boolean {
    const value = this.raw(name);
    if (value === undefined) return otherwise;
    return typeof value === 'boolean' ? value : this.refuse(name, value, 'true or false');
  }

  /** A text, when there is one. */
  public text(...names: readonly string[]): string | undefined {
    const found = this.find(...names);
    if (found === undefined) return undefined;
    return typeof found.value === 'string' ? found.value : this.refuse(found.name, found.value, 'a text');
  }

  /** A list, when there is one. */
  public list(...names: readonly string[]): readonly unknown[] | undefined {
    const found = this.find(...names);
    if (found === undefined) return undefined;
    return Array.isArray(found.value) ? (found.value as unknown[]) : this.refuse(found.name, found.value, 'a list');
  }

  /** A list of whole numbers of no more than so many entries. */
  public integers(name: string, bounds: Bounds, longest: number): readonly number[] | undefined {
    const list = this.list(name);
    if (list === undefined) return undefined;
    if (list.length > longest) {
      return this.refuse(name, list, `a list of no more than ${longest} numbers, one a layer`);
    }
    list.forEach((value, i) => {
      if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < bounds.min || value > bounds.max) {
        this.refuse(`${name}[${i}]`, value, `a whole number from ${bounds.min} to ${bounds.max}`);
      }
    });
    return list as readonly number[];
  }

  /** An object inside of this one, when there is one. */
  public inner(name: string, defaults: Readonly<Record<string, unknown>> = {}): Fields | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    return isObject(value)
      ? new Fields(`${this.where}: ${printable(name)}`, value, defaults)
      : this.refuse(name, value, 'an object');
  }
}
