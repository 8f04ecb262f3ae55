import { parseQuantity } from '../../manifest/quantity';
import { dig, get, mapOf } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { eachContainer } from './containers';

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { workload, container } of eachContainer(workloads)) {
    const { raw, resources } = container;
    for (const [name, written] of Object.entries(mapOf(dig(raw, 'resources', 'requests')) ?? {})) {
      const request = parseQuantity(written);
      const limit = resources.limits.get(name);
      const isDevice = name.includes('/') && !name.startsWith('kubernetes.io/');
      if (request === undefined) {
        continue;
      }
      const what =
        limit === undefined
          ? isDevice && request.value > 0 && isLimitless(raw)
            ? `the request for ${name} has no limit`
            : undefined
          : request.millis > limit.millis
            ? `the request for ${name} is ${request.text}, and the limit ${limit.text}`
            : isDevice && request.millis !== limit.millis
              ? `the request for ${name} is ${request.text}, and the limit ${limit.text}; of devices both have to be the same`
              : undefined;
      if (what !== undefined) {
        yield { object: workload.object, path: `${resources.path}.requests.${name}`, what };
      }
    }
  }
}

/** Whether the limits are all there to be seen; a merge key or a template may hide some. */
function isLimitless(raw: unknown): boolean {
  const limits = get(get(raw, 'resources'), 'limits');
  return limits === undefined || limits === null || mapOf(limits) !== undefined;
}

export const requestOverLimit: Rule = {
  id: 'k8s/request-over-limit',
  severity: 'error',
  title: 'a container requests more than its limit',
  why: 'the API server refuses the pods; of a LeaderWorkerSet it takes the group, and then no pod is made',
  fix: 'raise the limit, or lower the request',
  source: 'validation of pods in the Kubernetes API; a group on a real controller',
  get bad() {
    return edit(CPU_GROUP, ['requests: { cpu: "14", memory: 40Gi }', 'requests: { cpu: "15", memory: 40Gi }']);
  },
  good: CPU_GROUP,
  check,
};
