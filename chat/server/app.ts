import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { passwordCheck } from './auth';
import { parseMessages, readBody } from './body';
import type { Config } from './config';
import { sendJson } from './event-stream';
import { ClientLeft, Failure } from './failure';
import { renderPage } from './page';
import { relay } from './relay';

export type Log = (event: string, fields: Record<string, unknown>) => void;

export function createApp(config: Config, log: Log): RequestListener {
  const { prefix } = config;
  const passwordOk = passwordCheck(config.password);
  const page = renderPage(config.model);

  function route(path: string, req: IncomingMessage, res: ServerResponse): Promise<void> | void {
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
        return chat(req, res);
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

  async function chat(req: IncomingMessage, res: ServerResponse): Promise<void> {
    refuseOtherSites(req);
    const messages = parseMessages(await readBody(req, config.maxRequestBytes));
    if (res.destroyed) throw new ClientLeft();
    const start = performance.now();
    relay(config, messages, res, (outcome) => {
      log('chat', { ...outcome, seconds: Number(((performance.now() - start) / 1000).toFixed(3)) });
    });
  }

  return (req, res) => {
    const path = (req.url ?? '/').split('?', 1)[0] ?? '/';
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    void (async () => {
      try {
        await route(path, req, res);
      } catch (error) {
        if (error instanceof ClientLeft || res.destroyed) return;
        if (!(error instanceof Failure)) log('error', { error: String(error) });
        const failure =
          error instanceof Failure ? error : new Failure(500, 'The chat server made a mistake; its log says which.');
        if (res.headersSent) res.destroy();
        else if (path === `${prefix}/api/chat`) sendJson(res, failure);
        else sendText(res, failure.status, `${failure.message}\n`, failure.headers);
      }
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
 * which nothing here answers; where the browser tells who asks (HTTPS only), that is heeded as well.
 */
function refuseOtherSites(req: IncomingMessage): void {
  const site = req.headers['sec-fetch-site'] ?? 'none';
  if (site !== 'same-origin' && site !== 'none') {
    throw new Failure(403, `Only the chat page itself may ask; this request came from elsewhere (${String(site)}).`);
  }
  const type = req.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Failure(415, `The content type must be application/json, not "${type}".`);
  }
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
