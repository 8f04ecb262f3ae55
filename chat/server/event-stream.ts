import type { ServerResponse } from 'node:http';
import type { Failure } from './failure';

/**
 * The browser's end of a relay. Headers are held back until there is something to say, so that a failure within the
 * first ping interval still is a plain HTTP error; a later one goes into the stream as an "error" event.
 */
export class EventStream {
  private readonly pings: NodeJS.Timeout;
  private tail = '\n\n';
  bytes = 0;

  constructor(
    private readonly res: ServerResponse,
    pingSeconds: number,
  ) {
    // A balancer cuts connections on which nothing moves, and reading a long prompt on a CPU takes longer than that.
    this.pings = setInterval(() => this.ping(), pingSeconds * 1000);
    res.on('close', () => clearInterval(this.pings));
  }

  open(): void {
    if (this.res.headersSent) return;
    this.res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    this.res.flushHeaders();
  }

  /** Answers false when the browser reads slower than the model writes: wait for "drain" of the response. */
  write(chunk: Buffer): boolean {
    this.open();
    this.pings.refresh();
    this.bytes += chunk.length;
    this.tail = (this.tail + chunk.subarray(-TAIL).toString('latin1')).slice(-TAIL);
    return this.res.write(chunk);
  }

  /** Whether the model's server said that the answer is complete. */
  get done(): boolean {
    return /(^|\n)data: ?\[DONE\]\s*$/.test(this.tail);
  }

  end(): void {
    clearInterval(this.pings);
    this.open();
    this.res.end();
  }

  fail(failure: Failure): void {
    clearInterval(this.pings);
    if (!this.res.headersSent) {
      sendJson(this.res, failure);
      return;
    }
    const event = `event: error\ndata: ${JSON.stringify({ error: failure.message, status: failure.status })}\n\n`;
    this.res.end(this.betweenEvents ? event : `\n\n${event}`);
  }

  private get betweenEvents(): boolean {
    return /\n\r?\n$/.test(this.tail);
  }

  private ping(): void {
    this.open();
    if (this.betweenEvents) this.res.write(': ping\n\n');
  }
}

/** Enough to see "data: [DONE]" with its line breaks. */
const TAIL = 24;

export function sendJson(res: ServerResponse, failure: Failure): void {
  const body = Buffer.from(`${JSON.stringify({ error: failure.message })}\n`);
  res.writeHead(failure.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    ...failure.headers,
  });
  res.end(body);
}
