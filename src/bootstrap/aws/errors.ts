import { redact } from './redact';
import { type CallName, changes } from './types';

/** What went wrong with a call, in the terms that decide what to do about it. */
export type ErrorKind =
  'absent' | 'exists' | 'busy' | 'denied' | 'credentials' | 'transient' | 'role-not-ready' | 'refused';

interface SdkError {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly clockSkewCorrected?: boolean };
  readonly $response?: { readonly statusCode?: number };
}

const ABSENT =
  /^(ResourceNotFoundException|NotFoundException|NoSuchEntity(Exception)?|Invalid[A-Za-z]+\.NotFound(Exception)?|InvalidLaunchTemplateId\.VersionNotFound)$/;
const EXISTS = /AlreadyExists|EntityAlreadyExists/;
const DENIED = /^(AccessDenied(Exception)?|UnauthorizedOperation|AuthorizationError|Forbidden)$/;
/** `RequestExpired` is EC2's word for a session that is over, as well as for a clock that is wrong. */
const CREDENTIALS =
  /^(CredentialsProviderError|ExpiredToken(Exception)?|InvalidClientTokenId|UnrecognizedClientException|AuthFailure|InvalidSignatureException|SignatureDoesNotMatch|MissingAuthenticationToken(Exception)?|RequestExpired|RequestTimeTooSkewed|RequestInTheFuture|TokenProviderError|OptInRequired)$/;
const TRANSIENT =
  /^(Throttling(Exception)?|ThrottledException|TooManyRequestsException|RequestLimitExceeded|RequestThrottled(Exception)?|SlowDown|ServerException|ServiceUnavailable(Exception)?|InternalError|InternalFailure|InternalServiceError|Unavailable|RequestTimeout(Exception)?|TimeoutError|ResourcePropagationDelayException|PriorRequestNotComplete)$/;
const NETWORK = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EPIPE',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_SOCKET',
]);
/** A role that was made a moment ago is not known everywhere yet. */
const ROLE = /role/i;
const NOT_READY =
  /does not exist|cannot be assumed|could not be assumed|trusted entity|error in role params|not found/i;

/** What an error of a call means. A 404 that is no answer of AWS (a proxy's page) is not taken for 'absent'. */
export function kindOf(error: unknown): ErrorKind {
  const { name, code, message, $metadata, $response } = (error ?? {}) as SdkError;
  const named = String(name);
  const status = $metadata?.httpStatusCode ?? $response?.statusCode ?? 0;
  if (ABSENT.test(named)) {
    return 'absent';
  }
  if (EXISTS.test(named)) {
    return 'exists';
  }
  if (named === 'ResourceInUseException') {
    return /already exists|already in use|exists with/i.test(String(message)) ? 'exists' : 'busy';
  }
  if (DENIED.test(named)) {
    return 'denied';
  }
  if (CREDENTIALS.test(named)) {
    // The SDK has seen by the date of the answer that this machine's clock is wrong, and signs the next attempt with the right one.
    return $metadata?.clockSkewCorrected ? 'transient' : 'credentials';
  }
  if (TRANSIENT.test(named) || status >= 500 || status === 429 || NETWORK.has(String(code))) {
    return 'transient';
  }
  if (named === 'InvalidParameterException' && ROLE.test(String(message)) && NOT_READY.test(String(message))) {
    return 'role-not-ready';
  }
  return 'refused';
}

/** An error of a call, for the person who meets it. Nothing secret is in it. */
export class CallError extends Error {
  public readonly kind: ErrorKind;
  /** AWS' own name of it. */
  public readonly code: string;

  public constructor(
    public readonly call: CallName,
    error: unknown,
    attempts = 1,
  ) {
    const kind = kindOf(error);
    super(redact(messageOf(call, kind, error, attempts)));
    this.name = 'CallError';
    this.kind = kind;
    this.code = redact(String((error as SdkError | undefined)?.name ?? 'Error'));
  }
}

/** What the words of an error tell beside its name. */
const SKEW = /signature expired|signature not yet current|is now (earlier|later) than|clock|skew/i;
const UNKNOWN_KEY = /^(InvalidClientTokenId|UnrecognizedClientException|AuthFailure|OptInRequired)$/;

function messageOf(call: CallName, kind: ErrorKind, error: unknown, attempts: number): string {
  const { name, code } = (error ?? {}) as SdkError;
  const action = call.replace('.', ':');
  const said = saidBy(error);
  switch (kind) {
    case 'denied':
      return `${action} was denied; who runs this needs the IAM action ${action}. ${said}`;
    case 'credentials':
      return `there are no usable credentials for ${action}; ${remedyOf(String(name), said)}, and run this once more. ${said}`;
    case 'transient':
      return `${action} failed ${attempts} times${changes(call) ? '; it may have had its effect: running this again finds out and goes on' : ''}${
        code === 'ENOTFOUND' || code === 'EAI_AGAIN' ? '; is the region right, and is there a network?' : '.'
      } ${said}`;
    case 'role-not-ready':
      return `${action}: EKS cannot use the role yet, or its trust policy does not let it. ${said}`;
    case 'busy':
      return `${action}: another change is going on; run this again when it has ended. ${said}`;
    default:
      return `${action} ${isForeign(error) ? 'failed' : 'was refused'}. ${said}`;
  }
}

/** Whether what came is no answer of AWS: the page of a proxy, or of a network that wants a login first. */
function isForeign(error: unknown): boolean {
  const { name, message } = (error ?? {}) as SdkError;
  return name === FOREIGN_ANSWER || name === 'SyntaxError' || /Deserialization error/.test(String(message));
}

/** Name of the error for an answer that is a page. */
export const FOREIGN_ANSWER = 'ForeignAnswer';

/** The words of an error, and whose they are. */
function saidBy(error: unknown): string {
  const { name, code, message, $metadata, $response } = (error ?? {}) as SdkError;
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  if (isForeign(error)) {
    // The text of the page helps nobody.
    return `The answer was not one of AWS${status === undefined ? '' : ` (HTTP ${status})`}; is there a proxy in between?`;
  }
  const words = String(message ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 400);
  if (NETWORK.has(String(code))) {
    return `No answer came: ${words || String(code)}`;
  }
  const cause = `${String(name ?? 'Error')}${code === undefined || code === name ? '' : ` (${String(code)})`}: ${words}`;
  return /^(CredentialsProviderError|TokenProviderError)$/.test(String(name)) ? cause : `AWS says ${cause}`;
}

function remedyOf(name: string, said: string): string {
  if (SKEW.test(said)) {
    return 'the clock of this machine is wrong by minutes: set it';
  }
  const profile = process.env.AWS_PROFILE;
  const signIn = `sign in again (aws sso login, or AWS_PROFILE${profile ? `, which is '${profile}'` : ''})`;
  return UNKNOWN_KEY.test(name)
    ? `${signIn}, or enable the region, which says the same while the account has it off`
    : signIn;
}
