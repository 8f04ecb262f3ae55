import type { Report, Rule, RuleInput } from '../../rule';
import { devicesOf, imageWords, isOlder, ranksOf, once } from './engines';
import { RAY_SINCE, SCRIPT_BEFORE } from './ray';
import { rayGroup } from './ray-examples';

function* check(input: RuleInput): Iterable<Report> {
  for (const { group, settings, command, engine } of ranksOf(input)) {
    const { executor, nnodes, worldSize, dataParallelBackend } = settings;
    const isBefore = isOlder(engine.image, RAY_SINCE.explicit);
    const isAsked =
      executor.isGiven || executor.why !== undefined || nnodes.value !== 1 || dataParallelBackend.value !== 'mp';
    if (command.ray?.role !== 'head' || isAsked || isBefore === true || worldSize === undefined || worldSize === 1) {
      continue;
    }
    const devices = devicesOf(engine);
    const isTooMany = devices !== undefined && worldSize > devices;
    yield {
      object: group.object,
      path: command.path,
      what: `a Ray cluster is started and --distributed-executor-backend is not given; ${imageWords(engine.image)} asks this pod alone for its ${worldSize} ranks`,
      ...(isTooMany && { why: `it has ${devices} GPUs: vLLM refuses to start` }),
      severity: isBefore === undefined ? 'note' : isTooMany ? 'error' : 'warning',
    };
  }
}

export const rayBackendImplicit: Rule = {
  id: 'vllm/ray-backend-implicit',
  severity: 'error',
  title: 'a Ray cluster is started and not used',
  why: 'all ranks run in this pod, and those of the other pods are idle',
  fix: 'add --distributed-executor-backend=ray',
  holds: `vLLM ${RAY_SINCE.explicit} and newer`,
  source: 'vllm/config/parallel.py; vllm-project/vllm#29447',
  get bad() {
    return rayGroup('vllm/vllm-openai:v0.16.0', SCRIPT_BEFORE, '');
  },
  get good() {
    return rayGroup('vllm/vllm-openai:v0.16.0', SCRIPT_BEFORE);
  },
  check: once(check),
};
