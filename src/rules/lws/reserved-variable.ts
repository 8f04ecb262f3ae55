import { CPU_GROUP, edit } from '../examples';
import { eachContainer } from '../k8s/containers';
import type { Report, Rule, RuleInput } from '../rule';

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { workload, container, roles } of eachContainer(workloads)) {
    for (const { name, path, state, text, written } of container.environment.variables) {
      if (state !== 'dropped') {
        continue;
      }
      const given = container.environment.get(name)?.text;
      const isSame = written === undefined || (given !== undefined && text.sameAs(given) === true);
      // A template of both roles may name either's.
      yield {
        object: workload.object,
        path,
        what: `LWS sets ${name} itself and drops this entry${given?.value === undefined ? '' : `: the container gets '${given.value}'`}`,
        ...((isSame || roles > 1) && { severity: 'note' }),
      };
    }
  }
}

export const reservedVariable: Rule = {
  id: 'lws/reserved-variable',
  severity: 'warning',
  title: 'a variable that LWS sets is set to something else',
  why: 'the value is dropped without a word',
  fix: 'take the entry out, or give the variable another name',
  source: 'pkg/utils/pod of sigs.k8s.io/lws',
  get bad() {
    return edit(CPU_GROUP, [
      '              - { name: OMP_NUM_THREADS',
      '              - { name: LWS_GROUP_SIZE, value: "4" }\n              - { name: OMP_NUM_THREADS',
    ]);
  },
  good: CPU_GROUP,
  check,
};
