import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HEALTH_PATH } from '../../engine/server';
import type { RankState } from '../breakage';
import { pause } from '../pause';
import { type Answer, ask, type Ask, type SocketDoor } from '../server/http';
import type { RankSample } from './machine/protocol';
import { Ranks } from './machine/ranks';
import type { Prepared } from './prepare';
import { MORE_ARGUMENTS } from './shim';
import { Stillness } from './stillness';

/** What a start came to. */
export type Outcome =
  | { readonly kind: 'ready'; readonly seconds: number }
  | { readonly kind: 'ended' | 'still' | 'late'; readonly seconds: number };

const BETWEEN_LOOKS = 1;

/** A prepared group on this machine. */
export class Stage {
  public static async open(prepared: Prepared, supervisor: string): Promise<Stage> {
    try {
      return new Stage(prepared, await Ranks.open(prepared.isolation, supervisor, prepared.folder));
    } catch (error) {
      rmSync(prepared.folder, { recursive: true, force: true });
      throw error;
    }
  }

  public readonly door: SocketDoor;
  private readonly ends: number[] = [];

  private constructor(
    public readonly prepared: Prepared,
    public readonly ranks: Ranks,
  ) {
    this.door = { socketPath: join(prepared.folder, 'door') };
  }

  /** @param more an argument that this rank alone gets, whatever its manifest says */
  public async start(rank: number, more = ''): Promise<void> {
    const launch = this.prepared.launches[rank]!;
    await this.ranks.start(rank, { ...launch, env: { ...launch.env, [MORE_ARGUMENTS]: more } });
    if (rank === 0) {
      await this.ranks.forward(0, this.prepared.port, this.door.socketPath);
    }
  }

  public async startAll(): Promise<void> {
    await this.start(0);
    await this.startOthers();
  }

  public async startOthers(more = ''): Promise<void> {
    for (const { rank } of this.prepared.places.slice(1)) {
      await this.start(rank, more);
    }
  }

  /** Waits until the leader is ready, a rank has ended, or nothing moves any more. */
  public async untilReady(
    seconds: number,
    progress: (samples: readonly RankSample[], logs: readonly string[]) => void,
  ): Promise<Outcome> {
    const started = performance.now();
    const passed = (): number => (performance.now() - started) / 1000;
    const stillness = new Stillness();
    while (passed() < seconds) {
      if (this.ended().length > 0) {
        // Those that end because of it do so within a moment, and their own words are wanted.
        await pause(2);
        return { kind: 'ended', seconds: passed() };
      }
      if ((await this.ask({ path: HEALTH_PATH, seconds: 5 })).status === 200) {
        return { kind: 'ready', seconds: passed() };
      }
      const samples = await this.sample();
      const logs = this.prepared.launches.map((_, rank) => this.log(rank));
      progress(samples, logs);
      if (
        stillness.look(
          passed(),
          samples,
          logs.reduce((sum, log) => sum + log.length, 0),
        )
      ) {
        return { kind: 'still', seconds: passed() };
      }
      await pause(BETWEEN_LOOKS);
    }
    return { kind: 'late', seconds: passed() };
  }

  public ask(what: Ask): Promise<Answer> {
    return ask(this.door, what);
  }

  public sample(withMemory = false): Promise<readonly RankSample[]> {
    return this.ranks.sample(withMemory);
  }

  /** Everything that a rank wrote. */
  public log(rank: number): string {
    try {
      return readFileSync(this.prepared.launches[rank]!.log, 'utf8');
    } catch {
      return '';
    }
  }

  /** Ranks that have ended, the first one first. */
  public ended(): readonly number[] {
    for (const rank of this.ranks.exits.keys()) {
      if (!this.ends.includes(rank)) {
        this.ends.push(rank);
      }
    }
    return this.ends;
  }

  public states(): RankState[] {
    const ended = this.ended();
    return this.prepared.places.map(({ rank, podName }) => {
      const exit = this.ranks.exits.get(rank);
      return { rank, podName, log: this.log(rank), ...(exit && { exit, endedAs: ended.indexOf(rank) }) };
    });
  }

  public close(): Promise<void> {
    return this.ranks.close();
  }
}
