import { createServer } from 'node:http';
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
  const headersTimeout = keepAliveTimeout + 5_000;
  const server = createServer(
    { keepAliveTimeout, headersTimeout, requestTimeout: headersTimeout + 30_000, keepAlive: true },
    (req, res) => {
      if (stopping) res.setHeader('Connection', 'close');
      res.on('close', () => {
        if (stopping) setImmediate(() => server.closeIdleConnections());
      });
      app(req, res);
    },
  );

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
