import { expand, Text } from '../../manifest';
import type { Member } from './group';

/** What a container of a rank gets. */
export interface Concrete {
  readonly variables: ReadonlyMap<string, string>;
  /** Command and arguments as the kubelet hands them on. */
  readonly words: readonly string[];
  /** Names of Secrets and ConfigMaps with a key, whose values were made up. */
  readonly madeUp: readonly string[];
  /** Variables that nobody here can say the value of. */
  readonly unknown: readonly string[];
}

/** The value of a Secret that is not here. Every rank gets the same. */
export function madeUpValue(source: string): string {
  return `rehearsal-${source.replace(/^\w+ /, '').replace(/[^\w]+/g, '-')}`;
}

/** Fills in everything that the manifest leaves to the cluster. */
export function concrete(
  { engine }: Member,
  services: ReadonlyMap<string, string>,
  valueOf: (source: string) => string | undefined,
): Concrete {
  const madeUp = new Set<string>();
  const fill = (text: Text): string | undefined => {
    const parts = text.pieces.map((piece) => {
      if (typeof piece === 'string') {
        return piece;
      }
      const source = piece.source ?? '';
      const known = valueOf(source) ?? services.get(source.replace(/^service link /, ''));
      if (known === undefined && /^(secret|configMap) /.test(source)) {
        madeUp.add(source);
        return madeUpValue(source);
      }
      return known;
    });
    return parts.includes(undefined) ? undefined : parts.join('');
  };
  const variables = new Map(services);
  const unknown = new Set<string>(engine.environment.unread.map(({ what, path }) => `${what} at ${path}`));
  for (const { name, text, state } of engine.environment.variables) {
    if (state !== 'used') {
      continue;
    }
    const value = fill(text);
    if (value === undefined) {
      unknown.add(name);
    } else {
      variables.set(name, value);
    }
  }
  const lookUp = (name: string): Text | undefined => {
    const value = variables.get(name);
    return value === undefined ? undefined : Text.of(value);
  };
  const raw = engine.raw as { command?: unknown; args?: unknown };
  const list = (value: unknown): string[] =>
    Array.isArray(value) ? value.map((word) => expand(String(word), lookUp).text.toString()) : [];
  const command = list(raw.command);
  const start = command.length === 0 && engine.command.isEntrypoint ? ['vllm', 'serve'] : command;
  return { variables, words: [...start, ...list(raw.args)], madeUp: [...madeUp], unknown: [...unknown] };
}
