/** What puts right what a fault leaves behind. It is done once, whoever asks first: the drill, its end by an error, or a signal. */
export class Repair {
  private pending: (() => Promise<string>) | undefined;
  private running: Promise<string | undefined> = Promise.resolve(undefined);

  /** To be called before anything is broken: what breaks half-way is put right as well. */
  public readonly needs = (repair: () => Promise<string>): void => {
    this.pending = repair;
  };

  /** What was put right, in words; nothing where nothing had to be. */
  public run(): Promise<string | undefined> {
    const repair = this.pending;
    this.pending = undefined;
    if (repair !== undefined) {
      this.running = repair();
      return this.running;
    }
    // Whoever comes second waits as well, and tells nothing again.
    return this.running.then(
      () => undefined,
      () => undefined,
    );
  }
}
