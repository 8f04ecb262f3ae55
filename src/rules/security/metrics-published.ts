import { API_PATH, METRICS_PATH } from '../../engine/server';
import { nameOfWorkload } from '../alb/engine-routes';
import { edit, POD_SERVICE, together } from '../examples';
import { nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { GUARDED_POD, PUBLIC_INGRESS } from './examples';
import { exposures } from './exposures';

function* check(input: RuleInput): Iterable<Report> {
  for (const { isPublic, isForEveryone, workload, object, wayTo } of exposures(input)) {
    const way = wayTo(METRICS_PATH);
    // Where more than the metrics is open, that is the finding.
    if (isPublic === true && isForEveryone && way !== undefined && wayTo('/invocations') === undefined) {
      yield {
        ...way,
        what: `${nameOf(object)} publishes ${METRICS_PATH} of ${nameOfWorkload(workload)} to the Internet`,
      };
    }
  }
}

export const metricsPublished: Rule = {
  id: 'security/metrics-published',
  severity: 'warning',
  title: 'the metrics of an engine are published to the Internet',
  why: 'the API key does not guard them: anyone reads which model it is, its version, its load and how much of it is used',
  fix: `route ${API_PATH} alone to the engine; Prometheus reads the pods within the cluster`,
  source: 'vllm/entrypoints: no release guards /metrics',
  get bad() {
    return together(
      edit(PUBLIC_INGRESS, [
        '          - { path: /v1,',
        '          - { path: /metrics, pathType: Exact, backend: { service: { name: small-api, port: { number: 8000 } } } }\n' +
          '          - { path: /v1,',
      ]),
      POD_SERVICE,
      GUARDED_POD,
    );
  },
  get good() {
    return together(PUBLIC_INGRESS, POD_SERVICE, GUARDED_POD);
  },
  check,
};
