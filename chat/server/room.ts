/** The memory that all conversations together may hold while they are read and handed on. */
export class Room {
  private taken = 0;

  constructor(private readonly bytes: number) {}

  share(): Share {
    let held = 0;
    return {
      take: (bytes) => {
        if (this.taken + bytes > this.bytes) return false;
        this.taken += bytes;
        held += bytes;
        return true;
      },
      giveBack: () => {
        this.taken -= held;
        held = 0;
      },
    };
  }
}

/** What one conversation holds of it. */
export interface Share {
  /** Answers false, and takes nothing, when there is not so much left. */
  take(bytes: number): boolean;
  /** All of it; may be called again. */
  giveBack(): void;
}
