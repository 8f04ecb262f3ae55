import { CPU_GROUP, edit } from '../examples';
import { isPlaceholder } from './placeholder';
import type { Report, Rule, RuleInput } from '../rule';
import { eachPod } from './containers';

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { workload, pod } of eachPod(workloads)) {
    for (const { ports } of [...pod.initContainers, ...pod.containers]) {
      const seen = new Set<string>();
      for (const { name, path } of ports) {
        const what = name === undefined || name === '' || isPlaceholder(name) ? undefined : fault(name, seen);
        if (what !== undefined) {
          yield { object: workload.object, path: `${path}.name`, what };
        }
        seen.add(name ?? '');
      }
    }
  }
}

function fault(name: string, seen: ReadonlySet<string>): string | undefined {
  if (name.length > 15) {
    return `the port name '${name}' has ${name.length} characters, and may have 15`;
  }
  return !/^[a-z0-9](-?[a-z0-9])*$/.test(name) || !/[a-z]/.test(name)
    ? `'${name}' is no name of a port`
    : seen.has(name)
      ? `two ports of one container are called '${name}'`
      : undefined;
}

export const portName: Rule = {
  id: 'k8s/port-name',
  severity: 'error',
  title: 'the name of a container port that is none',
  why: 'the API server refuses the pods; of a LeaderWorkerSet it takes the group, and then no pod is made',
  fix: 'take up to 15 small letters, digits and single hyphens, with a letter among them',
  source: 'validation of pods in the Kubernetes API; a group on a real controller',
  get bad() {
    return edit(CPU_GROUP, ['name: http,', 'name: openai-compatible,'], ['port: http', 'port: openai-compatible']);
  },
  good: CPU_GROUP,
  check,
};
