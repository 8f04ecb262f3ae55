import { Text } from './text';

/** A text after Kubernetes' `$(NAME)` expansion. */
export interface Expanded {
  readonly text: Text;
  /** Names that nothing defines; Kubernetes leaves `$(NAME)` as it is. */
  readonly unresolved: readonly string[];
}

/** Longest word that Linux hands to a program; references to references could make one of any length. */
const LONGEST = 128 * 1024;

/**
 * What the kubelet makes of `$(NAME)` in command, args and values: `$$` is a dollar sign, and a reference that nothing
 * defines stays as text. Source: k8s.io/kubernetes/third_party/forked/golang/expansion/expand.go.
 */
export function expand(input: string, lookUp: (name: string) => Text | undefined): Expanded {
  const parts: (Text | string)[] = [];
  const unresolved: string[] = [];
  let checkpoint = 0;
  let length = 0;
  let cursor = input.indexOf('$');
  while (cursor >= 0 && cursor + 1 < input.length) {
    const next = input[cursor + 1];
    let end = cursor + 2;
    let part: Text | string = input.slice(cursor, end);
    if (length > LONGEST) {
      return { text: Text.hole({ why: 'its references make it longer than Linux takes' }), unresolved };
    }
    if (next === '$') {
      part = '$';
    } else if (next === '(') {
      const close = input.indexOf(')', cursor + 2);
      if (close < 0) {
        // Nothing further on can be a reference either, but `$$` still is an escape.
        parts.push(input.slice(checkpoint).replaceAll('$$', () => '$'));
        return { text: Text.join(parts), unresolved };
      }
      const name = input.slice(cursor + 2, close);
      const value = lookUp(name);
      end = close + 1;
      part = value ?? input.slice(cursor, end);
      length += value?.length ?? 0;
      if (value === undefined) {
        unresolved.push(name);
      }
    }
    parts.push(input.slice(checkpoint, cursor), part);
    checkpoint = end;
    cursor = input.indexOf('$', end);
  }
  parts.push(input.slice(checkpoint));
  return { text: Text.join(parts), unresolved };
}
