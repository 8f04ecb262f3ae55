import { type Answer, type Ask, ask, withoutKey } from '../server/http';
import type { DrillRequest } from './report';

/** What is kept of a stream, to see how it ended. */
const KEPT = 20_000;
/** A token that is no older than this when a request is given up shows that it was still being answered. */
const STILL_MILLISECONDS = 1000;

/** A streamed request in flight. */
export class InFlight {
  public readonly ended: Promise<Answer>;
  private readonly parts: number[] = [];
  private rest = '';
  private text = '';
  private readonly abort = new AbortController();
  private endedAt: number | undefined;

  public constructor(
    base: string,
    private readonly what: Ask,
  ) {
    const asked = ask({ base }, { ...what, signal: this.abort.signal, onPart: (part) => this.take(part) });
    // Before anything is cut off: half a key is none to whoever looks for it.
    this.ended = asked.then((answer) => ({ ...answer, text: withoutKey(answer.text, what.key) }));
    void this.ended.then(() => (this.endedAt = Date.now()));
  }

  /** Tokens that have come: parts of the stream. */
  public get tokens(): number {
    return this.parts.length;
  }

  /** When the first one came. */
  public get firstAt(): number | undefined {
    return this.parts[0];
  }

  /** Seconds between two of them; nothing before the second. */
  public get tokenSeconds(): number | undefined {
    const [first, last] = [this.parts[0], this.parts.at(-1)];
    return this.parts.length < 2 ? undefined : Math.max(0.001, (last! - first!) / 1000 / (this.parts.length - 1));
  }

  public get isOver(): boolean {
    return this.endedAt !== undefined;
  }

  /** Whether it came to its regular end. */
  public get isWhole(): boolean {
    return this.text.includes('data: [DONE]') && this.error === undefined;
  }

  public giveUp(): void {
    this.abort.abort();
  }

  /** Gives up on it, and says what it has been. */
  public async report(faultAt: number): Promise<DrillRequest> {
    const wasOver = this.isOver;
    const until = this.endedAt ?? Date.now();
    this.giveUp();
    const { status, text } = await this.ended;
    const error = this.error ?? (status !== 0 && status !== 200 ? text : undefined);
    return {
      tokensBefore: this.parts.filter((each) => each < faultAt).length,
      tokens: this.tokens,
      seconds: Math.round((until - faultAt) / 100) / 10,
      status: this.tokens > 0 ? 200 : wasOver ? status : 0,
      isWhole: this.isWhole,
      said: this.isWhole
        ? 'it came to its end'
        : !wasOver
          ? until - (this.parts.at(-1) ?? 0) < STILL_MILLISECONDS
            ? 'it was still being answered when it was given up'
            : 'nothing came any more, until it was given up'
          : error !== undefined
            ? `it ended with an error: ${messageIn(error)}`
            : status === 0
              ? `it was cut off: ${text}`
              : 'it was cut off: the connection was closed before its end',
    };
  }

  /** An error within a stream, which has said 200 by then. */
  private get error(): string | undefined {
    const [, error] = /^data: (\{\s*"error".*)$/m.exec(this.text) ?? [];
    return error && withoutKey(error, this.what.key);
  }

  private take(part: string): void {
    this.text = (this.text + part).slice(-KEPT);
    const lines = (this.rest + part).split('\n');
    this.rest = lines.pop()!;
    // A token may be part of a character, and its text empty.
    const count = lines.filter((line) => /^data: \{.*"text":"/.test(line)).length;
    this.parts.push(...Array<number>(count).fill(Date.now()));
  }
}

/** What an answer with an error says: `{"error": {"message": "…"}}`, or anything. */
function messageIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    if (typeof error?.message === 'string') {
      return error.message.slice(0, 200);
    }
  } catch {
    // It is no JSON: a page of something on the way.
  }
  return text.slice(0, 200);
}
