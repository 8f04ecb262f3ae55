import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Clock, readClusterFile, type SessionOptions } from '../../../src/bootstrap';
import type { ClusterFile } from '../../../src/bootstrap/file/types';
import { ec2Handlers } from './cloud/ec2';
import { eksHandlers } from './cloud/eks';
import { Account } from './cloud/state';
import type { Model } from './wire/model';
import { type Peer, type PeerOptions, servePeer } from './wire/server';

/** Whether there are service models to hold both sides to. */
export const HAS_MODELS = inject('models') !== '';

let models: Readonly<Record<string, Model>> | undefined;

/** The service models of the installed botocore. */
export function serviceModels(): Readonly<Record<string, Model>> {
  models ??= (JSON.parse(readFileSync(inject('models'), 'utf8')) as { models: Record<string, Model> }).models;
  return models;
}

export const CREDENTIALS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: 'FwoGZXIvYXdzEXAMPLEsessiontokenEXAMPLE',
};

/** The article's cluster. */
export const EXAMPLE = join(__dirname, '../../../examples/eks-cluster/cluster.yaml');

export function exampleText(): string {
  return readFileSync(EXAMPLE, 'utf8');
}

export function exampleFile(edit: (text: string) => string = (text) => text): ClusterFile {
  return readClusterFile(edit(exampleText()), 'cluster.yaml');
}

/** Time that passes by waiting alone. */
export function jumpingClock(start = Date.parse('2026-11-29T12:00:00Z')): Clock {
  let now = start;
  return {
    now: () => now,
    sleep: async (milliseconds) => {
      const end = now + milliseconds;
      // Others who wait are let on, as when time passes.
      await new Promise((resolve) => setImmediate(resolve));
      now = Math.max(now, end);
    },
  };
}

export interface World {
  readonly account: Account;
  readonly peer: Peer;
  readonly lines: string[];
  readonly options: SessionOptions;
}

/** An account, served over loopback, and what a run needs to talk to it. */
export async function world(
  given: Pick<PeerOptions, 'fault' | 'onCall' | 'ahead'> & { account?: Account } = {},
): Promise<World> {
  const { account = new Account(), ...options } = given;
  const peer = await servePeer({
    models: serviceModels(),
    handlers: { ...ec2Handlers(account), ...eksHandlers(account) },
    ...options,
  });
  const lines: string[] = [];
  return {
    account,
    peer,
    lines,
    options: {
      clock: jumpingClock(),
      print: (line) => void lines.push(line),
      connection: { endpoint: peer.url, credentials: CREDENTIALS },
      surroundings: {
        kubectl: () => Promise.resolve('v1.36.2'),
        connect: () => Promise.resolve({ reached: false, why: 'ETIMEDOUT' }),
      },
    },
  };
}
