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

/** Answers about things, such as a list that many share, kept for as long as the thing; the key tells those about one apart. */
export class Answers<Thing extends object, Answer> {
  private readonly known = new WeakMap<Thing, Map<unknown, Answer>>();

  /** The answer that was made before, or is made now. */
  public of(thing: Thing, key: unknown, make: () => Answer): Answer {
    let answers = this.known.get(thing);
    if (answers === undefined) {
      answers = new Map();
      this.known.set(thing, answers);
    }
    let answer = answers.get(key);
    if (answer === undefined && !answers.has(key)) {
      answer = make();
      answers.set(key, answer);
    }
    return answer as Answer;
  }
}
