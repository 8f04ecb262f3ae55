import type { Clock } from '../clock';
import { CallError, kindOf } from './errors';
import { type CallName, type Calls, changes, type Send } from './types';

/** Seconds between attempts when AWS is overloaded or the network breaks: 6 attempts in about half a minute. */
const PAUSES: readonly number[] = [1, 2, 4, 8, 16];
/** The same for the first call of a run: who has no network is told soon. */
export const FIRST_PAUSES: readonly number[] = [1, 2];
/** A role that was just made is known everywhere within a minute. */
const ROLE_PAUSES = [5, 10, 15, 30];

/**
 * Says a call again when its failure passes by itself. Safe for every call that is made here: creations carry a token, and
 * whatever else changes something sets a state, or ends in 'absent' or 'exists', which the steps know.
 */
export function withRetries(send: Send, clock: Clock, transient = PAUSES): Send {
  return async <C extends CallName>(call: C, input: Calls[C][0]): Promise<Calls[C][1]> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(call, input);
      } catch (error) {
        const kind = kindOf(error);
        const pauses = kind === 'transient' ? transient : kind === 'role-not-ready' ? ROLE_PAUSES : [];
        const pause = pauses[attempt - 1];
        if (pause === undefined) {
          throw new CallError(call, error, attempt);
        }
        await clock.sleep(pause * 1000);
      }
    }
  };
}

/** Lets calls through that change nothing, and no others: what `--dry-run` rests on. */
export function readOnly(send: Send): Send {
  return (call, input) => {
    if (changes(call)) {
      throw new Error(`${call} would change something, and this is a dry run`);
    }
    return send(call, input);
  };
}

/** The answer, or `undefined` when AWS says that there is no such thing. */
export async function unlessAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CallError && error.kind === 'absent') {
      return undefined;
    }
    throw error;
  }
}

type Paged = { nextToken?: string; NextToken?: string; Marker?: string };

/** All pages of a list, one after the other. */
export async function allPages<C extends CallName>(send: Send, call: C, input: Calls[C][0]): Promise<Calls[C][1][]> {
  const pages: Calls[C][1][] = [];
  let next: Paged = {};
  do {
    const page = await send(call, { ...input, ...next });
    pages.push(page);
    const { nextToken, NextToken, Marker } = page as Paged;
    next = nextToken ? { nextToken } : NextToken ? { NextToken } : Marker ? { Marker } : {};
  } while (Object.keys(next).length > 0);
  return pages;
}
