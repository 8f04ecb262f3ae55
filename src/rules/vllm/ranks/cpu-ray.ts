import { CPU_GROUP, edit } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { enginesOf, isOlder, platformOf, once } from './engines';
import { mayHaveRay } from './ray';

/** Older releases ran by processes of their own whatever was asked for, with a warning. */
const REFUSED_SINCE = '0.9.0';

function* check(input: RuleInput): Iterable<Report> {
  for (const { group, engine } of enginesOf(input)) {
    const { settings, command } = engine;
    if (platformOf(engine) !== 'cpu' || isOlder(engine.image, REFUSED_SINCE) === true) {
      continue;
    }
    if (settings?.executor.value === 'ray') {
      yield {
        object: group.object,
        path: settings.executor.path,
        what: '--distributed-executor-backend is ray and the image is a CPU build',
      };
    } else if (command.ray !== undefined && !mayHaveRay(engine)) {
      yield {
        object: group.object,
        path: command.ray.path,
        what: 'a Ray node is started and the image is a CPU build',
        why: 'the CPU platform knows no Ray, and its images do not hold it',
      };
    }
  }
}

export const cpuRay: Rule = {
  id: 'vllm/cpu-ray',
  severity: 'error',
  title: 'Ray on CPU',
  why: 'vLLM ends with "current platform cpu does not support ray"',
  fix: 'take mp: the ranks meet by --nnodes, --node-rank and --master-addr',
  source: 'v1/executor/ray_utils.py',
  get bad() {
    return edit(CPU_GROUP, ['--distributed-executor-backend=mp', '--distributed-executor-backend=ray']);
  },
  good: CPU_GROUP,
  check: once(check),
};
