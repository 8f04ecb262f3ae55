import type { PlanInput } from '../../fit/plan-input';
import type { Plan, PlannedSettings } from '../../fit/plan-types';
import { coresText, countText, sizeText } from '../../fit/units';
import { columns } from './layout';

interface Row {
  readonly setting: keyof PlannedSettings;
  /** As a person sets it. */
  readonly name: string;
  /** Where it is given; the flag of this command, if there is one. */
  readonly given: (input: PlanInput) => unknown;
  readonly text: (settings: PlannedSettings) => string;
}

const ROWS: readonly Row[] = [
  row(
    'maxModelLen',
    '--max-model-len',
    ({ maxModelLen }) => maxModelLen,
    ({ maxModelLen }) => String(maxModelLen),
  ),
  row(
    'maxNumBatchedTokens',
    '--max-num-batched-tokens',
    ({ maxNumBatchedTokens }) => maxNumBatchedTokens,
    ({ maxNumBatchedTokens }) => String(maxNumBatchedTokens),
  ),
  row(
    'maxNumSeqs',
    '--max-num-seqs',
    ({ maxNumSeqs }) => maxNumSeqs,
    ({ maxNumSeqs }) => String(maxNumSeqs),
  ),
  row(
    'kvCacheMemoryBytes',
    '--kv-cache-memory-bytes',
    ({ kvCacheMemory }) => kvCacheMemory,
    ({ kvCacheMemoryBytes }) => `${kvCacheMemoryBytes} (${sizeText(kvCacheMemoryBytes)})`,
  ),
  row(
    'blockSize',
    '--block-size',
    ({ blockSize }) => blockSize,
    ({ blockSize }) => String(blockSize),
  ),
  row(
    'dtype',
    '--dtype',
    ({ dtype }) => dtype,
    ({ dtype }) => dtype,
  ),
  row(
    'kvCacheDtype',
    '--kv-cache-dtype',
    ({ kvCacheDtype }) => kvCacheDtype,
    ({ kvCacheDtype }) => kvCacheDtype,
  ),
  row(
    'hybridKvCacheManager',
    'hybrid KV cache manager',
    ({ hybridKvCacheManager }) => hybridKvCacheManager,
    ({ hybridKvCacheManager }) => (hybridKvCacheManager ? 'on' : 'off'),
  ),
  row(
    'cpuMillis',
    'CPU of a pod',
    ({ cpu }) => cpu,
    ({ cpuMillis }) => coresText(cpuMillis),
  ),
  row(
    'threads',
    'threads',
    ({ threads }) => threads,
    ({ threads }) => String(threads),
  ),
  row(
    'memoryBytes',
    'memory of a pod',
    ({ memory }) => memory,
    ({ memoryBytes }) => sizeText(memoryBytes),
  ),
  row(
    'sharedMemoryBytes',
    '/dev/shm, within it',
    ({ sharedMemory }) => sharedMemory,
    ({ sharedMemoryBytes }) => sizeText(sharedMemoryBytes),
  ),
  row(
    'ephemeralStorageBytes',
    'disk of a pod',
    ({ ephemeralStorage }) => ephemeralStorage,
    ({ ephemeralStorageBytes }) => sizeText(ephemeralStorageBytes),
  ),
  row(
    'startupBudgetSeconds',
    'start-up budget',
    ({ startupBudget }) => startupBudget,
    ({ startupBudgetSeconds }) => `${countText(startupBudgetSeconds)} s`,
  ),
  row(
    'stepTimeoutSeconds',
    'step timeout',
    ({ stepTimeout }) => stepTimeout,
    ({ stepTimeoutSeconds }) => `${countText(stepTimeoutSeconds)} s`,
  ),
  row(
    'stallTimeoutSeconds',
    'stall timeout',
    ({ stallTimeout }) => stallTimeout,
    ({ stallTimeoutSeconds }) => `${countText(stallTimeoutSeconds)} s`,
  ),
];

function row(setting: Row['setting'], name: string, given: Row['given'], text: Row['text']): Row {
  return { setting, name, given, text };
}

/** Every setting with its value, and who decided on it. */
export function settingsLines({ settings }: Plan, input: PlanInput, longest: boolean): string[] {
  const from = ({ setting, given }: Row): string => {
    if (setting === 'maxModelLen' && longest) {
      return 'auto';
    }
    if (settings.planned.includes(setting)) {
      return 'planned';
    }
    return given(input) === undefined ? "vLLM's default" : 'given';
  };
  return [
    'Settings',
    ...columns(
      ROWS.map((each) => [each.name, each.text(settings), from(each)]),
      [0, 1, 2],
    ),
  ];
}
