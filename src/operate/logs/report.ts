import type { Breakage } from '../breakage';

/** Who wrote a line. */
export interface LogSource {
  readonly rank: number;
  readonly role: 'leader' | 'worker' | 'single';
  readonly pod: string;
  readonly uid: string;
  /** Restarts of the container before it wrote this. */
  readonly restart: number;
}

/** A line that a rank wrote. */
export interface LogLine extends LogSource {
  readonly kind: 'line';
  /** When, by the clock of its node: RFC 3339 with nine digits; empty where the runtime does not say. */
  readonly time: string;
  readonly text: string;
}

/** Something that became of a pod. */
export interface LogNote {
  readonly kind: 'note';
  /** When it was seen, by the clock of this machine. */
  readonly time: string;
  readonly pod?: string;
  readonly uid?: string;
  readonly text: string;
}

/** A rank that ended by itself, with what its lines tell. */
export interface LogFailure extends LogSource {
  readonly kind: 'failure';
  readonly time: string;
  /** How its container ended: `ended with 1 (Error)`. */
  readonly how: string;
  /** Its last lines, from the beginning of its last traceback on where there is one. */
  readonly lines: readonly string[];
  /** The reading of the logs of all ranks. */
  readonly breakage: Breakage;
}

/** What `cdk8s-vllm logs` tells, a line each with `-o json`. */
export type LogEntry = LogLine | LogNote | LogFailure;
