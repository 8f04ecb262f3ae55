import { remembered } from './memo';

const numbersOf = remembered((version): readonly number[] => version.split('.').map(Number));

/** Compares two versions of dotted numbers: negative when the first is older, 0 when both are the same. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}
