import type { Model } from './model';

const NUMBERS = new Set(['integer', 'long', 'double', 'float']);

/** Everything that a value has against a shape: unknown and missing members, types, enums, patterns, ranges. */
export function violations(model: Model, name: string, value: unknown, path = ''): string[] {
  const shape = model.shapes[name]!;
  const at = path || name;
  const found: string[] = [];
  const bad = (what: string): void => void found.push(`${at}: ${what}`);
  const inRange = (size: number, what: string): void => {
    if (size < (shape.min ?? -Infinity) || size > (shape.max ?? Infinity)) {
      bad(`${what} is ${size}, and the model has ${shape.min ?? ''}..${shape.max ?? ''}`);
    }
  };
  const inner = (of: string, each: unknown, where: string): void =>
    void found.push(...violations(model, of, each, where));
  switch (shape.type) {
    case 'structure': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        bad('no structure');
        break;
      }
      const members = shape.members ?? {};
      const given = Object.entries(value).filter(([, each]) => each !== undefined && each !== null);
      for (const key of shape.required ?? []) {
        if (!given.some(([each]) => each === key)) {
          bad(`required member ${key} is missing`);
        }
      }
      for (const [key, each] of given) {
        if (members[key] === undefined) {
          bad(`unknown member ${key}`);
        } else {
          inner(members[key].shape, each, path === '' ? key : `${path}.${key}`);
        }
      }
      break;
    }
    case 'list':
      if (Array.isArray(value)) {
        inRange(value.length, 'length');
        value.forEach((each, i) => inner(shape.member!.shape, each, `${at}[${i}]`));
      } else {
        bad('no list');
      }
      break;
    case 'map':
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        inRange(Object.keys(value).length, 'size');
        for (const [key, each] of Object.entries(value)) {
          inner(shape.key!.shape, key, `${at}{key}`);
          inner(shape.value!.shape, each, `${at}.${key}`);
        }
      } else {
        bad('no map');
      }
      break;
    case 'string':
      if (typeof value !== 'string') {
        bad(`a ${typeof value}, and no string`);
        break;
      }
      if (shape.enum !== undefined && !shape.enum.includes(value)) {
        bad(`'${value}' is none of ${shape.enum.join(', ')}`);
      }
      inRange([...value].length, 'length');
      // The patterns of the models have no end.
      if (shape.pattern !== undefined && !new RegExp(`^(?:${shape.pattern})$`, 'u').test(value)) {
        bad(`'${value}' does not match ${shape.pattern}`);
      }
      break;
    case 'boolean':
      if (typeof value !== 'boolean') {
        bad(`a ${typeof value}, and no boolean`);
      }
      break;
    case 'timestamp':
      if (!(value instanceof Date) || Number.isNaN(value.getTime())) {
        bad('no timestamp');
      }
      break;
    default:
      if (NUMBERS.has(shape.type)) {
        if (
          typeof value !== 'number' ||
          Number.isNaN(value) ||
          (shape.type !== 'double' && shape.type !== 'float' && !Number.isInteger(value))
        ) {
          bad(`no ${shape.type}`);
        } else {
          inRange(value, 'value');
        }
      }
  }
  return found;
}
