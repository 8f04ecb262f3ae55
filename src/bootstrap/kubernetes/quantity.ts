const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Thousandths of a core of a quantity such as `7910m` or `8`; 0 for what is none. */
export function parseCpuMillis(text: string): number {
  const found = /^(\d+(?:\.\d+)?)(m?)$/.exec(text);
  return found === null ? 0 : Math.floor(Number(found[1]) * (found[2] === 'm' ? 1 : 1000));
}

/** Bytes of a quantity such as `30560000Ki`; 0 for what is none. */
export function parseMemory(text: string): number {
  const found = /^(\d+(?:\.\d+)?)([kMGT]|[KMGT]i)?$/.exec(text);
  return found === null ? 0 : Math.floor(Number(found[1]) * UNITS[found[2] ?? '']!);
}
