/** How one number of a plan comes about. */
export interface Explanation {
  /** What the number is. */
  readonly title: string;
  /** The formula in words. */
  readonly formula: string;
  /** The same with its numbers: `+ - * /`, brackets, `min`, `max`, `ceil`, `floor`, `round`. */
  readonly numbers: string;
  readonly result: number;
  /** What is counted: bytes, tokens, seconds, … */
  readonly unit: string;
  /** Where the formula comes from. */
  readonly source: string;
}

export function explanation(
  title: string,
  formula: string,
  numbers: string,
  result: number,
  unit: string,
  source: string,
): Explanation {
  return { title, formula, numbers, result, unit, source };
}
