/** One step of a path: a key, the place in a list, or the name of an entry of a list. */
export type Step = { readonly key: string } | { readonly index: number } | { readonly named: string };

const STEP = /\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\d+)|([^\]'"]+))\]|\.?([^.[\]]+)/y;

/**
 * The steps of a path as findings give it: `spec.containers[0].args[3]`, `metadata.annotations['a.b/c']`, `env[NAME]` for the
 * entry of that name. What cannot be read ends it: a place nearby is better than none.
 */
export function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  for (let found = STEP.exec(path); found !== null; found = STEP.exec(path)) {
    const [, single, double, index, named, key] = found;
    const quoted = single ?? double;
    if (quoted !== undefined) {
      steps.push({ key: quoted.replace(/\\(.)/g, '$1') });
    } else if (index !== undefined) {
      steps.push({ index: Number(index) });
    } else {
      steps.push(named !== undefined ? { named } : { key: key! });
    }
  }
  return steps;
}
