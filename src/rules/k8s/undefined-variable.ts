import { nearestOfFirst } from '../../common/nearest';
import { expand } from '../../manifest/expand';
import type { Workload } from '../../manifest/groups';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { eachContainer, mayBeShell, type PlacedContainer } from './containers';

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const CAPITALS = /^[A-Z_][A-Z0-9_]*$/;
/** What webhooks of a cloud put into pods, behind the container's own: command and args can name them. */
const ADDED_LATER = /^(AWS_|AZURE_|GOOGLE_|TPU_|MEGASCALE_|OTEL_|NVIDIA_)/;
/** Variables of Services, which need not be among the objects. */
const OF_SERVICES = /_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_.*)?)?)$/;

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  const nearest = nearestOfFirst();
  for (const placed of eachContainer(workloads)) {
    let known: Set<string> | undefined;
    for (const { name, path, isLater } of undefinedIn(placed)) {
      known ??= new Set(placed.container.environment.variables.map((variable) => variable.name));
      const meant = isLater ? undefined : nearest(name, known);
      yield {
        object: placed.workload.object,
        path,
        what: isLater ? `$(${name}) is used above its definition` : `$(${name}) is defined nowhere in the container`,
        fix: isLater
          ? `define ${name} above`
          : `define ${name} in env${meant === undefined || meant === name ? '' : `, or write $(${meant})`}`,
      };
    }
  }
}

function* undefinedIn(placed: PlacedContainer): Iterable<{ name: string; path: string; isLater: boolean }> {
  const { workload, pod, container, engine, command, args } = placed;
  const { environment } = container;
  const isShell = mayBeShell(placed);
  const mayBeLater = (name: string): boolean =>
    (pod.enableServiceLinks && OF_SERVICES.test(name)) || isAddedLater(name, workload);
  const words = [...command, ...args].filter(({ text }) => text.includes('$('));
  for (const word of words) {
    for (const name of new Set(expand(word.text, environment.lookUp).unresolved)) {
      // In a shell a small name is a command whose output is meant.
      const isMeant = isShell || engine === undefined ? CAPITALS.test(name) : NAME.test(name);
      if (isMeant && !mayBeLater(name)) {
        yield { name, path: word.path, isLater: false };
      }
    }
  }
  const defined = new Set(environment.variables.map(({ name }) => name));
  for (const { unresolved, path: at, state, origin } of environment.variables) {
    for (const name of new Set(state === 'used' && origin === 'container' ? unresolved : [])) {
      if (CAPITALS.test(name) && !mayBeLater(name)) {
        yield { name, path: at, isLater: defined.has(name) };
      }
    }
  }
}

function isAddedLater(name: string, { kind }: Workload): boolean {
  return ADDED_LATER.test(name) || ((kind === 'Job' || kind === 'CronJob') && name === 'JOB_COMPLETION_INDEX');
}

export const undefinedVariable: Rule = {
  id: 'k8s/undefined-variable',
  severity: 'error',
  title: 'a reference to a variable that is not defined',
  why: 'Kubernetes leaves it as text, so the program gets the name in place of a value',
  fix: 'define it in env',
  source: 'variable expansion of Kubernetes',
  get bad() {
    return edit(CPU_GROUP, ['--master-addr=$(LWS_LEADER_ADDRESS)', '--master-addr=$(LEADER_ADDRESS)']);
  },
  good: CPU_GROUP,
  check,
};
