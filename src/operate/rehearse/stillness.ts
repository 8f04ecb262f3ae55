import type { RankSample } from './machine/protocol';

/** So long nothing may move before it counts as still. Ranks that wait for each other take no CPU and write nothing. */
const STILL_SECONDS = 40;
/** CPU of all ranks within that time: what loops that wait take. */
const STILL_CPU_SECONDS = 4;

interface Look {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly written: number;
  readonly isBusy: boolean;
}

/** Tells ranks that wait for ever from ranks that are slow: on a loaded machine those have work, and do not get to it. */
export class Stillness {
  private looks: Look[] = [];

  /** Whether nothing has moved for long. */
  public look(seconds: number, samples: readonly RankSample[], written: number): boolean {
    const now: Look = {
      seconds,
      cpuSeconds: samples.reduce((sum, sample) => sum + sample.cpuSeconds, 0),
      written,
      isBusy: samples.some(({ isBusy }) => isBusy),
    };
    this.looks = [...this.looks.filter((look) => seconds - look.seconds <= STILL_SECONDS + 2), now];
    const first = this.looks[0]!;
    const busy = this.looks.filter(({ isBusy }) => isBusy).length;
    return (
      seconds - first.seconds >= STILL_SECONDS &&
      written === first.written &&
      now.cpuSeconds - first.cpuSeconds < STILL_CPU_SECONDS &&
      busy <= 0.2 * this.looks.length
    );
  }
}
