import { HEALTH_PATH, API_PATH } from '../../../engine/server';
import type { Answer } from '../../server/http';
import { chatBody } from '../../server/chat';
import { questionsOf } from '../rehearse';
import { pause } from '../../pause';
import type { Stage } from '../stage';

/** What is seen of a group from a moment on. */
export class Watch {
  private readonly started = performance.now();
  private readonly health: { seconds: number; status: number }[] = [];
  private leaderEnded: number | undefined;
  private isOver = false;

  public constructor(private readonly stage: Stage) {}

  public get seconds(): number {
    return (performance.now() - this.started) / 1000;
  }

  /** When the leader was seen to have ended. */
  public get leaderEnd(): number | undefined {
    return this.leaderEnded;
  }

  /** Looks on until the leader has ended, or the time is over, or what is waited for has come. */
  public async until(seconds: number, hasCome: () => boolean = () => false): Promise<void> {
    while (this.seconds < seconds && this.leaderEnded === undefined && !hasCome() && !this.isOver) {
      const { status } = await this.stage.ask({ path: HEALTH_PATH, seconds: 5 });
      if (this.health.at(-1)?.status !== status) {
        this.health.push({ seconds: this.seconds, status });
      }
      const [leader] = await this.stage.sample();
      if (this.stage.ended().includes(0) || leader?.isAlive === false) {
        this.leaderEnded = this.seconds;
      }
      await pause(0.5);
    }
  }

  public healthWords(): string {
    return this.health
      .map(
        ({ seconds, status }, i) =>
          `${i === 0 ? '' : `from ${seconds.toFixed(0)} s on `}${status === 0 ? 'no answer' : status}`,
      )
      .join(', ');
  }
}

/** A chat request whose end is waited for elsewhere. */
export function send(
  stage: Stage,
  content: string,
  tokens: number,
  seconds: number,
): { readonly answer: Promise<Answer>; readonly words: () => string } {
  const questions = { ...questionsOf(stage.prepared), outputTokens: tokens };
  let done: Answer | undefined;
  const answer = stage.ask({
    path: `${API_PATH}/chat/completions`,
    body: chatBody(questions, content),
    ...(questions.key !== undefined && { key: questions.key }),
    seconds,
  });
  void answer.then((each) => (done = each));
  return {
    answer,
    words: () =>
      done === undefined
        ? `no answer within ${seconds.toFixed(0)} s`
        : done.status === 0
          ? `no answer: ${done.text} (after ${done.seconds.toFixed(0)} s)`
          : `${done.status} after ${done.seconds.toFixed(1)} s`,
  };
}
