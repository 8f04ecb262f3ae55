export interface Config {
  /** Address to listen on; undefined listens on every IPv4 and IPv6 address. */
  readonly host: string | undefined;
  readonly port: number;
  /** Empty for the root, otherwise "/chat": never with a slash at its end. */
  readonly prefix: string;
  readonly upstream: URL;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly password: string;
  readonly keepAliveSeconds: number;
  readonly upstreamTimeoutSeconds: number;
  readonly pingSeconds: number;
  readonly shutdownSeconds: number;
  /** How long a connection may take to send the headers of a request it has begun. */
  readonly headersSeconds: number;
  readonly maxRequestBytes: number;
  readonly maxConversations: number;
  readonly maxTokens: number | undefined;
}

export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads every variable before it complains, so that one restart is enough to mend them all. */
export function readConfig(env: Environment): Config {
  const problems: string[] = [];
  const read = <T>(name: string, parse: (value: string | undefined) => T): T => {
    try {
      return parse(env[name]);
    } catch (problem) {
      problems.push(`${name}: ${(problem as Error).message}`);
      return undefined as T;
    }
  };

  const config: Config = {
    host: read('HOST', (value) => value || undefined),
    port: read('PORT', (value) => whole(value, 8080, 0, 65535)),
    prefix: read('PATH_PREFIX', pathPrefix),
    upstream: read('UPSTREAM_URL', origin),
    model: read('MODEL', modelName),
    apiKey: read('API_KEY', apiKey),
    password: read('PASSWORD', password),
    keepAliveSeconds: read('KEEP_ALIVE_SECONDS', (value) => seconds(value, 310)),
    upstreamTimeoutSeconds: read('UPSTREAM_TIMEOUT_SECONDS', (value) => seconds(value, 300)),
    pingSeconds: read('PING_SECONDS', (value) => seconds(value, 15)),
    shutdownSeconds: read('SHUTDOWN_SECONDS', (value) => seconds(value, 25)),
    headersSeconds: read('HEADERS_SECONDS', (value) => seconds(value, 15)),
    // Both bounds belong to the memory of the container: see bench/chat/memory.mjs before raising one.
    maxRequestBytes: read('MAX_REQUEST_BYTES', (value) => whole(value, 256 * 1024, 1024, 1024 * 1024)),
    maxConversations: read('MAX_CONVERSATIONS', (value) => whole(value, 64, 1, 64)),
    maxTokens: read('MAX_TOKENS', (value) => (value ? whole(value, 0, 1, 10_000_000) : undefined)),
  };

  if (problems.length > 0) {
    const list = problems.map((problem) => `\n- ${problem}`).join('');
    throw new ConfigError(`The chat server cannot start. Mend these environment variables and start it again:${list}`);
  }
  return config;
}

function whole(value: string | undefined, fallback: number, min: number, max: number): number {
  if (!value) return fallback;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
  if (!(number >= min && number <= max)) {
    throw new Error(`"${value}" is not a whole number from ${min} to ${max}.`);
  }
  return number;
}

function seconds(value: string | undefined, fallback: number): number {
  if (!value) return fallback;
  const number = /^\d{1,6}(\.\d{1,3})?$/.test(value) ? Number(value) : NaN;
  if (!(number > 0 && number <= 86_400)) {
    throw new Error(`"${value}" is not a number of seconds above 0 and up to 86400, such as 300.`);
  }
  return number;
}

function pathPrefix(value = '/chat'): string {
  const prefix = value.replace(/\/$/, '');
  const dots = prefix.split('/').some((segment) => segment === '.' || segment === '..');
  if (!value.startsWith('/') || !/^(\/[A-Za-z0-9._~-]+)*$/.test(prefix) || dots) {
    throw new Error(
      `"${value}" is not a path to serve under. Use "/" or a path such as "/chat", of letters, digits, ".", "_", "~" and "-".`,
    );
  }
  return prefix;
}

function origin(value: string | undefined): URL {
  const want = 'Use the address of the Service in front of vLLM, such as http://vllm-leader:8000.';
  if (!value) throw new Error(`is not set. ${want}`);
  // A URL with a user name may hold a secret, so a refused value is shown without that part.
  const shown = `"${value.replace(/\/\/[^/]*@/, '//***@')}"`;
  if (!URL.canParse(value)) throw new Error(`${shown} is not a URL. ${want}`);
  const url = new URL(value);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`${shown} is neither http nor https. ${want}`);
  }
  if (url.username || url.password) {
    throw new Error(`${shown} holds credentials. Leave them out; the key of the model's server belongs in API_KEY.`);
  }
  if (url.pathname !== '/' || url.search || url.hash) {
    throw new Error(`${shown} has more than scheme, host and port. Leave the rest out: /v1/chat/completions is added.`);
  }
  return url;
}

function modelName(value: string | undefined): string {
  if (!value?.trim()) throw new Error('is not set. Use the name the model is served under (--served-model-name).');
  return value;
}

// Secrets are made from files again and again, and a file ends with a line break that nobody sees: a password which
// nobody can type and a header which node refuses to send. Their values are never shown.
function password(value: string | undefined): string {
  if (!value?.trim()) {
    throw new Error('is not set or empty. Without it everyone who reaches the page uses the model without its key.');
  }
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(value)) {
    throw new Error('holds a line break or another control character (often the last byte of a file). Leave it out.');
  }
  return value;
}

function apiKey(value: string | undefined): string | undefined {
  if (!value) return undefined;
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new Error('holds a space, a line break or a character outside ASCII, which an HTTP header cannot carry.');
  }
  return value;
}
