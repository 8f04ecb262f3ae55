import { compareVersions } from '../../../common/versions';
import { OLDEST_RELEASE } from '../../../engine/releases';
import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, isCpu, localRanks } from './engines';
import { BIND_VARIABLE, bindingOf } from './threads';

const check = eachEngine(function* (at) {
  const binding = isCpu(at) ? bindingOf(at) : undefined;
  const ranks = localRanks(at);
  const version = at.engine.image?.version;
  // Before 0.18 a list stood for each rank of the whole group.
  const isOld = version !== undefined && compareVersions(version, OLDEST_RELEASE) < 0;
  if (binding?.kind === 'lists' && ranks !== undefined && binding.lists.length !== ranks && !isOld) {
    yield {
      path: binding.path,
      what: `${BIND_VARIABLE} holds ${binding.lists.length} lists of cores for ${ranks} ranks in the pod`,
      ...(version === undefined && { severity: 'note' as const }),
    };
  }
});

const OTHER = (lists: string): string =>
  edit(CPU_POD, ['VLLM_CPU_OMP_THREADS_BIND, value: nobind', `VLLM_CPU_OMP_THREADS_BIND, value: "${lists}"`]);

export const cpuThreadLists: Rule = {
  id: 'vllm/cpu-thread-lists',
  severity: 'error',
  title: 'lists of cores for another number of ranks',
  why: 'vLLM ends with "Given number of CPU id list doesn\'t match local world size"',
  fix: "give one list for each rank of the pod, separated by '|', or nobind",
  holds: 'engines on CPU',
  source: 'utils/ompmultiprocessing.py; run on 0.32.0',
  get bad() {
    return OTHER('0-1|2-3');
  },
  get good() {
    return OTHER('0-4');
  },
  check,
};
