import { type Connection, type ConnectOptions, connect } from './aws/connect';
import { FIRST_PAUSES, readOnly, withRetries } from './aws/send';
import { type Clock, elapsed, SYSTEM_CLOCK } from './clock';
import type { ClusterFile } from './file/types';
import { MACHINE } from './machine';
import type { Surroundings } from './preflight/reach';
import { redact } from './aws/redact';
import type { Run } from './run';

/** How a run is made; everything has a default but the file. */
export interface SessionOptions {
  /** Takes each line of progress. It holds no credential, token or account number. */
  readonly print?: (line: string) => void;
  /** Whether what ends nodes, or cannot be taken back, may be done. Default: false. */
  readonly replace?: boolean;
  /** Whether nothing may be changed: a call that would is refused before it is made. Default: false. */
  readonly dryRun?: boolean;
  readonly clock?: Clock;
  readonly surroundings?: Surroundings;
  readonly connection?: Pick<ConnectOptions, 'endpoint' | 'credentials'>;
}

/** A run with its connection. */
export interface Session {
  readonly run: Run;
  readonly connection: Connection;
  readonly surroundings: Surroundings;
  /** Who we are to AWS, without the account: `role ops`. */
  readonly who: string;
}

/**
 * Signs in and gives what the commands work with. The account and the region go into the client tokens, so that the same file
 * makes other tokens elsewhere.
 */
export async function openSession(file: ClusterFile, options: SessionOptions = {}): Promise<Session> {
  const { print = () => {}, replace = false, dryRun = false, clock = SYSTEM_CLOCK, surroundings = MACHINE } = options;
  const connection = connect({ region: file.region, ...options.connection });
  const begun = clock.now();
  const patient = withRetries(connection.send, clock);
  const send = dryRun ? readOnly(patient) : patient;
  const { Account, Arn } = await withRetries(connection.send, clock, FIRST_PAUSES)('sts.GetCallerIdentity', {});
  const width = Math.max(...['cluster', 'node group', 'launch template'].map((word) => word.length)) + 2;
  const say = (step: string, text: string): void =>
    print(redact(`[${elapsed(clock.now() - begun).padStart(7)}] ${step.padEnd(width)}  ${text}`));
  return {
    run: { file, send, clock, say, replace, scope: `${Account}/${file.region}`, known: {} },
    connection,
    surroundings,
    who: principalOf(Arn),
  };
}

/** `role ops` of `arn:aws:sts::…:assumed-role/ops/me`, `user ci/me` of `arn:aws:iam::…:user/ci/me`. */
function principalOf(arn = ''): string {
  const [kind = '', ...names] = arn.slice(arn.lastIndexOf(':') + 1).split('/');
  return kind === 'assumed-role' ? `role ${names[0]}` : [kind, names.join('/')].join(' ').trim();
}
