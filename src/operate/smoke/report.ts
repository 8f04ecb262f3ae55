import type { Breakage } from '../breakage';

/** Something that was looked at, and what came of it. */
export interface SmokeCheck {
  readonly id: 'pods' | 'health' | 'model' | 'chat' | 'stream' | 'key' | 'alive';
  /** `unproven`: nothing speaks against it, and nothing here can show it. */
  readonly held: 'yes' | 'no' | 'unproven';
  /** What was seen, as a sentence without its end. */
  readonly said: string;
}

/** A pod of the group. */
export interface SmokePod {
  readonly rank: number;
  readonly role: 'leader' | 'worker' | 'single';
  readonly name: string;
  readonly node?: string;
  readonly isReady: boolean;
  readonly restarts: number;
  /** What keeps it from being ready. */
  readonly why?: string;
}

/** The group that was asked. */
export interface SmokeGroup {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly size: number;
  readonly pods: readonly SmokePod[];
}

/** What one real request showed. */
export interface SmokeReport {
  /** The address that was asked, where one was given; else the leader's pod was, through a port-forward. */
  readonly url?: string;
  /** Nothing where no cluster was asked. */
  readonly group?: SmokeGroup;
  /** As the server says it. */
  readonly version?: string;
  /** The name that was asked for. */
  readonly model?: string;
  /** Where the API key was found; nothing where there is none. Its value is nowhere in this report. */
  readonly keyFrom?: string;
  readonly checks: readonly SmokeCheck[];
  readonly breakage?: Breakage;
  /** Logs that could not be read, and why. */
  readonly unread: readonly string[];
  /** Whether everything held that could be shown. */
  readonly held: boolean;
}
