/** What the pods were seen to do within a time. */
export interface ProveWindow {
  /** By the clock of who counted. */
  readonly seconds: number;
  /** Nothing where nobody counts it. */
  readonly cpuSeconds?: number;
  /** Bytes. */
  readonly received: number;
  readonly sent: number;
}

/** A pod, with its counters at rest and across one request. */
export interface ProvePod {
  readonly rank: number;
  readonly role: 'leader' | 'worker' | 'single';
  readonly name: string;
  readonly node: string;
  readonly address?: string;
  readonly atRest?: ProveWindow;
  readonly request?: ProveWindow;
  /** Bytes that the request has to make by what was measured of two stages. */
  readonly predicted?: { readonly received: number; readonly sent: number };
  /** Bytes that come in the time of the request if it does not touch this rank: the null hypothesis. */
  readonly ifUntouched?: number;
  /** Bytes that have to come if it does: hidden states alone, or orders where their size is not known. */
  readonly least?: number;
  /** Nothing for the leader, which every request touches. */
  readonly verdict?: 'crossed' | 'silent' | 'drowned';
}

/** The one request. */
export interface ProveRequest {
  readonly model: string;
  /** 0: no answer. */
  readonly status: number;
  readonly seconds: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** What the server said, when it failed. */
  readonly error?: string;
}

/** Whether one request crossed all pods of a group. */
export interface ProveReport {
  readonly group: {
    readonly kind: string;
    readonly name: string;
    readonly namespace: string;
    readonly size: number;
  };
  /** `not-judged`: what else went on hides it. */
  readonly verdict: 'crossed' | 'not-crossed' | 'not-judged';
  /** Why, as a sentence without its end. */
  readonly said: string;
  /** Nothing where there was nothing to ask. */
  readonly request?: ProveRequest;
  /** Who counted: the kubelet, or a command within the containers. */
  readonly counters?: 'summary' | 'exec';
  /** Numbers of a hidden state, and where that is known from. */
  readonly hidden?: { readonly size: number; readonly from: string };
  /** What else the server worked on meanwhile, in tokens, at rest and during the request; nothing where it does not tell. */
  readonly others?: { readonly atRest: number; readonly request: number };
  readonly pods: readonly ProvePod[];
}
