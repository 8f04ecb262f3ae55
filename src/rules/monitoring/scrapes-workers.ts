import { Answers } from '../../common/memo';
import { podsMatching, type SelectedPod } from '../../manifest/selected';
import { CPU_GROUP, edit, POD_MONITOR, together } from '../examples';
import { nameOf } from '../finding';
import { isSilent } from '../lws/bond';
import type { Report, Rule, RuleInput } from '../rule';
import { listed } from '../words';
import { monitorsOf } from './monitors';

function* check(input: RuleInput): Iterable<Report> {
  for (const { object, selector, namespaces, endpoints } of monitorsOf(input, 'PodMonitor')) {
    const pods = podsMatching(selector, namespaces, input.manifests.workloads);
    for (const { port, path } of endpoints) {
      const names = port === undefined ? '' : shutOf.of(pods, port, () => shut(pods, port));
      if (names !== '') {
        yield { object, path, what: `it scrapes port '${port}' of the workers of ${names}, which serve no metrics` };
      }
    }
  }
}

/** Monitors that select the same pods get the same answers. */
const shutOf = new Answers<readonly SelectedPod[], string>();

/** The groups whose workers do not listen on a port: one of the engine is surely shut; one that is not declared is not scraped. */
function shut(pods: readonly SelectedPod[], port: string): string {
  const groups = pods.filter(
    ({ pod }) => isSilent(pod) && pod.engines.some(({ ports }) => ports.some(({ name }) => name === port)),
  );
  return listed(new Set(groups.map(({ workload }) => nameOf(workload.object))));
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
