import { ShellError } from './syntax';

const TOKEN = /\s*(?:(\d+)|([A-Za-z_][A-Za-z0-9_]*)|(\*\*|[-+*/%()]))/y;
const DEEPEST = 50;

/**
 * Works out `$(( … ))` with whole numbers: + - * / % and parentheses. `undefined` for anything else, or when a name has no
 * known value.
 */
export function calculate(text: string, valueOf: (name: string) => number | undefined): number | undefined {
  let at = 0;
  let depth = 0;
  const peek = () => {
    TOKEN.lastIndex = at;
    return TOKEN.exec(text);
  };
  const take = (operators: string): string | undefined => {
    const found = peek()?.[3];
    if (found === undefined || found.length !== 1 || !operators.includes(found)) {
      return undefined;
    }
    at = TOKEN.lastIndex;
    return found;
  };
  const sum = (): number => {
    let value = product();
    for (let operator = take('+-'); operator !== undefined; operator = take('+-')) {
      value += operator === '+' ? product() : -product();
    }
    return value;
  };
  const product = (): number => {
    let value = factor();
    for (let operator = take('*/%'); operator !== undefined; operator = take('*/%')) {
      const right = factor();
      value = operator === '*' ? value * right : operator === '/' ? Math.trunc(value / right) : value % right;
    }
    return value;
  };
  const factor = (): number => {
    if (++depth > DEEPEST) {
      throw new ShellError('its arithmetic is nested too deeply');
    }
    let value: number;
    const sign = take('+-');
    if (sign !== undefined) {
      value = sign === '-' ? -factor() : factor();
    } else if (take('(') !== undefined) {
      value = sum();
      value = take(')') === undefined ? NaN : value;
    } else {
      const token = peek();
      const [, digits, name] = token ?? [];
      at = token ? TOKEN.lastIndex : at;
      // A leading zero would make it octal.
      value =
        digits === undefined
          ? name === undefined
            ? NaN
            : (valueOf(name) ?? NaN)
          : /^0\d/.test(digits)
            ? NaN
            : Number(digits);
    }
    depth--;
    return value;
  };
  const value = sum();
  return text.slice(at).trim() === '' && Number.isSafeInteger(value) ? value : undefined;
}
