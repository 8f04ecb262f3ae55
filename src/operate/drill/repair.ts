import { ClusterFailure } from '../kubectl/failure';

/** Something that a fault left could not be put right: nothing more is to be broken on top of it. */
export class StillBroken extends ClusterFailure {
  public constructor(message: string) {
    super('other', message);
  }
}

interface Pending {
  /** In words what is right again; nothing where there was nothing to do any more. */
  readonly repair: () => Promise<string | undefined>;
  readonly byHand: string;
}

/**
 * What puts right what a fault leaves behind. Each thing is put right by itself, so that one that fails keeps no other from it;
 * what failed is tried again by whoever asks next: the drill, its end by an error, or a signal.
 */
export class Repair {
  private readonly pending = new Set<Pending>();
  private making: Promise<unknown> = Promise.resolve();
  private running: Promise<unknown> = Promise.resolve();

  /**
   * To be called before anything is broken: what breaks half-way is put right as well.
   * @param byHand what a person does where it fails
   */
  public readonly needs = (repair: Pending['repair'], byHand: string): void => {
    this.pending.add({ repair, byHand });
  };

  /** Whether there is something to put right. */
  public get isNeeded(): boolean {
    return this.pending.size > 0;
  }

  /** Makes a fault. Nothing is put right before that is over: it would be broken anew behind it. */
  public after<T>(making: Promise<T>): Promise<T> {
    this.making = making.catch(() => undefined);
    return making;
  }

  /**
   * What was put right, in words; whoever comes second waits, and is told nothing again.
   * @throws StillBroken that says what to do by hand
   */
  public run(): Promise<readonly string[]> {
    const next = this.running.then(() => this.once());
    this.running = next.catch(() => undefined);
    return next;
  }

  private async once(): Promise<readonly string[]> {
    await this.making;
    const said: string[] = [];
    const failed: string[] = [];
    for (const each of [...this.pending]) {
      try {
        said.push((await each.repair()) ?? '');
        this.pending.delete(each);
      } catch (error) {
        failed.push(`${(error as Error).message}; put it right by hand: ${each.byHand}`);
      }
    }
    if (failed.length > 0) {
      throw new StillBroken(failed.join('\n'));
    }
    return said.filter((words) => words !== '');
  }
}
