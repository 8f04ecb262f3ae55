import { describe, inject } from 'vitest';
import { Client } from './client';
import type { ClusterFacts } from './cluster';

declare module 'vitest' {
  // The way that vitest has for values of the global set-up.
  export interface ProvidedContext {
    /** Nothing where there is no Go to build a cluster with. */
    cluster: ClusterFacts | null;
  }
}

const given = inject('cluster');

/** Tests that need the cluster; without one they count as skipped. */
export const describeOnCluster = given === null ? describe.skip : describe;

export function clusterFacts(): ClusterFacts {
  if (given === null) {
    throw new Error('there is no cluster');
  }
  return given;
}

let shared: Client | undefined;

/** A client with every right. */
export function client(): Client {
  return (shared ??= new Client(clusterFacts().connection));
}
