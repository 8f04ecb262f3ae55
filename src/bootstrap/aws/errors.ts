import { redact } from './redact';
import { type CallName, changes } from './types';

/** What went wrong with a call, in the terms that decide what to do about it. */
export type ErrorKind =
  'absent' | 'exists' | 'busy' | 'denied' | 'credentials' | 'transient' | 'role-not-ready' | 'refused';

interface SdkError {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly statusCode?: number };
}

const ABSENT =
  /^(ResourceNotFoundException|NotFoundException|NoSuchEntity(Exception)?|Invalid[A-Za-z]+\.NotFound(Exception)?|InvalidLaunchTemplateId\.VersionNotFound)$/;
const EXISTS = /AlreadyExists|EntityAlreadyExists/;
const DENIED = /^(AccessDenied(Exception)?|UnauthorizedOperation|AuthorizationError|Forbidden)$/;
const CREDENTIALS =
  /^(CredentialsProviderError|ExpiredToken(Exception)?|InvalidClientTokenId|UnrecognizedClientException|AuthFailure|InvalidSignatureException|SignatureDoesNotMatch|MissingAuthenticationToken(Exception)?|TokenProviderError|OptInRequired)$/;
const TRANSIENT =
  /^(Throttling(Exception)?|ThrottledException|TooManyRequestsException|RequestLimitExceeded|RequestThrottled(Exception)?|SlowDown|ServerException|ServiceUnavailable(Exception)?|InternalError|InternalFailure|InternalServiceError|Unavailable|RequestTimeout(Exception)?|TimeoutError|RequestTimeTooSkewed|RequestExpired|ResourcePropagationDelayException|PriorRequestNotComplete)$/;
const NETWORK = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EPIPE',
  'EAI_AGAIN',
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
    return 'credentials';
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

function messageOf(call: CallName, kind: ErrorKind, error: unknown, attempts: number): string {
  const { name, code, message, $metadata, $response } = (error ?? {}) as SdkError;
  const action = call.replace('.', ':');
  // What a proxy or a captive portal answers is a page; its text helps nobody.
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  const said = String(message ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 400);
  const isNoAnswer = name === 'SyntaxError' || /Deserialization error/.test(said);
  const words = isNoAnswer
    ? `the answer was not one of AWS${status === undefined ? '' : ` (HTTP ${status})`}; is there a proxy in between?`
    : said;
  const cause = `${String(name ?? 'Error')}${code === undefined || code === name ? '' : ` (${String(code)})`}: ${words}`;
  switch (kind) {
    case 'denied':
      return `${action} was denied; who runs this needs the IAM action ${action}. AWS says ${cause}`;
    case 'credentials':
      return `there are no usable credentials for ${action}; sign in again (aws sso login, or AWS_PROFILE), and run this once more. AWS says ${cause}`;
    case 'transient':
      return `${action} failed ${attempts} times${changes(call) ? '; it may have had its effect: running this again finds out and goes on' : ''}. AWS says ${cause}`;
    case 'role-not-ready':
      return `${action}: EKS cannot use the role yet, or its trust policy does not let it. AWS says ${cause}`;
    case 'busy':
      return `${action}: another change is going on; run this again when it has ended. AWS says ${cause}`;
    default:
      return `${action} was refused. AWS says ${cause}`;
  }
}
