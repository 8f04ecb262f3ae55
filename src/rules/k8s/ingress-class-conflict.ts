import { compareVersions } from '../../common/versions';
import { CLASS_ANNOTATION as ANNOTATION, readIngress } from '../../manifest/others';
import { CPU_POD_BEHIND_BALANCER, edit, INGRESS, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';

/** First release of Kubernetes that takes both when they are equal. */
const SINCE = '1.27';

function* check({ set, target: { kubernetes } }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('Ingress')) {
    const { className, annotations } = readIngress(object);
    const old = annotations.get(ANNOTATION);
    if (old === undefined || className === undefined) {
      continue;
    }
    const isTooOld = kubernetes !== undefined && compareVersions(kubernetes, SINCE) < 0;
    if (old !== className || isTooOld) {
      yield {
        object,
        path: 'metadata.annotations',
        what:
          old === className
            ? `both the annotation ${ANNOTATION} and ingressClassName are given, for Kubernetes ${kubernetes}`
            : `the annotation ${ANNOTATION} says '${old}', and ingressClassName '${className}'`,
      };
    }
  }
}

const BOTH = (old: string): string =>
  together(
    CPU_POD_BEHIND_BALANCER,
    POD_SERVICE,
    edit(INGRESS, ['  annotations:\n', `  annotations:\n    ${ANNOTATION}: ${old}\n`]),
  );

export const ingressClassConflict: Rule = {
  id: 'k8s/ingress-class-conflict',
  severity: 'error',
  title: 'an Ingress names two classes',
  why: 'the API server refuses a new Ingress whose annotation and ingressClassName differ',
  fix: 'take the annotation out',
  holds: `every Kubernetes; equal values are taken since ${SINCE}`,
  source: 'kubernetes/kubernetes#115447',
  get bad() {
    return BOTH('nginx');
  },
  get good() {
    return BOTH('alb');
  },
  check,
};
