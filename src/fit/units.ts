import { GIBI, KIBI, MEBI } from '../common/numbers';

export { GIBI, KIBI, MEBI };

/** `4.0 GiB`, `512 MiB`: for a person. */
export function sizeText(bytes: number): string {
  if (bytes >= 100 * GIBI) {
    return `${countText(Math.round(bytes / GIBI))} GiB`;
  }
  if (bytes < MEBI) {
    return `${countText(Math.ceil(bytes / KIBI))} KiB`;
  }
  return bytes >= GIBI ? `${(bytes / GIBI).toFixed(1)} GiB` : `${Math.ceil(bytes / MEBI)} MiB`;
}

/** `6`, `7.91`: cores, for a person. */
export function coresText(millis: number): string {
  return String(Math.round(millis / 10) / 100);
}

/** Up to the next multiple. */
export function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}

/** Down to the last multiple. */
export function roundDown(value: number, step: number): number {
  return Math.floor(value / step) * step;
}

/** Thousands apart, as vLLM logs them: `1,234`. */
export function countText(value: number): string {
  return String(Math.trunc(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `365 M`, `27.4 B`, `1,030 B`: parameters, for a person. */
export function parametersText(count: number): string {
  const [amount, unit] = count < 1e9 ? [count / 1e6, 'M'] : [count / 1e9, 'B'];
  return `${amount >= 100 ? countText(Math.round(amount)) : amount.toPrecision(3)} ${unit}`;
}
