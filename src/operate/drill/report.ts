import type { Bound } from '../bounds';

export const FAULTS = [
  'delete-worker',
  'delete-leader',
  'stop-worker',
  'stop-worker-idle',
  'cut',
  'cut-idle',
  'drain',
  'lose-node',
] as const;
export type DrillFault = (typeof FAULTS)[number];

/** What comes after a fault, in this order. */
export const STEPS = [
  'detected',
  'old pods gone',
  'recreated',
  'scheduled',
  'started',
  'loaded',
  'ready',
  'first token',
] as const;
export type StepName = (typeof STEPS)[number];

/** A moment after the fault. */
export interface DrillStep {
  readonly step: StepName;
  /** Seconds since the fault, by the clock of this machine. */
  readonly seconds: number;
  /** What showed it. */
  readonly what: string;
}

/** What became of the request that was in flight, or that was sent into a hang that began at rest. */
export interface DrillRequest {
  /** Tokens that had come before the fault. */
  readonly tokensBefore: number;
  /** All that came. */
  readonly tokens: number;
  /** Seconds from the fault to its end. */
  readonly seconds: number;
  readonly status: number;
  /** Whether it came to its regular end. */
  readonly isWhole: boolean;
  readonly said: string;
}

/** What a fault did, and how the group came back. */
export interface DrillFaultReport {
  readonly fault: DrillFault;
  /** When, in RFC 3339. */
  readonly at: string;
  readonly did: string;
  readonly request: DrillRequest;
  readonly steps: readonly DrillStep[];
  /** Whether each rank has a pod that was not there before. */
  readonly isWholeGroupNew: boolean;
  /** UIDs of the pods, by rank. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** From the fault to the first good token. */
  readonly totalSeconds?: number;
  /** From the start of the last container to the first 200 of /health: image start and model load. */
  readonly loadSeconds?: number;
  /** The rest of it: what recovery itself costs. */
  readonly overheadSeconds?: number;
  /** How much of it may be, by what the pods say. */
  readonly bound?: Bound;
  readonly held: 'yes' | 'no';
  readonly said: string;
  /** What of it could not be put right, and what to do by hand; nothing more was broken after it. */
  readonly stillBroken?: string;
}

/** A fault that was not made, and why. */
export interface DrillNotOffered {
  readonly fault: DrillFault;
  readonly why: string;
}

/** What a drill would do. */
export interface DrillPlanned {
  readonly fault: DrillFault;
  readonly does: string;
  readonly bound?: Bound;
}

/** What `drill` found; without `--yes`, what it would do. */
export interface ClusterDrillReport {
  readonly group: {
    readonly kind: string;
    readonly name: string;
    readonly namespace: string;
    readonly size: number;
    readonly nodes: readonly string[];
  };
  readonly vllm?: string;
  readonly isDryRun: boolean;
  readonly planned: readonly DrillPlanned[];
  /** What cannot be made here. */
  readonly notOffered: readonly DrillNotOffered[];
  readonly faults: readonly DrillFaultReport[];
  /** What was to be made, and failed or was not come to. */
  readonly notMade: readonly DrillNotOffered[];
  /** Whether all of them were made and healed within their bounds; without `--yes` true, since nothing was broken. */
  readonly held: boolean;
}
