import type { Wire } from '../fit/plan-types';
import { requestBytes } from '../fit/wire';

/** Bytes that a request makes between the ranks. */
export interface ExpectedBytes {
  /** What every worker has to get at least: hidden states alone, or what tells it of a step where those are not known. */
  readonly least: number;
  /** Both ways between two stages, where they were measured. */
  readonly predicted?: { readonly forward: number; readonly backward: number };
}

/** What the scheduler says to each rank for a token, at the very least; 3,800 were measured, with the tensors' descriptions. */
const LEAST_PER_TOKEN = 1000;

/**
 * What a request makes.
 * @param wire bytes of a token; nothing where the model's hidden size is not known
 * @param tokens computed ones of the prompt, and generated ones
 */
export function expectedBytes(
  wire: Wire | undefined,
  { stages, shares }: { readonly stages: number; readonly shares: number },
  { prompt, output }: { readonly prompt: number; readonly output: number },
): ExpectedBytes {
  if (wire === undefined || stages === 1) {
    return { least: LEAST_PER_TOKEN * output };
  }
  return {
    least: wire.bytesPerPromptToken * (prompt + output),
    ...(shares === 1 && { predicted: requestBytes(wire, prompt, output) }),
  };
}

/** `drowned`: what comes at rest is too much to tell. */
export type Received = 'crossed' | 'silent' | 'drowned';

/** So much more than at rest has to come. */
const TIMES_AT_REST = 10;

/** Whether a worker had part in a request, by what came to it meanwhile and what comes in that time at rest. */
export function judgeReceived(received: number, atRest: number, least: number): Received {
  if (received >= least && received > TIMES_AT_REST * atRest) {
    return 'crossed';
  }
  return TIMES_AT_REST * atRest >= least ? 'drowned' : 'silent';
}
