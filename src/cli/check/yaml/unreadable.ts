/** Why a document cannot be read, and where in its text. */
export class Unreadable extends Error {
  public constructor(
    message: string,
    public readonly offset: number,
  ) {
    super(message);
  }
}
