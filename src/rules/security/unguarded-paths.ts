import { guardedPrefixes, openPaths } from '../../engine/paths';
import { API_PATH } from '../../engine/server';
import { nameOfWorkload } from '../alb/engine-routes';
import { edit, POD_SERVICE, together } from '../examples';
import { nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { GUARDED_POD, PUBLIC_INGRESS } from './examples';
import { exposures } from './exposures';

function* check(input: RuleInput): Iterable<Report> {
  for (const { isPublic, engine, workload, object, wayTo } of exposures(input)) {
    const { command, settings } = engine;
    if (settings?.apiKey.value !== true || command.isSet('--middleware') !== false) {
      continue;
    }
    const open = openPaths(command.release).find(
      ({ path, isHarmful, when }) => isHarmful && when === 'always' && wayTo(path) !== undefined,
    );
    if (open !== undefined) {
      yield {
        ...wayTo(open.path)!,
        what:
          `${nameOf(object)} publishes ${open.path} of ${nameOfWorkload(workload)}, which gives ${open.gives}, without a key; ` +
          `the API key guards ${guardedPrefixes(command.release).join(', ')} alone`,
        // Behind an internal balancer it may be meant so.
        ...(isPublic !== true && { severity: 'note' }),
      };
    }
  }
}

export const unguardedPaths: Rule = {
  id: 'security/unguarded-paths',
  severity: 'warning',
  title: 'an engine is published whole, and its API key guards a part of it',
  why: 'anyone who reaches the balancer generates text without the key, and reads the metrics too',
  fix: `route ${API_PATH} alone to the engine, or let the balancer sign users in`,
  source: 'the authentication middleware of vllm/entrypoints; requests without a key to 0.32.0',
  get bad() {
    return together(edit(PUBLIC_INGRESS, ['path: /v1,', 'path: /,']), POD_SERVICE, GUARDED_POD);
  },
  get good() {
    return together(PUBLIC_INGRESS, POD_SERVICE, GUARDED_POD);
  },
  check,
};
