import type { ClientConfig, Credentials, Service } from './service';
import type { CallName, Calls, Send } from './types';

export type { Credentials };

/** Where to call, and as whom. */
export interface ConnectOptions {
  readonly region: string;
  /** One address for all services, in place of AWS' own; for tests and simulators. */
  readonly endpoint?: string;
  /** Taken from the environment, the profile, SSO, or the instance, as the AWS CLI does, unless given. */
  readonly credentials?: Credentials | (() => Promise<Credentials>);
}

/** A connection: calls, and the credentials that sign the token for the cluster. */
export interface Connection {
  readonly send: Send;
  readonly credentials: () => Promise<Credentials>;
}

type ServiceName = 'sts' | 'iam' | 'ec2' | 'eks';

/**
 * Calls AWS by its SDK, one attempt a call: retries are `withRetries`, which knows the clock and what may be said again.
 * The first call loads the SDK, lib/bootstrap-aws.cjs in the package.
 */
export function connect({ region, endpoint, credentials }: ConnectOptions): Connection {
  // The SDK is built into this file: that its next versions want a newer Node is the maintainers' matter, not the user's.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const config: ClientConfig = {
    region,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 10_000, requestTimeout: 60_000, throwOnRequestTimeout: true },
  };
  const loaded = new Map<ServiceName, Promise<Service>>();
  const service = (name: ServiceName): Promise<Service> => {
    const found = loaded.get(name) ?? import('./services/all.js').then((services) => services[name](config));
    loaded.set(name, found);
    return found;
  };
  return {
    send: async <C extends CallName>(call: C, input: Calls[C][0]): Promise<Calls[C][1]> => {
      const [name, operation] = call.split('.') as [ServiceName, string];
      const { client, commands } = await service(name);
      return (await client.send(new commands[operation]!(input as never) as never)) as Calls[C][1];
    },
    credentials: async () => (await service('sts')).client.config.credentials(),
  };
}
