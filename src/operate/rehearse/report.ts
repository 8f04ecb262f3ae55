import type { Change } from './changes';

/** Something that was looked at, and what came of it. */
export interface Check {
  readonly id: 'ready' | 'chat' | 'stream' | 'key' | 'open-paths' | 'crossing' | 'cache' | 'alive';
  /** `unproven`: nothing speaks against it, and nothing here can show it. */
  readonly held: 'yes' | 'no' | 'unproven';
  /** What was seen, as a sentence without its end. */
  readonly said: string;
}

/** Lines that ranks do not agree on though they have to. */
export interface Disagreement {
  readonly flag: string;
  readonly leader: string;
  readonly rank: number;
  readonly value: string;
}

/** What broke, told from the rank where it broke. */
export interface Breakage {
  readonly rank: number;
  readonly podName: string;
  /** What happened: `ended with 1`, `waits for ever`. */
  readonly what: string;
  /** Its last lines; where the line that tells is further up, those that end with it. */
  readonly lastLines: readonly string[];
  /** The line that tells the cause, where one is known. */
  readonly line?: string;
  readonly symptom?: string;
  readonly cause: string;
  readonly remedy: string;
  readonly disagreements: readonly Disagreement[];
  /** What the other ranks did meanwhile: how they ended, and their last error, or else their last line. */
  readonly others: readonly { readonly rank: number; readonly what: string; readonly lastLine: string }[];
}

/** A rank as it was started, and what it took. */
export interface RankReport {
  readonly rank: number;
  readonly role: string;
  readonly podName: string;
  readonly address: string;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** What a rehearsal found. */
export interface RehearsalReport {
  readonly group: { readonly kind: string; readonly name: string; readonly namespace: string; readonly size: number };
  readonly vllm: string;
  /** Whether each rank had a network of its own. */
  readonly isolation: 'isolated' | 'shared';
  readonly changes: readonly Change[];
  readonly ranks: readonly RankReport[];
  readonly readySeconds?: number;
  readonly checks: readonly Check[];
  readonly breakage?: Breakage;
  /** Whether everything held that could be shown. */
  readonly held: boolean;
}
