/** What the supervisor of a rehearsal is told, one JSON a line on its standard input. When that closes, everything ends. */
export type Order =
  | { readonly do: 'start'; readonly rank: number; readonly launch: Launch }
  | { readonly do: 'signal'; readonly rank: number; readonly signal: NodeJS.Signals; readonly to: 'main' | 'all' }
  | { readonly do: 'sample'; readonly withMemory: boolean }
  /** Opens a Unix socket that leads to a port of a rank, from within its network. */
  | { readonly do: 'forward'; readonly rank: number; readonly port: number; readonly socket: string }
  /** Runs a command in the container of a rank, as the kubelet does for an exec probe. */
  | { readonly do: 'exec'; readonly rank: number; readonly command: readonly string[]; readonly seconds: number };

/** A rank as it is started: nothing is left to be filled in. */
export interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** File for what it writes. */
  readonly log: string;
  /** Address that its network gets, or that it shares with this machine. */
  readonly address: string;
  readonly hostname: string;
  /** File that becomes its /etc/hosts. */
  readonly hosts: string;
  /** Size of its own /dev/shm, in bytes. */
  readonly sharedMemory: number;
}

/** What a rank is at one moment. */
export interface RankSample {
  readonly rank: number;
  /** Whether its first process is there. */
  readonly isAlive: boolean;
  readonly processes: number;
  /** Whether one of them computes, or waits for a disk. */
  readonly isBusy: boolean;
  readonly cpuSeconds: number;
  /** Memory, what it shares with others counted by share; 0 where it was not asked for, since counting it takes long. */
  readonly memoryBytes: number;
  /** Bytes from and to other ranks; nothing where they cannot be told apart. */
  readonly received?: number;
  readonly sent?: number;
}

export interface ExecResult {
  /** Nothing when it did not end in time. */
  readonly code?: number;
  readonly output: string;
}

/** What the supervisor says, one JSON a line on its standard output. */
export type Word =
  | { readonly word: 'ready' }
  | { readonly word: 'answer'; readonly id: number; readonly result: unknown }
  | { readonly word: 'refusal'; readonly id: number; readonly why: string }
  | { readonly word: 'exit'; readonly rank: number; readonly code: number | null; readonly signal: string | null };
