import { ClusterFailure } from '../kubectl/failure';

interface Pending {
  readonly repair: () => Promise<string>;
  readonly byHand: string;
}

/** What puts right what a fault leaves behind. It is done once, whoever asks first: the drill, its end by an error, or a signal. */
export class Repair {
  private pending: Pending | undefined;
  private running: Promise<string | undefined> = Promise.resolve(undefined);

  /**
   * To be called before anything is broken: what breaks half-way is put right as well.
   * @param byHand what a person does where it fails
   */
  public readonly needs = (repair: () => Promise<string>, byHand: string): void => {
    this.pending = { repair, byHand };
  };

  /**
   * What was put right, in words; nothing where nothing had to be.
   * @throws ClusterFailure that says what to do by hand
   */
  public run(): Promise<string | undefined> {
    const pending = this.pending;
    this.pending = undefined;
    if (pending !== undefined) {
      this.running = pending.repair().catch((error: Error) => {
        throw new ClusterFailure('other', `${error.message}; put it right by hand: ${pending.byHand}`);
      });
      return this.running;
    }
    // Whoever comes second waits as well, and tells nothing again.
    return this.running.then(
      () => undefined,
      () => undefined,
    );
  }
}
