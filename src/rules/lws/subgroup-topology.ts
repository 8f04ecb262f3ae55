import { LWS_PREFIX } from '../../engine/lws';
import { dig, textMapOf } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';

const ANNOTATION = `${LWS_PREFIX}subgroup-exclusive-topology`;
const GROUP = (): string =>
  edit(CPU_GROUP, [
    'name: chat, namespace: serving }',
    `name: chat, namespace: serving, annotations: { ${ANNOTATION}: topology.kubernetes.io/zone } }`,
  ]);

function* check({ set }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    const policy = dig(object, 'spec', 'leaderWorkerTemplate', 'subGroupPolicy') ?? undefined;
    if (policy === undefined && textMapOf(object.metadata.annotations).has(ANNOTATION)) {
      yield {
        object,
        path: 'metadata.annotations',
        what: `the annotation ${ANNOTATION} is set, and subGroupPolicy is not`,
      };
    }
  }
}

export const subgroupTopology: Rule = {
  id: 'lws/subgroup-topology',
  severity: 'error',
  title: 'a topology for subgroups, without subgroups',
  why: 'the webhook of LWS refuses the LeaderWorkerSet',
  fix: 'add subGroupPolicy with a subGroupSize, or take exclusive-topology for whole groups',
  source: 'pkg/webhooks of sigs.k8s.io/lws',
  get bad() {
    return GROUP();
  },
  get good() {
    return edit(GROUP(), ['    size: 2\n', '    size: 2\n    subGroupPolicy: { subGroupSize: 2 }\n']);
  },
  check,
};
