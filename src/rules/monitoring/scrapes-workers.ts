import { podsMatching } from '../../manifest/selected';
import { CPU_GROUP, edit, POD_MONITOR, together } from '../examples';
import { nameOf } from '../finding';
import { isSilent } from '../lws/bond';
import type { Report, Rule, RuleInput } from '../rule';
import { monitorsOf } from './monitors';

function* check(input: RuleInput): Iterable<Report> {
  for (const { object, selector, namespaces, endpoints } of monitorsOf(input, 'PodMonitor')) {
    for (const { workload, pod } of podsMatching(selector, namespaces, input.manifests.workloads)) {
      if (!isSilent(pod)) {
        continue;
      }
      for (const { port, path } of endpoints) {
        // Only a port of the engine is surely shut; one that is not declared is not scraped.
        const isShut = pod.engines.some(({ ports }) => port !== undefined && ports.some(({ name }) => name === port));
        if (isShut) {
          yield {
            object,
            path,
            what: `it scrapes port '${port}' of the workers of ${nameOf(workload.object)}, which serve no metrics`,
          };
        }
      }
    }
  }
}

const GROUP = (): string =>
  edit(CPU_GROUP, [
    '              - --headless\n            env:',
    '              - --headless\n            ports: [{ name: http, containerPort: 8000 }]\n            env:',
  ]);

export const scrapesWorkers: Rule = {
  id: 'monitoring/scrapes-workers',
  severity: 'warning',
  title: 'a monitor scrapes workers, which serve no metrics',
  why: 'the targets are down for ever, and so is every alert on them up',
  fix: 'select the leaders alone: leaderworkerset.sigs.k8s.io/worker-index: "0"',
  source: 'followers of a real engine, which listen on no port for HTTP',
  get bad() {
    return together(GROUP(), edit(POD_MONITOR, ['app: chat, role: leader', 'app: chat']));
  },
  get good() {
    return together(GROUP(), POD_MONITOR);
  },
  check,
};
