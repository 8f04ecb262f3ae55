import type { KeyGiven } from '../../operate/group/key';
import { CLUSTER_FLAGS, type ClusterOptions, clusterOptions, KEY_FLAGS, keyFlags, sayFlags } from '../cluster';
import { Flags, LONGEST_SECONDS, type OptionGroups } from '../flags';
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
  'How to say it': sayFlags('text (default) or json'),
};

/** What the command line asks for. */
export interface Options extends ClusterOptions {
  readonly url?: string;
  readonly model?: string;
  readonly key: KeyGiven;
  readonly outputTokens: number;
  readonly seconds: number;
  readonly waitSeconds: number;
  readonly format: 'text' | 'json';
}

const FLAGS = new Flags(OPTIONS);

export function readOptions(args: readonly string[]): Options {
  const given = FLAGS.read(args);
  const common = clusterOptions(given, ', --url an address');
  const [url, model] = ['--url', '--model'].map((name) => given.last(name));
  return {
    ...common,
    ...(url !== undefined && { url: addressOf(url) }),
    ...(model !== undefined && { model }),
    key: keyFlags(given),
    outputTokens: given.number('--tokens', 32, 1, 100_000),
    seconds: given.seconds('--timeout', 120),
    waitSeconds: given.number('--wait', 0, 0, LONGEST_SECONDS, 'whole seconds'),
    format: given.oneOf('--output', ['text', 'json']),
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
    'Exit code 0: all held, 1: something did not, 2: it could not be tried,',
    '130, 143: ended by Ctrl-C or SIGTERM.',
    ...FLAGS.help(),
    '',
    'for example',
    '  cdk8s-vllm smoke -n vllm',
    '  cdk8s-vllm smoke --url http://my-alb.example --api-key-secret vllm-api-key/key',
    '',
  ].join('\n');
}
