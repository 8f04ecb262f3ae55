import { defaultPartition } from '../../../fit/split';
import { CPU_GROUP, edit } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { isUnfilled } from './drift';
import { type Rank, ranksOf, once } from './engines';
import { modelOf } from './shapes';

const VARIABLE = 'VLLM_PP_LAYER_PARTITION';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const found = rank.engine.variable(VARIABLE);
    const value = found?.text.value;
    const problem =
      found === undefined || value === undefined || value === '' || isUnfilled(found.text)
        ? undefined
        : problemOf(rank, value);
    if (found !== undefined && problem !== undefined) {
      yield {
        object: rank.group.object,
        path: found.path,
        what: `${VARIABLE} is '${value}'; ${problem.what}`,
        ...problem.fix,
      };
    }
  }
}

function problemOf(rank: Rank, value: string): { what: string; fix?: { fix: string } } | undefined {
  const stages = rank.settings.pipelineParallelSize.value;
  const words = value.split(',');
  if (words.some((word) => !/^\s*\d{1,6}\s*$/.test(word))) {
    return { what: 'it takes whole numbers with commas between them' };
  }
  const layers = modelOf(rank)?.layers;
  const isSane = stages !== undefined && Number.isInteger(stages) && stages >= 1 && stages <= 1000;
  const byDefault = isSane && layers !== undefined ? defaultPartition(layers, stages).join(',') : undefined;
  const fix = byDefault === undefined ? {} : { fix: { fix: `take ${byDefault}, or leave it out` } };
  if (stages !== undefined && words.length !== stages) {
    return { what: `the pipeline has ${stages} ${stages === 1 ? 'stage' : 'stages'}`, ...fix };
  }
  const sum = words.reduce((all, word) => all + Number(word), 0);
  return layers !== undefined && sum !== layers
    ? { what: `that is ${sum} layers, and ${rank.settings.model.value} has ${layers}`, ...fix }
    : undefined;
}

const ENTRY = '              - { name: VLLM_CPU_KVCACHE_SPACE, value: "4" }\n';
const withPartition = (value: string): string =>
  edit(CPU_GROUP, [ENTRY, `${ENTRY}              - { name: ${VARIABLE}, value: "${value}" }\n`]);

export const layerPartition: Rule = {
  id: 'vllm/layer-partition',
  severity: 'error',
  title: 'the layers of the stages do not add up',
  why: 'vLLM refuses to start: there is one number for each stage, and they add up to the layers of the model',
  fix: 'give one number for each stage, which add up to the layers, or leave it out',
  source: 'vllm/distributed/utils.py get_pp_indices; run on 0.32.0',
  get bad() {
    return withPartition('18,19');
  },
  get good() {
    return withPartition('17,19');
  },
  check: once(check),
};
