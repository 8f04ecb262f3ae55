import type { Breakage } from '../../breakage';
import type { Bound } from '../../bounds';
import type { KubeletEvent } from './kubelet';

export const FAULTS = [
  'worker-killed',
  'leader-killed',
  'worker-stopped-idle',
  'worker-stopped-under-load',
  'worker-late',
  'wrong-port',
  'unequal-sizes',
] as const;
export type Fault = (typeof FAULTS)[number];

/** What a fault did. Times are seconds from the fault on. */
export interface FaultReport {
  readonly fault: Fault;
  /** What was done. */
  readonly did: string;
  /** What /health said, each change once: `200, from 61 s on no answer`. */
  readonly health: string;
  /** What became of a request that was running, or was sent afterwards. */
  readonly request: string;
  /** What became of the rank that nothing was done to. */
  readonly otherRank: string;
  /** How the leader ended, when it did. */
  readonly leaderEnd?: { readonly seconds: number; readonly how: string };
  /** Within which time the leader has to end by what the manifest says; nothing where nothing ends it, or nothing has to. */
  readonly bound?: Bound;
  /** What the kubelet did. */
  readonly kubelet: readonly KubeletEvent[];
  readonly held: 'yes' | 'no' | 'unproven';
  readonly said: string;
}

/** What a drill found. */
export interface DrillReport {
  readonly group: { readonly kind: string; readonly name: string; readonly namespace: string; readonly size: number };
  readonly vllm: string;
  readonly isolation: 'isolated' | 'shared';
  readonly faults: readonly FaultReport[];
  /** Why the group did not come up, so that it could not be broken. */
  readonly breakage?: Breakage;
  readonly held: boolean;
}
