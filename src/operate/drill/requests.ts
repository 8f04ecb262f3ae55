import { API_PATH } from '../../engine/server';
import type { Member } from '../group/members';
import { type Forward, portForward } from '../kubectl/forward';
import type { Kubectl } from '../kubectl/kubectl';
import { pause } from '../pause';
import { chatBody, type Questions } from '../server/chat';
import { type Answer, ask } from '../server/http';
import type { DrillRequest } from './report';

/** Longer than any fault takes to be answered by something. */
const LONGEST_SECONDS = 1800;

/** A streamed request in flight. */
export class InFlight {
  public readonly ended: Promise<Answer>;
  private readonly parts: number[] = [];
  private buffer = '';
  private text = '';
  private readonly abort = new AbortController();
  private endedAt: number | undefined;

  public constructor(base: string, questions: Questions) {
    this.ended = ask(
      { base },
      {
        path: `${API_PATH}/chat/completions`,
        body: chatBody(questions, 'Tell a long story of two nodes.', { stream: true }),
        ...(questions.key !== undefined && { key: questions.key }),
        seconds: LONGEST_SECONDS,
        signal: this.abort.signal,
        onPart: (part) => this.take(part),
      },
    );
    void this.ended.then(() => (this.endedAt = Date.now()));
  }

  /** Tokens that have come: parts of the stream with text. */
  public get tokens(): number {
    return this.parts.length;
  }

  public tokensBefore(at: number): number {
    return this.parts.filter((each) => each < at).length;
  }

  public get isOver(): boolean {
    return this.endedAt !== undefined;
  }

  /** Gives up on it, and says what it has been. */
  public async report(faultAt: number): Promise<DrillRequest> {
    const wasOver = this.isOver;
    const until = this.endedAt ?? Date.now();
    this.abort.abort();
    const { status, text } = await this.ended;
    const isWhole = this.text.includes('data: [DONE]') && !/^data: \{"error"/m.test(this.text);
    const seconds = Math.round((until - faultAt) / 100) / 10;
    const error = /^data: (\{"error".*)$/m.exec(this.text)?.[1] ?? (status !== 0 && status !== 200 ? text : undefined);
    return {
      tokensBefore: this.tokensBefore(faultAt),
      tokens: this.tokens,
      seconds,
      status: this.tokens > 0 ? 200 : wasOver ? status : 0,
      isWhole,
      said: isWhole
        ? 'it came to its end'
        : !wasOver
          ? 'nothing came any more, until it was given up'
          : error !== undefined
            ? `it ended with an error: ${messageIn(error)}`
            : `it broke off: ${status === 0 ? text : 'the connection was closed before its end'}`,
    };
  }

  private take(part: string): void {
    this.text = (this.text + part).slice(-20_000);
    this.buffer += part;
    const lines = this.buffer.split('\n');
    this.buffer = lines.pop()!;
    const count = lines.filter((line) => /^data: \{.*"content":"[^"]/.test(line)).length;
    this.parts.push(...Array<number>(count).fill(Date.now()));
  }
}

function messageIn(error: string): string {
  return (/"message":"((?:[^"\\]|\\.)*)"/.exec(error)?.[1] ?? error).slice(0, 200);
}

const ASK_SECONDS = 60;
const PAUSE_SECONDS = 0.2;

/** The way to a leader, opened anew when it has closed. */
export class Door {
  private forward: Forward | undefined;

  public constructor(
    private readonly kubectl: Kubectl,
    private readonly leader: Member,
    private readonly port: number,
  ) {}

  /** Its address; nothing when it cannot be opened now. */
  public async open(): Promise<string | undefined> {
    if (this.forward?.isOpen() !== true) {
      this.forward = await portForward(this.kubectl, this.leader.name, this.port).catch(() => undefined);
    }
    return this.forward && `http://${this.forward.host}:${this.forward.port}`;
  }

  public async close(): Promise<void> {
    await this.forward?.close();
  }
}

/** The first token of a request to a leader: keeps asking until one is answered well, or it is told to stop. */
export async function firstToken(door: Door, questions: Questions, goOn: () => boolean): Promise<number | undefined> {
  while (goOn()) {
    const base = await door.open();
    const at = base === undefined ? undefined : await tokenOf(base, questions);
    if (at !== undefined) {
      return at;
    }
    await pause(PAUSE_SECONDS);
  }
  return undefined;
}

async function tokenOf(base: string, questions: Questions): Promise<number | undefined> {
  let first: number | undefined;
  const { status, text } = await ask(
    { base },
    {
      path: `${API_PATH}/chat/completions`,
      body: chatBody({ ...questions, outputTokens: 4 }, 'Are you back?', { stream: true }),
      ...(questions.key !== undefined && { key: questions.key }),
      seconds: ASK_SECONDS,
      onPart: (part) => {
        if (first === undefined && /"content":"[^"]/.test(part)) {
          first = Date.now();
        }
      },
    },
  );
  return status === 200 && text.includes('data: [DONE]') && !/^data: \{"error"/m.test(text) ? first : undefined;
}

/** Asks within the container, so that neither a probe's period nor a tunnel blurs the moment. */
const UNTIL_HEALTHY = `
import http.client, sys, time
while True:
    try:
        c = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=5)
        c.request('GET', '/health')
        if c.getresponse().status == 200:
            break
    except Exception:
        pass
    time.sleep(0.1)
print('healthy', flush=True)
`;

/** When the server of a leader answers /health with 200; nothing when its pod ends before, or nothing may be run in it. */
export async function untilHealthy(
  kubectl: Kubectl,
  { name, container }: Member,
  port: number,
  seconds: number,
): Promise<number | undefined> {
  let at: number | undefined;
  const running = kubectl.start(
    ['exec', name, `--container=${container}`, '--', 'python3', '-c', UNTIL_HEALTHY, String(port)],
    { onLine: (line) => (at = line === 'healthy' ? Date.now() : at) },
  );
  const late = setTimeout(() => void running.close(), seconds * 1000);
  await running.ended;
  clearTimeout(late);
  return at;
}
