import { API_PATH } from '../../engine/server';
import { nameOfWorkload } from '../alb/engine-routes';
import { CPU_POD_BEHIND_BALANCER, POD_SERVICE, together } from '../examples';
import { nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { GUARDED_POD, PUBLIC_INGRESS } from './examples';
import { exposures } from './exposures';

function* check(input: RuleInput): Iterable<Report> {
  for (const { isPublic, isForEveryone, engine, workload, object, wayTo } of exposures(input)) {
    const way = wayTo(`${API_PATH}/chat/completions`) ?? wayTo('/invocations');
    const isOpen = engine.settings?.apiKey.value === false && engine.command.isSet('--middleware') === false;
    if (isPublic === true && isForEveryone && isOpen && way !== undefined) {
      yield {
        ...way,
        what: `${nameOf(object)} lets the whole Internet use ${nameOfWorkload(workload)}, which asks for no key`,
      };
    }
  }
}

export const publicWithoutKey: Rule = {
  id: 'security/public-without-key',
  severity: 'warning',
  title: 'the whole Internet can use an engine that asks for no key',
  why: 'whoever finds the address has your hardware work for him, and your users wait',
  fix:
    'give the engine a key with VLLM_API_KEY from a Secret, let the balancer sign users in, or let in only the networks of those ' +
    'who may call it',
  source: 'vllm/entrypoints: without a key nothing is guarded; requests to 0.32.0',
  get bad() {
    return together(PUBLIC_INGRESS, POD_SERVICE, CPU_POD_BEHIND_BALANCER);
  },
  get good() {
    return together(PUBLIC_INGRESS, POD_SERVICE, GUARDED_POD);
  },
  check,
};
