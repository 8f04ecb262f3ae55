import { main } from '../../src/cli/main';

/** What a command left behind. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Runs a command of the program within this process. */
export async function run(...args: string[]): Promise<Ran> {
  let out = '';
  let error = '';
  const code = await main(args, {
    out: (text) => (out += text),
    error: (text) => (error += text),
    colour: false,
  });
  return { code, out, error };
}
