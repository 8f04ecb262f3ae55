import { nameOfWorkload } from '../alb/engine-routes';
import { edit, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { GUARDED_POD, PUBLIC_INGRESS } from './examples';
import { exposuresOf } from './exposures';

const VARIABLE = 'VLLM_SERVER_DEV_MODE';

function* check(input: RuleInput): Iterable<Report> {
  for (const { object, pods } of input.manifests.groups) {
    const seen = new Set<string>();
    for (const engine of pods.flatMap(({ engines }) => engines)) {
      const variable = engine.variable(VARIABLE);
      const value = variable?.text.value?.trim() ?? '';
      if (variable === undefined || !/^[1-9]\d*$/.test(value) || seen.has(variable.path)) {
        continue;
      }
      seen.add(variable.path);
      const way = exposuresOf(input, engine).find(({ wayTo }) => wayTo('/collective_rpc') !== undefined);
      yield {
        object,
        path: variable.path,
        what:
          `${VARIABLE} is '${value}'` +
          (way === undefined
            ? ''
            : `, and ${way.object.kind}/${way.object.metadata.name} publishes ${nameOfWorkload(way.workload)}`),
        ...(way === undefined && { severity: 'note' }),
      };
    }
  }
}

export const devMode: Rule = {
  id: 'security/dev-mode',
  severity: 'warning',
  title: 'an engine in development mode is published whole',
  why:
    'it then has paths that no key guards, by which anyone may pause it, put it to sleep, change its weights and call its ' +
    'methods',
  fix: `leave ${VARIABLE} out, or publish the paths that are meant to be used and no others`,
  source: 'vllm/envs.py and the routers below vllm/entrypoints/serve',
  get bad() {
    return together(
      edit(PUBLIC_INGRESS, [
        '          - { path: /v1,',
        '          - { path: /collective_rpc, pathType: Exact, backend: { service: { name: small-api, port: { number: 8000 } } } }\n' +
          '          - { path: /v1,',
      ]),
      POD_SERVICE,
      edit(GUARDED_POD, [
        '            - { name: VLLM_API_KEY,',
        `            - { name: ${VARIABLE}, value: "1" }\n            - { name: VLLM_API_KEY,`,
      ]),
    );
  },
  get good() {
    return together(PUBLIC_INGRESS, POD_SERVICE, GUARDED_POD);
  },
  check,
};
