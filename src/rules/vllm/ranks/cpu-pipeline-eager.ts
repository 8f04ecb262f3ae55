import { GATES } from '../../../engine/gates';
import { CPU_GROUP, edit } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { holdsFor, platformOf, ranksOf, weakened, once } from './engines';

const GATE = GATES.eagerBreaksPipeline;

function* check(input: RuleInput): Iterable<Report> {
  for (const { group, engine, settings } of ranksOf(input)) {
    const { compilationMode, pipelineParallelSize } = settings;
    const holds = holdsFor(GATE, engine.image);
    if (
      platformOf(engine) === 'cpu' &&
      pipelineParallelSize.value !== undefined &&
      pipelineParallelSize.value > 1 &&
      compilationMode.value === 0 &&
      holds !== false
    ) {
      yield {
        object: group.object,
        path: compilationMode.path,
        what: `${compilationMode.flag?.spelling ?? 'the flags'} turns compilation off in a pipeline of ${pipelineParallelSize.value} stages on CPU`,
        ...weakened(holds === true),
      };
    }
  }
}

export const cpuPipelineEager: Rule = {
  id: 'vllm/cpu-pipeline-eager',
  severity: 'error',
  title: 'compilation is off in a pipeline on CPU',
  why: 'the warm-up pass is skipped, which alone makes the buffer that later stages receive into: /health answers 200, and the first request ends the engine',
  fix: 'take -cc.mode=2 with -cc.backend=eager, which compiles nothing and keeps the pass',
  holds: `vLLM ${GATE.since} and newer`,
  source: GATE.source,
  get bad() {
    return edit(CPU_GROUP, [
      '              - -cc.mode=2\n              - -cc.backend=eager\n',
      '              - --enforce-eager\n',
    ]);
  },
  good: CPU_GROUP,
  check: once(check),
};
