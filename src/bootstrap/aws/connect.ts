import { FOREIGN_ANSWER } from './errors';
import type { ClientConfig, Credentials, Middleware, RawAnswer, Service } from './service';
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
  /** Milliseconds that AWS' clock is ahead of this machine's, by the last answer; good to a second. */
  readonly clockOffset: () => number;
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
  let offset = 0;
  const watch: Middleware = (next) => async (args) => {
    const result = await next(args);
    const answer = result.response as RawAnswer;
    refusePages(answer);
    const date = Date.parse(answer.headers?.date ?? '');
    offset = Number.isNaN(date) ? offset : date - Date.now();
    return result;
  };
  const service = (name: ServiceName): Promise<Service> => {
    const found =
      loaded.get(name) ?? import('./services/all.js').then((services) => watched(services[name](config), watch));
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
    clockOffset: () => offset,
  };
}

function watched(service: Service, watch: Middleware): Service {
  service.client.middlewareStack.addRelativeTo(watch as never, {
    relation: 'after',
    toMiddleware: 'deserializerMiddleware',
    name: 'watchAnswers',
    override: true,
  });
  return service;
}

/** A page with status 200 would be read as an answer that lists nothing. */
function refusePages({ statusCode, headers }: RawAnswer): void {
  if (/^text\/html\b/i.test(headers?.['content-type'] ?? '')) {
    throw Object.assign(new Error('a page of HTML'), {
      name: FOREIGN_ANSWER,
      $metadata: { httpStatusCode: statusCode },
    });
  }
}
