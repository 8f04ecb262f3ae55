import { LWS_NAME_LABEL, LWS_PREFIX } from '../../engine/lws';
import { dig, textMapOf } from '../../manifest/json';
import { labelsOf } from '../../manifest/selector';
import { CPU_POD, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { object, kind, leader } of workloads) {
    const { template, templatePath } = leader;
    if (
      kind !== 'LeaderWorkerSet' &&
      labelsOf(template).has(LWS_NAME_LABEL) &&
      // What LWS made itself, as read back from a cluster, has the annotation.
      !textMapOf(dig(template, 'metadata', 'annotations')).has(`${LWS_PREFIX}size`)
    ) {
      yield {
        object,
        path: `${templatePath === '' ? '' : `${templatePath}.`}metadata.labels`,
        what: `its pods carry the label ${LWS_NAME_LABEL}, and LWS does not make them`,
      };
    }
  }
}

export const nameLabelElsewhere: Rule = {
  id: 'lws/name-label-elsewhere',
  severity: 'error',
  title: 'pods of another kind carry the name label of LWS',
  why: 'the pod webhook of LWS refuses them: the annotation with the size is missing',
  fix: 'take another label',
  source: 'pkg/webhooks of sigs.k8s.io/lws',
  get bad() {
    return edit(CPU_POD, ['labels: { app: small }', `labels: { app: small, ${LWS_NAME_LABEL}: small }`]);
  },
  good: CPU_POD,
  check,
};
