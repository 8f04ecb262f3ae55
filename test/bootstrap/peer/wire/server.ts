import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decoded, NotInModel } from './decode';
import { type Answer, AwsError, encoded, encodedError } from './encode';
import type { Json, Model } from './model';
import { violations } from './validate';

/** A call that reached the peer. */
export interface Call {
  /** From 1, in the order of arrival. */
  readonly n: number;
  /** As `eks.CreateCluster`. */
  readonly name: string;
  readonly input: Json;
}

/** What goes wrong with a call. */
export type Fault =
  | 'throttled'
  /** Nothing happens, and the connection ends. */
  | 'lost before'
  /** It has its effect, and the connection ends without an answer. */
  | 'lost after'
  /** It has its effect, and the answer is an internal error. */
  | 'failed after'
  | 'internal error'
  | 'denied'
  /** The session of who calls is over. */
  | 'expired'
  /** A page of some proxy, with 404. */
  | 'foreign page'
  /** A page of a network that wants a login first, with 200. */
  | 'login page';

export type Handler = (input: never) => unknown;

export interface Peer {
  readonly url: string;
  readonly calls: readonly Call[];
  /** What was wrong with requests, or with the peer's own answers, by the model. */
  readonly violations: readonly string[];
  /** The services that refused a signature for its time, once for each. */
  readonly refused: readonly string[];
  readonly close: () => Promise<void>;
}

export interface PeerOptions {
  readonly models: Readonly<Record<string, Model>>;
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly fault?: (call: Call) => Fault | undefined;
  /** Seconds that the peer's clock is ahead: signatures that are more than five minutes off are refused. */
  readonly ahead?: number;
  /** Is told of a call before and after its effect. */
  readonly onCall?: (call: Call, moment: 'before' | 'after') => void;
}

/** Serves AWS' wire protocols on loopback, and holds both sides to AWS' own models. */
export async function servePeer({ models, handlers, fault, onCall, ahead = 0 }: PeerOptions): Promise<Peer> {
  const calls: Call[] = [];
  const broken: string[] = [];
  const refused: string[] = [];

  function answer(service: string, request: { method: string; url: URL; body: string }): Answer | undefined {
    const model = models[service];
    if (model === undefined) {
      return encodedError(
        undefined,
        new AwsError('MissingAuthenticationTokenException', `no signature for a known service: ${service}`, 403),
      );
    }
    try {
      const { operation, input } = decoded(model, request);
      const call: Call = { n: calls.length + 1, name: `${service}.${operation.name}`, input };
      calls.push(call);
      const wrong = operation.input === undefined ? [] : violations(model, operation.input.shape, input);
      if (wrong.length > 0) {
        broken.push(...wrong.map((each) => `request ${call.name}: ${each}`));
        throw new AwsError(
          model.protocol === 'rest-json' ? 'InvalidParameterException' : 'InvalidParameterValue',
          wrong.join('; '),
        );
      }
      onCall?.(call, 'before');
      const planned = fault?.(call);
      switch (planned) {
        case 'throttled':
          throw model.protocol === 'ec2'
            ? new AwsError('RequestLimitExceeded', 'Request limit exceeded.', 503)
            : new AwsError(
                service === 'eks' ? 'ThrottlingException' : 'Throttling',
                'Rate exceeded',
                service === 'eks' ? 429 : 400,
              );
        case 'lost before':
          return undefined;
        case 'internal error':
          throw new AwsError(
            service === 'eks' ? 'ServerException' : 'InternalError',
            'An internal error has occurred',
            500,
          );
        case 'denied':
          throw new AwsError(
            service === 'ec2' ? 'UnauthorizedOperation' : service === 'eks' ? 'AccessDeniedException' : 'AccessDenied',
            `User: arn:aws:sts::111122223333:assumed-role/ops/me is not authorized to perform: ${service}:${operation.name}`,
            403,
          );
        case 'expired':
          throw service === 'ec2'
            ? new AwsError('RequestExpired', 'Request has expired.', 400)
            : new AwsError(
                service === 'eks' ? 'ExpiredTokenException' : 'ExpiredToken',
                'The security token included in the request is expired',
                403,
              );
        case 'foreign page':
        case 'login page':
          return {
            status: planned === 'login page' ? 200 : 404,
            headers: { 'content-type': 'text/html' },
            body: '<!doctype html><title>not what you asked for</title>',
          };
      }
      const handler = handlers[call.name];
      if (handler === undefined) {
        throw new Error(`the peer has no ${call.name}`);
      }
      const output = handler(input as never) ?? {};
      onCall?.(call, 'after');
      if (planned === 'lost after') {
        return undefined;
      }
      if (planned === 'failed after') {
        throw new AwsError(
          service === 'eks' ? 'ServerException' : 'InternalError',
          'An internal error has occurred',
          500,
        );
      }
      const own = operation.output === undefined ? [] : violations(model, operation.output.shape, output);
      if (own.length > 0) {
        throw new Error(`answer to ${call.name}: ${own.join('; ')}`);
      }
      return encoded(model, operation, output);
    } catch (error) {
      if (error instanceof AwsError) {
        return encodedError(model.protocol, error);
      }
      broken.push((error as Error).message);
      return encodedError(
        model.protocol,
        new AwsError(error instanceof NotInModel ? 'InvalidAction' : 'PeerFault', (error as Error).message, 400),
      );
    }
  }

  /** The refusal of a signature whose time is not the peer's. */
  function skewed(service: string, signed: string, now: number): Answer | undefined {
    const time = Date.parse(signed.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
    if (!(Math.abs(time - now) > 5 * 60_000)) {
      return undefined;
    }
    refused.push(service);
    const message = `Signature expired: ${signed} is now earlier than ${new Date(now).toISOString()}`;
    return encodedError(
      models[service]?.protocol,
      service === 'ec2'
        ? new AwsError('RequestExpired', 'Request has expired.', 400)
        : new AwsError(service === 'eks' ? 'InvalidSignatureException' : 'SignatureDoesNotMatch', message, 403),
    );
  }

  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // Which service was called is in the scope of the signature.
      const service =
        /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? 'none';
      const url = new URL(request.url!, 'http://peer');
      const now = Date.now() + ahead * 1000;
      response.setHeader('date', new Date(now).toUTCString());
      const found =
        skewed(service, String(request.headers['x-amz-date']), now) ??
        answer(service, { method: request.method!, url, body: Buffer.concat(chunks).toString() });
      if (found === undefined) {
        request.socket.destroy();
      } else {
        response.writeHead(found.status, found.headers).end(found.body);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    violations: broken,
    refused,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
