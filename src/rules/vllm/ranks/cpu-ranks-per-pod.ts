import { CPU_POD, edit } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { hasSizeDrift, isMultiNode, localRanksOf, platformOf, ranksOf, once } from './engines';
import { bindingOf, numaNodesOf } from './threads';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, engine, settings } = rank;
    const local = localRanksOf(rank);
    if (platformOf(engine) !== 'cpu' || local === undefined || local <= 1 || hasSizeDrift(rank)) {
      continue;
    }
    const { pipelineParallelSize, tensorParallelSize, dataParallelSize } = settings;
    const sizes = [pipelineParallelSize, tensorParallelSize, dataParallelSize];
    const path = sizes.find(({ value, isGiven }) => isGiven && value !== 1)?.path ?? pipelineParallelSize.path;
    const bound = numaProblem(rank, local);
    if (bound !== undefined) {
      yield { object: group.object, path, ...bound };
    } else if (isMultiNode(rank)) {
      yield {
        object: group.object,
        path,
        what: `each of ${settings.nnodes.value} pods runs ${local} ranks on CPU`,
        why: 'ranks of one pod count as being on different nodes there, and the leader gets no queue to the others',
        fix: `take as many pods as ranks: ${settings.worldSize}`,
        severity: 'warning',
      };
    }
  }
}

/** Automatic binding gives each local rank a NUMA node of its own. */
function numaProblem(
  rank: Parameters<typeof bindingOf>[0],
  local: number,
): Omit<Report, 'object' | 'path'> | undefined {
  const { engine, pod } = rank;
  const hasOwnNodes = ['VLLM_CPU_SIM_MULTI_NUMA', 'CPU_VISIBLE_MEMORY_NODES'].some(
    (name) => engine.variable(name) !== undefined,
  );
  if (bindingOf(rank).binding?.kind !== 'auto' || hasOwnNodes) {
    return undefined;
  }
  const numa = numaNodesOf(pod);
  if (numa === undefined) {
    return {
      what: `${local} ranks run in one CPU pod with automatic thread binding`,
      why: 'each of them takes a NUMA node of its own, and most instances have one: the start then ends with "Not enough allowed NUMA nodes"',
      severity: 'note',
    };
  }
  return numa.nodes >= local
    ? undefined
    : {
        what: `${local} ranks run in one CPU pod with automatic thread binding, and a ${numa.type} has ${numa.nodes} NUMA ${numa.nodes === 1 ? 'node' : 'nodes'}`,
      };
}

const NODE = '      nodeSelector: { kubernetes.io/arch: amd64 }\n';
const two = (): string =>
  edit(
    CPU_POD,
    ['            - --port=8000\n', '            - --port=8000\n            - --tensor-parallel-size=2\n'],
    [NODE, '      nodeSelector: { kubernetes.io/arch: amd64, node.kubernetes.io/instance-type: m7i.2xlarge }\n'],
    ['OMP_NUM_THREADS, value: "5"', 'OMP_NUM_THREADS, value: "2"'],
  );

export const cpuRanksPerPod: Rule = {
  id: 'vllm/cpu-ranks-per-pod',
  severity: 'error',
  title: 'several CPU ranks in one pod',
  why: 'automatic binding gives each rank of a pod a NUMA node of its own: the start ends with "Not enough allowed NUMA nodes to bind threads"',
  fix: 'set VLLM_CPU_OMP_THREADS_BIND=nobind with OMP_NUM_THREADS, or run one rank in a pod',
  source: 'vllm/utils/ompmultiprocessing.py, run on 0.32.0; several ranks in each of several pods by reading of 0.28.0',
  get bad() {
    return edit(two(), ['            - { name: VLLM_CPU_OMP_THREADS_BIND, value: nobind }\n', '']);
  },
  get good() {
    return two();
  },
  check: once(check),
};
