import type { KeyGiven } from '../../operate/group/key';
import type { Way } from '../../operate/prove/counters';
import { CLUSTER_FLAGS, type ClusterOptions, clusterOptions, KEY_FLAGS, keyFlags, sayFlags } from '../cluster';
import { Flags, type OptionGroups } from '../flags';

export const OPTIONS: OptionGroups = {
  'What to prove': [
    ...CLUSTER_FLAGS,
    ...KEY_FLAGS,
    { name: '--config', value: 'FILE', help: 'config.json of the model; else the one in the pod' },
  ],
  'How to prove it': [
    { name: '--tokens', value: 'N', help: 'tokens of the answer (64)' },
    { name: '--rest', value: 'SECONDS', help: 'time at rest before the request (20)' },
    { name: '--timeout', value: 'SECONDS', help: 'for the answer (300)' },
    { name: '--counters', value: 'WAY', help: "summary: the kubelet's; exec: in the pod; or auto" },
  ],
  'How to say it': sayFlags('text (default) or json'),
};

/** What the command line asks for. */
export interface Options extends ClusterOptions {
  readonly config?: string;
  readonly key: KeyGiven;
  readonly outputTokens: number;
  readonly restSeconds: number;
  readonly seconds: number;
  readonly way?: Way;
  readonly format: 'text' | 'json';
}

const FLAGS = new Flags(OPTIONS);

export function readOptions(args: readonly string[]): Options {
  const given = FLAGS.read(args);
  const common = clusterOptions(given);
  const config = given.last('--config');
  const way = given.oneOf('--counters', ['auto', 'summary', 'exec']);
  return {
    ...common,
    ...(config !== undefined && { config }),
    key: keyFlags(given),
    outputTokens: given.number('--tokens', 64, 1, 100_000),
    restSeconds: given.seconds('--rest', 20),
    seconds: given.seconds('--timeout', 300),
    ...(way !== 'auto' && { way }),
    format: given.oneOf('--output', ['text', 'json']),
  };
}

export function usage(): string {
  return [
    'usage: cdk8s-vllm prove [FLAGS]',
    '',
    'Proves that one request crosses all pods of a group: reads CPU and network',
    'counters of each pod at rest and across a request, and compares them with what',
    'the hidden states of the model have to bring. kubectl is the way there.',
    'Exit code 0: it crossed, 1: it did not, 2: it could not be judged or tried,',
    '130, 143: ended by Ctrl-C or SIGTERM.',
    ...FLAGS.help(),
    '',
    'for example',
    '  cdk8s-vllm prove -n vllm',
    '  cdk8s-vllm prove -n vllm --group vllm-gemma --tokens 128 -o json',
    '',
  ].join('\n');
}
