import { describe, inject } from 'vitest';
import type { LabFacts } from './lab';

declare module 'vitest' {
  // The way that vitest has for values of the global set-up.
  export interface ProvidedContext {
    /** Nothing where no lab can run. */
    lab: LabFacts | null;
  }
}

const given = inject('lab');

/** Tests that need the lab; without one they count as skipped. */
export const describeInLab = given === null ? describe.skip : describe;

export function lab(): LabFacts {
  if (given === null) {
    throw new Error('there is no lab');
  }
  return given;
}
