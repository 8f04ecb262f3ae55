import type { KeyGiven } from '../../operate/group/key';
import { CLUSTER_FLAGS, KEY_FLAGS, keyFlags } from '../cluster';
import { Flags, type Given, type OptionGroups } from '../flags';
import { WrongInput } from '../terminal';

export const OPTIONS: OptionGroups = {
  'What to ask': [
    ...CLUSTER_FLAGS,
    { name: '--url', value: 'URL', help: 'this address, and no port-forward' },
    { name: '--model', value: 'NAME', help: 'else the name that the server goes by' },
    ...KEY_FLAGS,
  ],
  'How to ask': [
    { name: '--tokens', value: 'N', help: 'most tokens of an answer (32)' },
    { name: '--timeout', value: 'SECONDS', help: 'for an answer (120)' },
    { name: '--wait', value: 'SECONDS', help: 'until the group is ready (0)' },
  ],
  'How to say it': [
    { name: '--output', alias: '-o', value: 'FORMAT', help: 'text (default) or json' },
    { name: '--quiet', alias: '-q', help: 'no progress' },
    { name: '--help', alias: '-h', help: 'this text' },
  ],
};

/** What the command line asks for. */
export interface Options {
  readonly given: Given;
  readonly isHelp: boolean;
  readonly url?: string;
  readonly group?: string;
  readonly model?: string;
  readonly key: KeyGiven;
  readonly outputTokens: number;
  readonly seconds: number;
  readonly waitSeconds: number;
  readonly format: 'text' | 'json';
  readonly isQuiet: boolean;
}

const FLAGS = new Flags(OPTIONS);
const LONGEST = 86_400;

export function readOptions(args: readonly string[]): Options {
  const given = FLAGS.read(args);
  const [word] = given.words;
  if (word !== undefined) {
    throw new WrongInput(`'${word}' is no flag; --group names a group, --url an address`);
  }
  const [url, group, model] = ['--url', '--group', '--model'].map((name) => given.last(name));
  return {
    given,
    isHelp: given.has('--help'),
    ...(url !== undefined && { url: addressOf(url) }),
    ...(group !== undefined && { group }),
    ...(model !== undefined && { model }),
    key: keyFlags(given),
    outputTokens: given.number('--tokens', 32, 1, 100_000),
    seconds: given.seconds('--timeout', 120, LONGEST),
    waitSeconds: given.number('--wait', 0, 0, LONGEST, 'whole seconds'),
    format: given.oneOf('--output', ['text', 'json']),
    isQuiet: given.has('--quiet'),
  };
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new WrongInput(`--url is '${text}'; it takes an address as http://127.0.0.1:8000`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new WrongInput(`--url takes scheme, host, port and path alone, and no user, query or fragment`);
  }
  // Whoever copies it from a client has the version at its end.
  return text.replace(/\/+$/, '').replace(/\/v1$/, '');
}

export function usage(): string {
  return [
    'usage: cdk8s-vllm smoke [FLAGS]',
    '',
    'Sends one real request to a vLLM that runs in the cluster, streamed and not, and',
    'says what held: a healthy server proves nothing about the forward pass. When it',
    'breaks, the logs of all ranks tell where it began. kubectl is the way there.',
    'Exit code 0: all held, 1: something did not, 2: it could not be tried.',
    ...FLAGS.help(),
    '',
    'for example',
    '  cdk8s-vllm smoke -n vllm',
    '  cdk8s-vllm smoke --url http://my-alb.example --api-key-secret vllm-api-key/key',
    '',
  ].join('\n');
}
