import type { Member } from '../group/members';
import { type Forward, portForward } from '../kubectl/forward';
import type { Kubectl } from '../kubectl/kubectl';
import { pause } from '../pause';
import type { Questions } from '../server/chat';
import { streamed } from './asking';
import { InFlight } from './in-flight';

const ASK_SECONDS = 60;
const PAUSE_SECONDS = 0.2;
const TOKENS = 4;

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

  /** When the first token of a request came: keeps asking until one is answered to its end, or there is no use in it. */
  public async firstToken(questions: Questions, goOn: () => boolean): Promise<number | undefined> {
    while (goOn()) {
      const base = await this.open();
      const request =
        base && new InFlight(base, streamed({ ...questions, outputTokens: TOKENS }, 'Are you back?', ASK_SECONDS));
      if (request) {
        await request.ended;
        if (request.isWhole && request.firstAt !== undefined) {
          return request.firstAt;
        }
      }
      await pause(PAUSE_SECONDS);
    }
    return undefined;
  }

  public async close(): Promise<void> {
    await this.forward?.close();
  }
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
