import type { Config } from './config';
import { Failure } from './failure';

const AGAIN = 'Try again in a minute or two.';

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

export function unreachable(code: string): Failure {
  return NOT_THERE.includes(code)
    ? new Failure(503, `The model's server cannot be reached (${code}): it is starting or restarting. ${AGAIN}`)
    : new Failure(
        502,
        `The connection to the model's server failed (${code}). Check the chat server's UPSTREAM_URL and certificates.`,
      );
}

export function noConnection(seconds: number): Failure {
  return new Failure(503, `The model's server took no connection within ${seconds} seconds. ${AGAIN}`);
}

export function silent(seconds: number): Failure {
  return new Failure(
    504,
    `The model's server sent nothing for ${seconds} seconds, so the request was ended. ` +
      'It may be busy with other requests or with a very long prompt.',
  );
}

export function brokenOff(): Failure {
  return new Failure(
    503,
    `The model's server stopped before the answer was complete; it is probably restarting. What came so far is kept. ${AGAIN}`,
  );
}

export function notAStream(type: string | undefined): Failure {
  return new Failure(
    502,
    `The model's server answered with ${type ?? 'no content type'} where an event stream was expected. ` +
      "Check that the chat server's UPSTREAM_URL points to vLLM.",
  );
}

export function refused(status: number, body: string, config: Config): Failure {
  const said = ownWords(body, config);
  switch (status) {
    case 400:
    case 413:
    case 422:
      return new Failure(400, said ?? `The model's server refused the request (${status}).`);
    case 401:
    case 403:
      return new Failure(
        502,
        `The model's server refused the chat server's API key (${status}). Both must use the same key: ` +
          'check the Secret, then restart the one that was started before it changed.',
      );
    case 404:
      return new Failure(
        502,
        `The model's server does not serve "${config.model}" (404). Check the chat server's MODEL and UPSTREAM_URL.` +
          (said ? ` It said: ${said}` : ''),
      );
    case 429:
      return new Failure(503, `The model's server is busy (429). ${AGAIN}`);
  }
  if (status >= 500) {
    return new Failure(503, `The model's server failed (${status}) and is probably restarting. ${AGAIN}`);
  }
  return new Failure(
    502,
    `The model's server gave an unexpected answer (${status}). Check the chat server's UPSTREAM_URL.`,
  );
}

/** vLLM nests its message in "error"; older versions and FastAPI itself do not. */
function ownWords(body: string, config: Config): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { error, message, detail } = (parsed ?? {}) as Record<string, unknown>;
  const nested = (error as { message?: unknown } | null | undefined)?.message;
  const words = [nested, message, detail, error].find((each) => typeof each === 'string' && each.trim() !== '');
  if (typeof words !== 'string') return undefined;
  // No server should repeat a key, but this text goes to people who must not have it.
  return config.apiKey ? words.replaceAll(config.apiKey, '***') : words;
}
