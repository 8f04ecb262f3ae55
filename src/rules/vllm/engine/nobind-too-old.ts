import { compareVersions } from '../../../common/versions';
import { GATES } from '../../../engine/gates';
import { OLDEST_RELEASE } from '../../../engine/releases';
import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, holds, isCpu } from './engines';
import { BIND_VARIABLE, bindingOf } from './threads';

const check = eachEngine(function* (at) {
  const version = at.engine.image?.version;
  const binding = isCpu(at) ? bindingOf(at) : undefined;
  // 0.19 took it.
  const isRead = version !== undefined && compareVersions(version, OLDEST_RELEASE) >= 0;
  if (binding?.kind === 'nobind' && isRead && holds('unboundThreads', at) === false) {
    yield { path: binding.path, what: `${BIND_VARIABLE} is nobind, and the image is vLLM ${version}` };
  }
});

export const nobindTooOld: Rule = {
  id: 'vllm/nobind-too-old',
  severity: 'error',
  title: 'unbound threads on a release that breaks on them',
  why: '0.20 ends at its start with an IndexError',
  fix: `give a list of cores such as '0-4', or take vLLM ${GATES.unboundThreads.since} or newer`,
  holds: 'engines on CPU with vLLM 0.20',
  source: 'utils/ompmultiprocessing.py; run on 0.20.0 and 0.21.0',
  get bad() {
    return edit(CPU_POD, ['v0.31.0-x86_64', 'v0.20.0-x86_64']);
  },
  get good() {
    return edit(CPU_POD, ['v0.31.0-x86_64', 'v0.21.0-x86_64']);
  },
  check,
};
