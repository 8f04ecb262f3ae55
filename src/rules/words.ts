/** Names that a text lists; the rest is counted. */
const MOST_NAMES = 5;

/** `a, b, c and 4 more`: a finding about thousands of objects is one line all the same. */
export function listed(names: Iterable<string>, most = MOST_NAMES): string {
  const first: string[] = [];
  let more = 0;
  for (const name of names) {
    if (first.length < most) {
      first.push(name);
    } else {
      more++;
    }
  }
  return `${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
