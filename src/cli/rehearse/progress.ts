import type { RankSample } from '../../operate/rehearse/machine/protocol';
import { linesOf } from '../../operate/breakage';
import { printable } from '../terminal';

/** What vLLM's log says on its way, in words; the last one that is there counts. */
const STEPS: readonly (readonly [RegExp, string])[] = [
  [/Initializing a V\d LLM engine|non-default args/, 'reads its arguments'],
  [/world_size=\d+.*(?:distributed_init_method|backend)|init_method/i, 'meets the other ranks'],
  [/Starting to load model|Loading weights/, 'loads the model'],
  [/Loading weights took|Model loading took/, 'has the model'],
  [/KV cache size/, 'has its cache'],
  [/init engine .* took|Started server process/, 'opens the server'],
  [/Application startup complete/, 'serves'],
];

/** A line for each step that a rank makes, and one from time to time while none does. */
export class Progress {
  private readonly said = new Map<number, string>();
  private last = 0;

  public constructor(
    private readonly write: (text: string) => void,
    private readonly started = performance.now(),
  ) {}

  public look(samples: readonly RankSample[], logs: readonly string[]): void {
    const seconds = (performance.now() - this.started) / 1000;
    logs.forEach((log, rank) => {
      const step = STEPS.findLast(([pattern]) => pattern.test(log))?.[1] ?? 'starts';
      if (this.said.get(rank) !== step) {
        this.said.set(rank, step);
        this.say(seconds, `rank ${rank} ${step}`);
      }
    });
    if (seconds - this.last >= 20) {
      const rank = samples.find(({ isBusy }) => isBusy)?.rank ?? 0;
      this.say(
        seconds,
        `rank ${rank}: ${
          linesOf(logs[rank] ?? '')
            .at(-1)
            ?.slice(0, 100) ?? 'nothing yet'
        }`,
      );
    }
  }

  public say(seconds: number, text: string): void {
    this.last = seconds;
    this.write(`${seconds.toFixed(0).padStart(4)} s  ${printable(text)}\n`);
  }
}
