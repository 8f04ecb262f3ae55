import { request } from 'node:http';

/** Where the leader's server is reached: through a Unix socket, or below an address such as `http://127.0.0.1:8000`. */
export type Door = SocketDoor | { readonly base: string };

export interface SocketDoor {
  readonly socketPath: string;
}

/** No answer of a vLLM is nearly as long; what never ends must not fill the memory. */
const MOST_CHARACTERS = 2 ** 24;

export interface Ask {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly key?: string;
  readonly body?: unknown;
  /** For the whole answer. */
  readonly seconds: number;
  /** Called with each part of the body as it comes. */
  readonly onPart?: (part: string) => void;
  /** Ends the request from outside. */
  readonly signal?: AbortSignal;
}

export interface Answer {
  /** 0: no answer; `text` says why. */
  readonly status: number;
  readonly text: string;
  readonly seconds: number;
  /** Seconds until the first part of the body. */
  readonly firstSeconds?: number;
}

/** One request; what goes wrong is an answer as well. */
export async function ask(door: Door, { method, path, key, body, seconds, onPart, signal }: Ask): Promise<Answer> {
  const url = 'base' in door ? new URL(door.base.replace(/\/$/, '') + path) : undefined;
  // It loads TLS, which most have no use for.
  const send = url?.protocol === 'https:' ? (await import('node:https')).request : request;
  const started = performance.now();
  const passed = (): number => (performance.now() - started) / 1000;
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve) => {
    let text = '';
    let status = 0;
    let firstSeconds: number | undefined;
    const end = (why?: string): void => {
      clearTimeout(late);
      resolve({
        status: why === undefined ? status : 0,
        text: why ?? text,
        seconds: passed(),
        ...(firstSeconds !== undefined && { firstSeconds }),
      });
    };
    const asked = send(
      {
        ...('socketPath' in door ? { socketPath: door.socketPath, path } : addressOf(url!)),
        // A connection each: a server that closes it without saying so would be met by the next request.
        agent: false,
        method: method ?? (payload === undefined ? 'GET' : 'POST'),
        headers: {
          host: url?.host ?? 'localhost',
          connection: 'close',
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(payload !== undefined && { 'content-type': 'application/json' }),
        },
        ...(signal && { signal }),
      },
      (response) => {
        status = response.statusCode ?? 0;
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          firstSeconds ??= passed();
          text += part;
          onPart?.(part);
          if (text.length > MOST_CHARACTERS) {
            asked.destroy();
            end(`the answer does not end: it has more than ${MOST_CHARACTERS / 2 ** 20} million characters`);
          }
        });
        response.on('end', () => end());
        response.on('error', (error) => end(`the answer broke off: ${error.message}`));
      },
    );
    asked.on('error', (error) => end(error.message));
    const late = setTimeout(() => {
      asked.destroy();
      end(`no whole answer within ${seconds} s`);
    }, seconds * 1000);
    asked.end(payload);
  });
}

/** A text of the server as it may be shown: with a sign in place of the key, which it may repeat. */
export function withoutKey(text: string, key: string | undefined): string {
  return key === undefined || key.length < 4 ? text : text.replaceAll(key, '***');
}

function addressOf({ hostname, port, pathname, search }: URL) {
  return { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), ...(port !== '' && { port }), path: pathname + search };
}
