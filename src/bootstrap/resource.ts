import type { HealthIssue } from './aws/types';

/** How a difference between the file and AWS can be removed. */
export type Remedy =
  /** By a call that no pod notices. */
  | 'change'
  /** By ending nodes, or by what cannot be taken back: with `--replace` alone. */
  | 'replace'
  /** Not at all, or not by this program. */
  | 'none';

/** A difference between the file and what is there. */
export interface Difference {
  /** What differs, in the words of the file. */
  readonly what: string;
  readonly found: string;
  readonly wanted: string;
  readonly remedy: Remedy;
  /** What the remedy does, or what to do where there is none. */
  readonly note?: string;
}

/** In which state AWS has something: see `status` for its own word. */
export type State = 'ready' | 'moving' | 'degraded' | 'failed' | 'deleting';

/** How long to wait: seconds between looks, and minutes. */
export interface Patience {
  readonly every: number;
  readonly atMost: number;
  /** Minutes that DEGRADED may last: it can heal, when the first nodes come for instance. */
  readonly degraded: number;
}

/** Something of AWS that the file asks for: how to look at it, to make it, to change it and to remove it. */
export interface Resource<Observed> {
  /** What people call it: `node group llm-arm`. */
  readonly id: string;
  /** Ids of what must be there before. */
  readonly needs: readonly string[];
  readonly patience: Patience;
  /** What is there, or `undefined`. */
  readonly observe: () => Promise<Observed | undefined>;
  readonly isOurs: (observed: Observed) => boolean;
  readonly state: (observed: Observed) => State;
  /** AWS' own word for the state. */
  readonly status: (observed: Observed) => string;
  readonly issues: (observed: Observed) => readonly HealthIssue[];
  readonly differences: (observed: Observed) => readonly Difference[];
  /** @param generation part of the client token, see clientToken */
  readonly create: (generation: number) => Promise<void>;
  /** Removes differences whose remedy is `change`. */
  readonly change: (observed: Observed, differences: readonly Difference[]) => Promise<void>;
  /** Removes differences whose remedy is `replace`; `undefined` to delete it and make it again. */
  readonly replace?: (observed: Observed, differences: readonly Difference[]) => (() => Promise<void>) | undefined;
  readonly remove: (observed: Observed) => Promise<void>;
  /** Keeps what later steps need. */
  readonly remember?: (observed: Observed) => void;
}

/** Tags that are missing or have another value, as one difference. */
export function tagDifference(
  found: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): Difference[] {
  const missing = missingTags(found, wanted);
  return missing.length === 0
    ? []
    : [
        {
          what: 'tags',
          found: missing.map((key) => `${key}=${found?.[key] ?? '(none)'}`).join(', '),
          wanted: missing.map((key) => `${key}=${wanted[key]}`).join(', '),
          remedy: 'change',
        },
      ];
}

export function missingTags(
  found: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): string[] {
  return Object.keys(wanted).filter((key) => found?.[key] !== wanted[key]);
}

/** A difference of two lists without regard to their order. */
export function listDifference(
  what: string,
  found: readonly string[] = [],
  wanted: readonly string[],
  remedy: Remedy,
  note?: string,
): Difference[] {
  const [a, b] = [found, wanted].map((list) => [...list].sort().join(', '));
  return a === b
    ? []
    : [{ what, found: a || '(none)', wanted: b || '(none)', remedy, ...(note !== undefined && { note }) }];
}

export function valueDifference(
  what: string,
  found: string | number | boolean | undefined,
  wanted: string | number | boolean,
  remedy: Remedy,
  note?: string,
): Difference[] {
  return found === wanted
    ? []
    : [
        {
          what,
          found: found === undefined ? '(none)' : String(found),
          wanted: String(wanted),
          remedy,
          ...(note !== undefined && { note }),
        },
      ];
}
