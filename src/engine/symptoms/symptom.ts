/** A line that tells of a failure, and where its cause stands: mostly on another rank than the one that shows it. */
export interface Symptom {
  /** Stable name; users and other tools refer to it. */
  readonly id: string;
  /** Matches one line of a log, an event or a status. Never anchored at the start: every line has a prefix of its own. */
  readonly pattern: RegExp;
  /**
   * `cause`: the line itself names what is wrong; `consequence`: another failure made it; `end`: it comes with many
   * failures and tells nothing of its own; `hint`: it may be harmless.
   */
  readonly role: 'cause' | 'consequence' | 'end' | 'hint';
  /** Who shows the line. `cluster`: events and status of Kubernetes objects; `client`: who sent a request. */
  readonly where: 'leader' | 'worker' | 'any rank' | 'cluster' | 'client';
  /** Where to look next. */
  readonly look: {
    /** `this`: the rank that shows the line; `others`: all ranks but that one. */
    readonly rank: 'this' | 'leader' | 'workers' | 'others' | 'cluster';
    /** What to look for there. */
    readonly for: string;
  };
  /** What is wrong. */
  readonly cause: string;
  /** What to do: a prop, a flag or a command. */
  readonly remedy: string;
  /** First release that can show it, where it is newer than the oldest known. */
  readonly since?: string;
  /** Last release that can show it. */
  readonly until?: string;
  /** Where the line was seen, or the file that writes it. */
  readonly source: string;
}
