import { GATES } from '../../../engine/gates';
import { CPU_GROUP, edit } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { holdsFor, isMultiNode, isOlder, platformOf, ranksOf, weakened, once } from './engines';

const GATE = GATES.integerPort;
/** The shared memory path by a name that ranks agree on came with it. */
const FIRST = '0.17.0';
const ENTRY = '              - { name: VLLM_CPU_OMP_THREADS_BIND, value: nobind }\n';
const OLDER = (): string =>
  edit(CPU_GROUP, ['vllm/vllm-openai-cpu:v0.31.0-x86_64', 'vllm/vllm-openai-cpu:v0.26.0-x86_64']);

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, engine } = rank;
    const found = engine.variable('VLLM_PORT');
    const holds = holdsFor(GATE, engine.image);
    if (
      platformOf(engine) === 'cpu' &&
      isMultiNode(rank) &&
      /^\d+$/.test(found?.text.value ?? '') &&
      holds !== false &&
      isOlder(engine.image, FIRST) !== true
    ) {
      yield {
        object: group.object,
        path: found!.path,
        what: `VLLM_PORT is ${found!.text.value} in an engine over several nodes on CPU`,
        ...weakened(holds === true),
      };
    }
  }
}

export const cpuFixedPort: Rule = {
  id: 'vllm/cpu-fixed-port',
  severity: 'error',
  title: 'a fixed VLLM_PORT in an engine over several nodes on CPU',
  why: 'ranks tell by it whether they share a node: all take the shared memory path, and wait for each other for ever',
  fix: 'leave VLLM_PORT out; --port is that of the HTTP server',
  holds: `vLLM ${FIRST} to ${GATE.until}`,
  source: `${GATE.source}, by reading`,
  get bad() {
    return edit(OLDER(), [ENTRY, `${ENTRY}              - { name: VLLM_PORT, value: "29600" }\n`]);
  },
  get good() {
    return OLDER();
  },
  check: once(check),
};
