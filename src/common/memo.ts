/** Answers that are kept for a while; what has more questions than that is none that repeats itself. */
const MOST = 1000;
/** A longer text hardly stands in many places. */
const LONGEST = 1000;

/**
 * A function of a text that remembers its answers: manifests say the same a thousand times over. The texts are those of
 * others, so no more than a bounded number of them is kept.
 */
export function remembered<Answer>(answer: (text: string) => Answer): (text: string) => Answer {
  const known = new Map<string, Answer>();
  return (text) => {
    if (text.length > LONGEST) {
      return answer(text);
    }
    let found = known.get(text);
    if (found === undefined && !known.has(text)) {
      if (known.size >= MOST) {
        known.clear();
      }
      found = answer(text);
      known.set(text, found);
    }
    return found as Answer;
  };
}
