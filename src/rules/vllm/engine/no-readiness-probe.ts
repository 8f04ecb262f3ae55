import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine } from './engines';

const check = eachEngine(function* ({ engine, settings: { headless } }) {
  if (headless.value === false && engine.readinessProbe === undefined) {
    yield { path: `${engine.path}.readinessProbe`, what: 'the server has no readinessProbe' };
  }
});

export const noReadinessProbe: Rule = {
  id: 'vllm/no-readiness-probe',
  severity: 'note',
  title: 'a server without a readiness probe',
  why: 'the pod counts as ready while it loads: requests reach a closed port, and a rollout does not wait for it',
  fix: 'give a readinessProbe on /health',
  source: 'probes in the documentation of Kubernetes',
  get bad() {
    return edit(CPU_POD, ['          readinessProbe: { httpGet: { path: /health, port: http } }\n', '']);
  },
  good: CPU_POD,
  check,
};
