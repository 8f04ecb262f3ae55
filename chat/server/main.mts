import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app';
import type { Config } from './config';
import { ConfigError, readConfig } from './config';

function log(event: string, fields: Record<string, unknown>): void {
  console.log(JSON.stringify({ time: new Date().toISOString(), event, ...fields }));
}

function start(config: Config): void {
  const app = createApp(config, log);
  let stopping = false;

  // Were this shorter than the balancer's idle timeout, the balancer would now and then send a request into a connection
  // that is just being closed and answer 502.
  const keepAliveTimeout = config.keepAliveSeconds * 1000;
  // Counts from the first byte of a request, or from the start of a connection that has sent none yet; a connection that
  // is idle between two requests is not touched by it.
  const headersTimeout = config.headersSeconds * 1000;
  const server = createServer({
    keepAliveTimeout,
    headersTimeout,
    requestTimeout: headersTimeout + 45_000,
    connectionsCheckingInterval: headersTimeout / 5,
    // Half of node's own bound, as other servers have it: in their parts, headers take several times their size.
    maxHeaderSize: 8 * 1024,
    keepAlive: true,
  });
  // A browser that neither reads nor leaves. Where it reads, pings keep the connection moving.
  server.timeout = Math.max(120, 3 * config.pingSeconds) * 1000;
  // Each costs memory before it has shown the password: room for a balancer's idle ones beside the conversations.
  server.maxConnections = 64 + 2 * config.maxConversations;
  let dropped = 0;
  server.on('drop', () => {
    // One line for all of a minute: a log must not be what an attack fills.
    if (dropped++ > 0) return;
    setTimeout(() => {
      log('connections refused', { count: dropped, limit: server.maxConnections });
      dropped = 0;
    }, 60_000).unref();
  });

  const serve = (req: IncomingMessage, res: ServerResponse, waits: boolean): void => {
    if (stopping) res.setHeader('Connection', 'close');
    res.on('close', () => {
      if (stopping) setImmediate(() => server.closeIdleConnections());
    });
    app(req, res, waits);
  };
  server.on('request', (req, res) => serve(req, res, false));
  server.on('checkContinue', (req, res) => serve(req, res, true));

  server.on('error', (error: NodeJS.ErrnoException) => {
    const where = `${config.host ?? ''}:${config.port}`;
    console.error(`The chat server cannot listen on ${where} (${error.code}). Choose another PORT or free this one.`);
    process.exit(1);
  });
  server.listen(config.port, config.host, () => {
    log('listening', {
      port: (server.address() as AddressInfo).port,
      path: `${config.prefix}/`,
      upstream: config.upstream.origin,
      model: config.model,
    });
  });

  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    server.close(() => {
      log('stopped', {});
      process.exit(0);
    });
    log('stopping', { signal });
    setTimeout(() => server.closeAllConnections(), config.shutdownSeconds * 1000).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

try {
  start(readConfig(process.env));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
