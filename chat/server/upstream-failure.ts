import { Failure, quote } from './failure';

/**
 * A failure of the model's server. The log gets its kind and never its words: those may be the server's, which may quote
 * the conversation, and that is nobody's business in a log.
 */
export class UpstreamFailure extends Failure {
  constructor(
    readonly kind: string,
    status: number,
    words: string,
  ) {
    super(status, words);
  }
}

const AGAIN = 'Try again in a minute or two.';

/** Room for every message of vLLM; what is longer quotes the conversation. */
const MAX_WORDS = 1000;

/** Codes of a server that is not there: between two starts of its group, or not ready for the first time. */
const NOT_THERE = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EPIPE',
];

export function unreachable(error: NodeJS.ErrnoException): UpstreamFailure {
  const code = error.code ?? error.name;
  const kind = `unreachable (${code})`;
  return NOT_THERE.includes(code)
    ? new UpstreamFailure(
        kind,
        503,
        `The model's server cannot be reached (${code}): it is starting or restarting. ${AGAIN}`,
      )
    : new UpstreamFailure(
        kind,
        502,
        `The connection to the model's server failed (${code}). Check the chat server's UPSTREAM_URL and certificates.`,
      );
}

export function noConnection(seconds: number): UpstreamFailure {
  return new UpstreamFailure(
    `no connection within ${seconds} seconds`,
    503,
    `The model's server took no connection within ${seconds} seconds. ${AGAIN}`,
  );
}

export function silent(seconds: number): UpstreamFailure {
  return new UpstreamFailure(
    `silent for ${seconds} seconds`,
    504,
    `The model's server sent nothing for ${seconds} seconds, so the request was ended. ` +
      'It may be busy with other requests or with a very long prompt.',
  );
}

export function brokenOff(): UpstreamFailure {
  return new UpstreamFailure(
    'broken off',
    503,
    `The model's server stopped before the answer was complete; it is probably restarting. What came so far is kept. ${AGAIN}`,
  );
}

export function notAStream(type: string | undefined): UpstreamFailure {
  return new UpstreamFailure(
    'no event stream',
    502,
    `The model's server answered with ${type ? quote(type, 80) : 'no content type'} where an event stream was expected. ` +
      "Check that the chat server's UPSTREAM_URL points to vLLM.",
  );
}

export function refused(status: number, body: string, model: string): UpstreamFailure {
  const failure = (as: number, words: string): UpstreamFailure =>
    new UpstreamFailure(`the model's server answered ${status}`, as, words);
  const said = ownWords(body);
  switch (status) {
    case 400:
    case 413:
    case 422:
      return failure(400, said ?? `The model's server refused the request (${status}).`);
    case 401:
    case 403:
      return failure(
        502,
        `The model's server refused the chat server's API key (${status}). Both must use the same key: ` +
          'check the Secret, then restart the one that was started before it changed.',
      );
    case 404:
      return failure(
        502,
        `The model's server does not serve "${model}" (404). Check the chat server's MODEL and UPSTREAM_URL.` +
          (said ? ` It said: ${said}` : ''),
      );
    case 429:
      return failure(503, `The model's server is busy (429). ${AGAIN}`);
  }
  if (status >= 500) {
    return failure(503, `The model's server failed (${status}) and is probably restarting. ${AGAIN}`);
  }
  return failure(
    502,
    `The model's server gave an unexpected answer (${status}). Check the chat server's UPSTREAM_URL.`,
  );
}

/** vLLM nests its message in "error"; older versions and FastAPI itself do not. */
function ownWords(body: string): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { error, message, detail } = (parsed ?? {}) as Record<string, unknown>;
  const nested = (error as { message?: unknown } | null | undefined)?.message;
  const words = [nested, message, detail, error].find((each) => typeof each === 'string' && each.trim() !== '');
  return typeof words === 'string' ? quote(words, MAX_WORDS) : undefined;
}
