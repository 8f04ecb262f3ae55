/** Names are shorter; what is longer is no typing mistake, and the table of distances grows with the square of it. */
const LONGEST = 64;

/** Edit distance with the usual three operations; names are short, so the plain table is enough. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current[j] = Math.min(substitution, previous[j]! + 1, current[j - 1]! + 1);
    }
    previous = current;
  }
  return previous[b.length]!;
}

/** The known name that a mistyped one most probably meant, or `undefined` when none is close, or it is too long to be a name. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > LONGEST) {
    return undefined;
  }
  const wanted = name.toLowerCase();
  const isBare = !wanted.includes('/');
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const full = candidate.toLowerCase();
    // A model is often named without its organisation.
    const other = isBare ? full.slice(full.lastIndexOf('/') + 1) : full;
    // Each character more or less is one step at least.
    if (Math.abs(other.length - wanted.length) >= bestDistance) {
      continue;
    }
    const d = distance(wanted, other);
    if (d < bestDistance) {
      best = candidate;
      bestDistance = d;
    }
  }
  return best;
}

/** Names that are looked up, and names that each is compared with. */
const MOST_LOOK_UPS = 200;
const MOST_KNOWN = 500;

/**
 * `nearest` for the names of one run, which may hold a file full of wrong ones: the first two hundred are looked up, each once
 * in a list, among the first five hundred of the list. The others get no answer.
 */
export function nearestOfFirst(): (name: string, known: Iterable<string>) => string | undefined {
  const answers = new WeakMap<Iterable<string>, Map<string, string | undefined>>();
  let lookUps = 0;
  return (name, known) => {
    const ofList = answers.get(known) ?? new Map<string, string | undefined>();
    answers.set(known, ofList);
    if (!ofList.has(name) && lookUps < MOST_LOOK_UPS) {
      lookUps++;
      ofList.set(name, nearest(name, firstOf(known)));
    }
    return ofList.get(name);
  };
}

function* firstOf(known: Iterable<string>): Iterable<string> {
  let count = 0;
  for (const name of known) {
    if (++count > MOST_KNOWN) {
      return;
    }
    yield name;
  }
}

/** A sentence to put behind an error on an unknown name: the nearest one, or the way out. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const found = nearest(name, known);
  return found === undefined ? '' : `; did you mean '${found}'?`;
}
