import type { ServerResponse } from 'node:http';
import type { Failure } from './failure';
import { passing } from './garbage';

/**
 * The browser's end of a relay. Headers are held back until there is something to say, so that a failure within the
 * first ping interval still is a plain HTTP error; a later one goes into the stream as an "error" event.
 */
export class EventStream {
  private readonly pings: NodeJS.Timeout;
  private tail = '\n\n';
  private complete = false;
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
  write(piece: Buffer): boolean {
    this.open();
    this.pings.refresh();
    passing(piece.length);
    const text = this.tail + piece.toString('latin1');
    const last = DONE.exec(text);
    // What comes after the last event is nobody's: the page has stopped reading there.
    const chunk = last ? piece.subarray(0, last.index + last[0].length - this.tail.length) : piece;
    this.complete = last !== null;
    this.bytes += chunk.length;
    this.tail = (this.tail + chunk.subarray(-TAIL).toString('latin1')).slice(-TAIL);
    return this.res.write(chunk);
  }

  /** Whether the model's server said that the answer is complete. */
  get done(): boolean {
    return this.complete;
  }

  /** The same at the end of its response, which may have taken the place of the last line break. */
  get doneAtEnd(): boolean {
    return DONE.test(`${this.tail.trimEnd()}\n\n`);
  }

  end(): void {
    clearInterval(this.pings);
    this.open();
    this.res.end(this.betweenEvents ? undefined : '\n\n');
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
    // A browser that does not read would find a heap of them.
    if (this.betweenEvents && !this.res.writableNeedDrain) this.res.write(': ping\n\n');
  }
}

/** The last event of an answer, with the empty line that ends it. */
const DONE = /[\r\n]data: ?\[DONE\](\r\n\r\n|\n\n|\r\r)/;

/** Enough to see it when it comes in pieces. */
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
