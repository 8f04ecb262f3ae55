import type { Explanation } from '../../fit/explanation';
import { wrap } from './layout';

/** Each formula with its numbers and where it comes from. */
export function explanationLines(explanations: readonly Explanation[]): string[] {
  return [
    'How the numbers come about',
    ...explanations.flatMap(({ title, formula, numbers, result, unit, source }) => [
      ...wrap(`- ${title}: ${valueText(result)} ${unit}`, 2, 4),
      ...wrap(`= ${formula}`, 4, 6),
      ...wrap(`= ${numbers}`, 4, 6),
      ...wrap(`source: ${source}`, 4, 6),
    ]),
  ];
}

/** Whole numbers in full, others with as many digits as an estimate has. */
function valueText(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(5)));
}
