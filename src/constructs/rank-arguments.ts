import { bytesOf, GIBI } from '../common/numbers';
import { LWS_LEADER_ADDRESS, LWS_WORKER_INDEX } from '../engine/lws';
import type { RenderedFlag } from '../engine/settings';
import type { GroupPlan } from '../fit/group-plan';
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
  return bytes % GIBI === 0;
}
