import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../chat/server/config';

const enough = { UPSTREAM_URL: 'http://vllm-leader:8000', MODEL: 'gemma', PASSWORD: 'secret' };

function complaint(env: Record<string, string>): string {
  try {
    readConfig({ ...enough, ...env });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('The configuration was accepted.');
}

describe('readConfig', () => {
  it('fills in what is not set', () => {
    expect(readConfig(enough)).toEqual({
      host: undefined,
      port: 8080,
      prefix: '/chat',
      upstream: new URL('http://vllm-leader:8000'),
      model: 'gemma',
      apiKey: undefined,
      password: 'secret',
      keepAliveSeconds: 310,
      upstreamTimeoutSeconds: 300,
      pingSeconds: 15,
      shutdownSeconds: 25,
      headersSeconds: 15,
      maxRequestBytes: 262144,
      maxConversations: 64,
      maxTokens: undefined,
    });
  });

  it('takes an empty value as one that is not set', () => {
    expect(readConfig({ ...enough, API_KEY: '', MAX_TOKENS: '', PORT: '' })).toEqual(readConfig(enough));
  });

  it('reads every variable', () => {
    expect(
      readConfig({
        HOST: '127.0.0.1',
        PORT: '9000',
        PATH_PREFIX: '/a/b/',
        UPSTREAM_URL: 'https://model.internal:8443/',
        MODEL: 'google/gemma-3-1b-it',
        API_KEY: 'sk-1',
        PASSWORD: 'naïve: 密码',
        KEEP_ALIVE_SECONDS: '61',
        UPSTREAM_TIMEOUT_SECONDS: '0.5',
        PING_SECONDS: '20',
        SHUTDOWN_SECONDS: '5',
        HEADERS_SECONDS: '5',
        MAX_REQUEST_BYTES: '4096',
        MAX_CONVERSATIONS: '8',
        MAX_TOKENS: '512',
      }),
    ).toMatchObject({
      host: '127.0.0.1',
      port: 9000,
      prefix: '/a/b',
      apiKey: 'sk-1',
      password: 'naïve: 密码',
      keepAliveSeconds: 61,
      upstreamTimeoutSeconds: 0.5,
      headersSeconds: 5,
      maxRequestBytes: 4096,
      maxConversations: 8,
      maxTokens: 512,
    });
  });

  it.each([
    ['/', ''],
    ['/chat', '/chat'],
    ['/chat/', '/chat'],
    ['/a/b.c_d~e-f', '/a/b.c_d~e-f'],
  ])('serves under the prefix %s', (value, prefix) => {
    expect(readConfig({ ...enough, PATH_PREFIX: value }).prefix).toBe(prefix);
  });

  it.each(['chat', '/a//b', '//', '/a/../b', '/./a', '/ä', '/a b', '/a?b', '/%20'])(
    'refuses the prefix %s',
    (value) => {
      expect(complaint({ PATH_PREFIX: value })).toContain(`PATH_PREFIX: "${value}" is not a path to serve under.`);
    },
  );

  it.each(['0x50', '-1', '65536', '80.5', '1e3', 'http', ' 80'])('refuses the port %s', (value) => {
    expect(complaint({ PORT: value })).toContain(`PORT: "${value}" is not a whole number from 0 to 65535.`);
  });

  it.each(['0', '-5', '5m', 'Infinity', '86401', '1e3'])('refuses %s seconds', (value) => {
    expect(complaint({ KEEP_ALIVE_SECONDS: value })).toContain(
      `KEEP_ALIVE_SECONDS: "${value}" is not a number of seconds`,
    );
  });

  it.each([
    ['vllm-leader', 'is not a URL'],
    ['vllm-leader:8000', 'is neither http nor https'],
    ['ftp://vllm-leader', 'is neither http nor https'],
    ['http://vllm-leader:8000/v1', 'has more than scheme, host and port'],
    ['http://vllm-leader:8000?x=1', 'has more than scheme, host and port'],
  ])('refuses the upstream %s', (value, why) => {
    expect(complaint({ UPSTREAM_URL: value })).toContain(`UPSTREAM_URL: "${value}" ${why}.`);
  });

  it('shows no secret in a complaint', () => {
    expect(complaint({ UPSTREAM_URL: 'http://user:hush@host:1' })).toMatch(
      /UPSTREAM_URL: "http:\/\/\*\*\*@host:1" holds/,
    );
    expect(complaint({ PASSWORD: 'hush\n', API_KEY: 'hush\n' })).not.toContain('hush');
  });

  it.each(['', ' ', '\n'])('refuses the password %j', (value) => {
    expect(complaint({ PASSWORD: value })).toContain('PASSWORD: is not set or empty.');
  });

  it('refuses the line break at the end of a secret made from a file', () => {
    expect(complaint({ PASSWORD: 'secret\n' })).toContain('PASSWORD: holds a line break');
    expect(complaint({ API_KEY: 'sk-1\n' })).toContain('API_KEY: holds a space, a line break');
  });

  it.each([
    ['MAX_REQUEST_BYTES', '1023', 'from 1024 to 1048576'],
    ['MAX_REQUEST_BYTES', '1048577', 'from 1024 to 1048576'],
    ['MAX_CONVERSATIONS', '0', 'from 1 to 64'],
    ['MAX_CONVERSATIONS', '65', 'from 1 to 64'],
  ])('keeps within the memory of the container: %s=%s', (name, value, range) => {
    expect(complaint({ [name]: value })).toContain(`${name}: "${value}" is not a whole number ${range}.`);
    const [, least, most] = /from (\d+) to (\d+)/.exec(range) ?? [];
    for (const bound of [least, most]) expect(() => readConfig({ ...enough, [name]: bound })).not.toThrow();
  });

  it('lists everything that is wrong at once', () => {
    const lines = complaint({ PORT: 'x', MODEL: '', PASSWORD: '', MAX_TOKENS: '0', MAX_REQUEST_BYTES: '10' }).split(
      '\n',
    );
    expect(lines.slice(1).map((line) => line.split(':')[0])).toEqual([
      '- PORT',
      '- MODEL',
      '- PASSWORD',
      '- MAX_REQUEST_BYTES',
      '- MAX_TOKENS',
    ]);
  });
});
