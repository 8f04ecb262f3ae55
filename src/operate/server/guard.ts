import { guardedPrefixes } from '../../engine/paths';
import { API_PATH } from '../../engine/server';
import type { Answer, Ask } from './http';

/** Status of a path that the API key guards: without the key, with a wrong one, with the right one. */
export interface Guarded {
  readonly path: string;
  readonly without: number;
  readonly wrong: number;
  readonly right: number;
}

/** Asks on every prefix that the release guards. */
export async function askGuarded(
  ask: (ask: Ask) => Promise<Answer>,
  key: string,
  release: string,
): Promise<readonly Guarded[]> {
  const guarded = [];
  for (const path of [`${API_PATH}/models`, ...guardedPrefixes(release).map((prefix) => `${prefix}/no-such-path`)]) {
    const status = async (key?: string): Promise<number> =>
      (await ask({ path, seconds: 30, ...(key !== undefined && { key }) })).status;
    guarded.push({ path, without: await status(), wrong: await status('not-the-key'), right: await status(key) });
  }
  return guarded;
}

/** Whether the key opens what it guards and nothing else does, and what was seen. */
export function judgeGuarded(guarded: readonly Guarded[]): { readonly held: boolean; readonly said: string } {
  const off = guarded.filter(({ without, wrong, right }) => without !== 401 || wrong !== 401 || right === 401);
  return off.length === 0
    ? { held: true, said: `401 without the key and with a wrong one on ${guarded.map(({ path }) => path).join(', ')}` }
    : {
        held: false,
        said: off
          .map(
            ({ path, without, wrong, right }) =>
              `${path}: ${without} without, ${wrong} with a wrong one, ${right} with it`,
          )
          .join('; '),
      };
}

export const NO_KEY = 'no API key is set: whoever reaches the server may use it';
