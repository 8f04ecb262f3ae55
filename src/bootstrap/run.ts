import type { Cluster, NodeGroup, Send } from './aws/types';
import type { Clock } from './clock';
import type { ClusterFile } from './file/types';

/** What the steps of one run share. */
export interface Run {
  readonly file: ClusterFile;
  readonly send: Send;
  readonly clock: Clock;
  /** Takes a line about how far a step is. */
  readonly say: (step: string, text: string) => void;
  /** Whether what ends nodes may be done: `--replace`. */
  readonly replace: boolean;
  /** Account and region, in the tokens alone. */
  readonly scope: string;
  /** What earlier steps found or made. */
  readonly known: {
    cluster?: Cluster;
    template?: { id: string; version: string };
    nodeGroup?: NodeGroup;
  };
}
