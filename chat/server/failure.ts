/** What the person in front of the page is told, and the status it goes with. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    words: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(words);
  }
}

/** The browser went away: there is nobody left to tell. */
export class ClientLeft extends Error {}
