import type { IncomingMessage, ServerResponse } from 'node:http';
import { passwordCheck } from './auth';
import { drop, parseMessages, readBody } from './body';
import type { Config } from './config';
import { sendJson } from './event-stream';
import { ClientLeft, Failure, keepSecret, quote } from './failure';
import { renderPage } from './page';
import { relay } from './relay';
import { Room } from './room';

export type Log = (event: string, fields: Record<string, unknown>) => void;

/** `waits` tells that the client sends the body only when it is told to go on ("Expect: 100-continue"). */
export type App = (req: IncomingMessage, res: ServerResponse, waits?: boolean) => void;

/** Four of the largest conversations at once: they stay here only until the model's server has taken them. */
const ROOM_BYTES = 4 * 1024 * 1024;

export function createApp(config: Config, log: Log): App {
  const { prefix } = config;
  keepSecret(config.apiKey);
  const room = new Room(ROOM_BYTES);
  let conversations = 0;
  const passwordOk = passwordCheck(config.password);
  const page = renderPage(config.model);

  function route(path: string, req: IncomingMessage, res: ServerResponse, waits: boolean): Promise<void> | void {
    // Probes come to the pod itself and know no prefix; a balancer's check may come with it.
    if (path === '/healthz' || path === `${prefix}/healthz`) {
      allow(req, 'GET', 'HEAD');
      return sendText(res, 200, 'ok\n');
    }
    if (!passwordOk(req.headers.authorization)) {
      throw new Failure(401, 'The password is missing or wrong. Any user name will do.', {
        'WWW-Authenticate': 'Basic realm="chat", charset="UTF-8"',
      });
    }
    switch (path) {
      case `${prefix}/`:
        allow(req, 'GET', 'HEAD');
        return sendPage(res);
      case prefix:
        allow(req, 'GET', 'HEAD');
        // Relative, so that it holds behind a proxy that adds or takes away leading segments.
        throw new Failure(308, `The chat is at ${prefix}/.`, { Location: `${prefix.split('/').at(-1)}/` });
      case `${prefix}/api/chat`:
        allow(req, 'POST');
        return chat(req, res, waits);
      default:
        throw new Failure(404, `There is nothing at this address. The chat is at ${prefix}/.`);
    }
  }

  function sendPage(res: ServerResponse): void {
    res.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': page.html.length,
      'Content-Security-Policy': page.contentSecurityPolicy,
      'Cache-Control': 'no-cache',
    });
    res.end(page.html);
  }

  async function chat(req: IncomingMessage, res: ServerResponse, waits: boolean): Promise<void> {
    refuseOtherSites(req);
    if (conversations >= config.maxConversations) {
      throw new Failure(
        503,
        `The chat server is busy with ${conversations} conversations, which is the most it takes at a time. ` +
          'Try again in a minute or two.',
        { 'Retry-After': '60' },
      );
    }
    conversations += 1;
    const share = room.share();
    res.on('close', () => {
      conversations -= 1;
      share.giveBack();
    });
    const goOn = (): void => {
      if (waits) res.writeContinue();
    };
    const messages = parseMessages(await readBody(req, { maxBytes: config.maxRequestBytes, share, goOn }));
    if (res.destroyed) throw new ClientLeft();
    const start = performance.now();
    relay(config, messages, res, {
      sent: () => share.giveBack(),
      ended: (outcome) => {
        log('chat', { ...outcome, seconds: Number(((performance.now() - start) / 1000).toFixed(3)) });
      },
    });
  }

  return (req, res, waits = false) => {
    const path = (req.url ?? '/').split('?', 1)[0] ?? '/';
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    // A body that was never asked for may come or not, so nothing can follow it on the same connection.
    if (waits) res.setHeader('Connection', 'close');
    void (async () => {
      try {
        await route(path, req, res, waits);
      } catch (error) {
        if (error instanceof ClientLeft || res.destroyed) return;
        if (!(error instanceof Failure)) log('error', { error: quote(String(error), 1000) });
        const failure =
          error instanceof Failure ? error : new Failure(500, 'The chat server made a mistake; its log says which.');
        if (res.headersSent) res.destroy();
        else if (path === `${prefix}/api/chat`) sendJson(res, failure);
        else sendText(res, failure.status, `${failure.message}\n`, failure.headers);
      }
      if (!req.complete) drop(req);
    })();
  };
}

function allow(req: IncomingMessage, ...methods: string[]): void {
  if (!methods.includes(req.method ?? '')) {
    throw new Failure(405, `${req.method} is not possible here, only ${methods.join(' and ')}.`, {
      Allow: methods.join(', '),
    });
  }
}

/**
 * A browser adds the password to requests that other sites make it send. They cannot send JSON without asking first,
 * which nothing here answers; what the browser tells about who asks is heeded as well: Sec-Fetch-Site over HTTPS, Origin
 * over plain HTTP.
 */
function refuseOtherSites(req: IncomingMessage): void {
  const { 'sec-fetch-site': site, origin, host } = req.headers;
  if (site !== undefined) {
    if (site !== 'same-origin' && site !== 'none') {
      const from = quote(String(site), 80);
      throw new Failure(403, `Only the chat page itself may ask; this request came from elsewhere (${from}).`);
    }
  } else if (origin !== undefined && !isAt(origin, host)) {
    throw new Failure(
      403,
      `Only the chat page itself may ask; this request came from ${quote(origin, 80)} to ${quote(host ?? 'no host', 80)}. ` +
        'If that is the chat page, a proxy in between changes the Host header; let it pass that on.',
    );
  }
  const type = req.headers['content-type'] ?? '';
  if (!/^application\/json[ \t]*(;|$)/i.test(type)) {
    throw new Failure(415, `The content type must be application/json, not "${quote(type, 80)}".`);
  }
}

/** Whether an origin such as "http://chat:8080" is that of a Host header such as "chat:8080". */
function isAt(origin: string, host: string | undefined): boolean {
  if (!host || !URL.canParse(origin)) return false;
  const from = new URL(origin);
  // Through URL as well, which leaves out the scheme's own port and writes in lower case.
  const here = `${from.protocol}//${host}`;
  return from.host !== '' && URL.canParse(here) && new URL(here).origin === from.origin;
}

function sendText(
  res: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  res.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    ...headers,
  });
  res.end(text);
}
