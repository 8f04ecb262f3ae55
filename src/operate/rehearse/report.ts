import type { Breakage } from '../breakage';
import type { Change } from './changes';

/** Something that was looked at, and what came of it. */
export interface Check {
  readonly id: 'ready' | 'chat' | 'stream' | 'key' | 'open-paths' | 'crossing' | 'cache' | 'alive';
  /** `unproven`: nothing speaks against it, and nothing here can show it. */
  readonly held: 'yes' | 'no' | 'unproven';
  /** What was seen, as a sentence without its end. */
  readonly said: string;
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
