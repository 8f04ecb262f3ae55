import type { KeyGiven } from '../operate/group/key';
import { ClusterFailure } from '../operate/kubectl/failure';
import { Kubectl } from '../operate/kubectl/kubectl';
import { type Given, type Option, tellProgram } from './flags';
import { type Terminal, WrongInput } from './terminal';

/** Flags of the commands that ask a cluster. */
export const CLUSTER_FLAGS: readonly Option[] = [
  { name: '--group', value: 'NAME', help: 'workload or leading pod, where several run vLLM' },
  { name: '--namespace', alias: '-n', value: 'NAME', help: 'else the one of the context' },
  { name: '--context', value: 'NAME', help: 'of the kubeconfig; else the current one' },
  { name: '--kubeconfig', value: 'FILE', help: 'else what KUBECONFIG or ~/.kube/config says' },
  { name: '--kubectl', value: 'FILE', help: 'the kubectl to use; else the one on the path' },
];

export const KEY_FLAGS: readonly Option[] = [
  { name: '--api-key', value: 'KEY', help: 'others on this machine see it; VLLM_API_KEY is better' },
  { name: '--api-key-secret', value: 'NAME/KEY', help: 'a Secret; else the one that the pod names' },
];

/** The last flags of their usage. */
export function sayFlags(formats: string, quiet = 'no progress'): readonly Option[] {
  return [
    { name: '--output', alias: '-o', value: 'FORMAT', help: formats },
    { name: '--quiet', alias: '-q', help: quiet },
    { name: '--help', alias: '-h', help: 'this text' },
  ];
}

/** What all of them are told. */
export interface ClusterOptions {
  readonly given: Given;
  readonly isHelp: boolean;
  readonly group?: string;
  readonly isQuiet: boolean;
}

/**
 * Reads what all of them are told. None takes words.
 * @param others what else names something: `, --url an address`
 */
export function clusterOptions(given: Given, others = ''): ClusterOptions {
  const [word] = given.words;
  if (word !== undefined) {
    throw new WrongInput(`'${word}' is no flag; --group names a group${others}`);
  }
  const group = given.last('--group');
  return {
    given,
    isHelp: given.has('--help'),
    ...(group !== undefined && { group }),
    isQuiet: given.has('--quiet'),
  };
}

/** Whether a command line names a cluster. */
export function namesCluster(given: Given): boolean {
  return CLUSTER_FLAGS.some(({ name }) => given.has(name));
}

export function openCluster(given: Given): Promise<Kubectl> {
  const [kubectl, kubeconfig, context, namespace] = ['--kubectl', '--kubeconfig', '--context', '--namespace'].map(
    (name) => given.last(name),
  );
  return Kubectl.open({
    path: process.env['PATH'] ?? '',
    ...(kubectl !== undefined && { kubectl }),
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    ...(namespace !== undefined && { namespace }),
  });
}

export function keyFlags(given: Given): KeyGiven {
  const value = given.last('--api-key');
  const named = given.last('--api-key-secret');
  const environment = process.env['VLLM_API_KEY'];
  const [, name, key] = /^([^/]+)\/([^/]+)$/.exec(named ?? '') ?? [];
  if (named !== undefined && name === undefined) {
    throw new WrongInput(`--api-key-secret is '${named}'; it takes name and key of a Secret, as vllm-api-key/key`);
  }
  return {
    ...(value !== undefined && { value }),
    ...(name !== undefined && { secret: { name, key: key! } }),
    ...(environment !== undefined && { environment }),
  };
}

/** Runs a command that asks a cluster; what stands in its way is told in its words, also to a program. */
export async function asking(args: readonly string[], terminal: Terminal, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const known = error instanceof ClusterFailure ? new WrongInput(error.message) : error;
    tellProgram(known, args, terminal);
    throw known;
  }
}
