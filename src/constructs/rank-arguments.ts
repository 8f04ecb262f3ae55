import { bytesOf } from '../common/numbers';
import { LWS_LEADER_ADDRESS, LWS_WORKER_INDEX } from '../engine/lws';
import { SERVER_FLAGS } from '../engine/server-flags';
import { type FlagName, FLAGS, type RenderedFlag } from '../engine/settings';
import type { GroupPlan } from '../fit/plan';
import { Compilation, DType } from './options';
import type { VllmPipelineGroupProps } from './vllm-engine-props';

/** The two roles of a group. A group of one pod has a leader alone. */
export type Role = 'leader' | 'worker';

/** What the rendering of a rank needs beside the props: every default and every planned number settled. */
export interface GroupSettings {
  readonly props: VllmPipelineGroupProps;
  readonly plan: GroupPlan;
  readonly name: string;
  readonly size: number;
  readonly pipelineParallelSize: number;
  readonly tensorParallelSize: number;
  readonly port: number;
  readonly masterPort: number;
  readonly drainSeconds: number;
  readonly keepAliveSeconds: number;
  readonly progressLiveness: boolean;
}

/** One argument; names that are not in the engine's table do not compile. */
function flag(name: RenderedFlag, value?: string | number): string {
  return value === undefined ? name : `${name}=${value}`;
}

/** Arguments of `vllm serve`: what all ranks share, then what the role adds. */
export function rankArguments(settings: GroupSettings, role: Role): string[] {
  const { props } = settings;
  return [
    props.model.name,
    ...sharedArguments(settings),
    ...(settings.size > 1 ? distributedArguments(settings, role) : []),
    ...(role === 'leader' ? serverArguments(settings) : []),
    ...(props.extraArgs ?? []),
    ...(role === 'leader' ? (props.extraServerArgs ?? []) : []),
  ];
}

function sharedArguments({ props, plan, pipelineParallelSize, tensorParallelSize }: GroupSettings): string[] {
  const kvBytes = bytesOf(plan.kvCacheMemory);
  return [
    ...(props.modelRevision === undefined ? [] : [flag('--revision', props.modelRevision)]),
    flag('--dtype', props.dtype ?? DType.BFLOAT16),
    flag('--max-model-len', plan.maxModelLen),
    ...(plan.maxNumBatchedTokens === undefined ? [] : [flag('--max-num-batched-tokens', plan.maxNumBatchedTokens)]),
    ...(isWholeGibibytes(kvBytes) ? [] : [flag('--kv-cache-memory-bytes', kvBytes)]),
    flag('--pipeline-parallel-size', pipelineParallelSize),
    flag('--tensor-parallel-size', tensorParallelSize),
    flag('--distributed-executor-backend', 'mp'),
    flag('-cc.mode', 2),
    flag('-cc.backend', props.compilation ?? Compilation.EAGER),
    flag('--no-async-scheduling'),
  ];
}

function distributedArguments({ size, masterPort }: GroupSettings, role: Role): string[] {
  return [
    flag('--nnodes', size),
    flag('--node-rank', role === 'leader' ? 0 : `$(${LWS_WORKER_INDEX})`),
    flag('--master-addr', `$(${LWS_LEADER_ADDRESS})`),
    flag('--master-port', masterPort),
    ...(role === 'worker' ? [flag('--headless')] : []),
  ];
}

function serverArguments({ props, port, drainSeconds, progressLiveness }: GroupSettings): string[] {
  return [
    flag('--port', port),
    ...(props.servedModelName === undefined ? [] : [flag('--served-model-name', props.servedModelName)]),
    ...(progressLiveness ? [flag('--enable-server-load-tracking')] : []),
    flag('--shutdown-timeout', drainSeconds),
  ];
}

/** The KV size has two names; the variable takes whole GiB only. */
export function isWholeGibibytes(bytes: number): boolean {
  return bytes % 1024 ** 3 === 0;
}

/** The name of an argument as vLLM reads it: it takes underscores for hyphens, and `-cc.mode` is a part of `-cc`. */
function nameOfArgument(argument: string): string {
  const name = argument.split('=', 1)[0]!;
  // A short option takes its value without a space: -n2, -O3, -tp4.
  const short = /^(-[A-Za-z]+)\d/.exec(name);
  if (short) {
    return short[1]!;
  }
  return name.startsWith('--') ? `--${name.slice(2).replaceAll('_', '-')}`.split('.', 1)[0]! : name.split('.', 1)[0]!;
}

/** Finds the setting that an argument would repeat, under any of its names and in any abbreviation that argparse takes. */
function managedBy(argument: string): FlagName | undefined {
  const given = nameOfArgument(argument);
  return findManaged(given) ?? (given.startsWith('--no-') ? findManaged(`--${given.slice(5)}`) : undefined);
}

function findManaged(name: string): FlagName | undefined {
  return (Object.keys(FLAGS) as FlagName[]).find((known) => {
    const names = [known.split('.', 1)[0]!, ...(FLAGS[known].aliases ?? [])];
    return names.some(
      (other) => other === name || (name.startsWith('--') && name.length > 2 && other.startsWith(name)),
    );
  });
}

/** Checks the arguments that the user adds: one word each, and none that the group renders itself. */
export function checkExtraArguments(prop: 'extraArgs' | 'extraServerArgs', args: readonly string[] = []): void {
  for (const [index, argument] of args.entries()) {
    const previous = args[index - 1] ?? '';
    const isValue = !argument.startsWith('-') && previous.startsWith('-') && !previous.includes('=');
    if ((!argument.startsWith('-') && !isValue) || /^-+$/.test(argument) || hasControlCharacter(argument)) {
      throw new Error(
        `${prop} holds '${argument}', which is neither a flag nor the value of the flag before it; write --name=value`,
      );
    }
    if (/^-[^=]*\s/.test(argument)) {
      throw new Error(
        `${prop} holds '${argument}' as one argument; no shell splits it: write --name=value, or two entries`,
      );
    }
    if (!argument.startsWith('-')) {
      continue;
    }
    const managed = managedBy(argument);
    if (managed !== undefined) {
      const { prop: owner, why } = FLAGS[managed];
      throw new Error(
        `${prop} holds '${argument}', which the group decides itself; ` +
          (owner === undefined ? `leave it out (${why})` : `use the prop '${owner}' (${why})`),
      );
    }
    if (prop === 'extraServerArgs' && !isServerFlag(argument)) {
      throw new Error(
        `extraServerArgs holds '${argument}', which is not known to concern the HTTP server alone; ranks that differ in ` +
          'an engine flag fail or hang: put it into extraArgs, which every rank gets',
      );
    }
  }
}

function isServerFlag(argument: string): boolean {
  const name = nameOfArgument(argument);
  return SERVER_FLAGS.has(name) || (name.startsWith('--no-') && SERVER_FLAGS.has(`--${name.slice(5)}`));
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}
