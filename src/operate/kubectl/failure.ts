/** Why a cluster could not be asked. */
export type FailureKind =
  | 'no-kubectl'
  | 'no-context'
  | 'wrong-context'
  | 'kubeconfig'
  | 'credentials'
  | 'unreachable'
  | 'forbidden'
  | 'not-found'
  | 'late'
  | 'no-namespace'
  | 'no-group'
  | 'which-group'
  | 'other';

/** A right that was refused, as Kubernetes' roles name it. */
export interface RefusedRight {
  readonly user: string;
  readonly verb: string;
  /** With its subresource: `pods/exec`. */
  readonly resource: string;
  /** Empty for the core API. */
  readonly apiGroup: string;
  /** Nothing for what belongs to no namespace. */
  readonly namespace?: string;
}

/** The cluster could not be asked, or refused; for the person who asked. */
export class ClusterFailure extends Error {
  public constructor(
    public readonly kind: FailureKind,
    message: string,
    public readonly right?: RefusedRight,
  ) {
    super(message);
  }
}

/** Whether an error is a failure of that kind. */
export function isFailure(error: unknown, ...kinds: readonly FailureKind[]): error is ClusterFailure {
  return error instanceof ClusterFailure && kinds.includes(error.kind);
}
