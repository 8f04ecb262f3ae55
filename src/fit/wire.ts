import type { Wire } from './plan-types';

/** Scheduler output, tensor descriptions and headers of one step; measured, independent of the model. */
export const CONTROL_BYTES = 3800;
/** Sampled token and acknowledgements, back to the leader. */
export const BACKWARD_BYTES = 1900;
export const BACKWARD_BYTES_PER_REQUEST = 3000;

/**
 * Bytes between two pipeline stages: hidden states and residual of every computed token, and control. Measured on a link that
 * carried nothing else, hidden sizes 256 and 1152.
 */
export function wire(hiddenSize: number, bytesPerNumber: number): Wire {
  const token = 2 * hiddenSize * bytesPerNumber;
  return {
    bytesPerPromptToken: token,
    bytesPerGeneratedToken: token + CONTROL_BYTES + BACKWARD_BYTES,
    forwardPerGeneratedToken: token + CONTROL_BYTES,
    backwardPerGeneratedToken: BACKWARD_BYTES,
    backwardPerRequest: BACKWARD_BYTES_PER_REQUEST,
  };
}

/** What one request sends forth and back, when `promptTokens` of it come from no prefix cache. */
export function requestBytes(
  of: Wire,
  promptTokens: number,
  outputTokens: number,
): { forward: number; backward: number } {
  return {
    forward: of.bytesPerPromptToken * promptTokens + of.forwardPerGeneratedToken * outputTokens,
    backward: of.backwardPerRequest + of.backwardPerGeneratedToken * outputTokens,
  };
}
