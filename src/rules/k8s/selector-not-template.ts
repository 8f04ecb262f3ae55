import { get } from '../../manifest/json';
import { labelsOf, matchesSelector } from '../../manifest/selector';
import { CPU_POD, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';

const KINDS = new Set(['Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet']);

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { kind, object, leader } of workloads) {
    const selector = KINDS.has(kind) ? get(object.spec, 'selector') : undefined;
    const template = leader.template;
    if (selector !== undefined && template !== undefined && matchesSelector(selector, labelsOf(template)) === false) {
      yield { object, path: 'spec.selector', what: 'its selector does not match the labels of its own template' };
    }
  }
}

export const selectorNotTemplate: Rule = {
  id: 'k8s/selector-not-template',
  severity: 'error',
  title: 'the selector of a workload does not match its own pods',
  why: 'the API server refuses the workload',
  fix: 'give spec.template.metadata.labels every label of spec.selector',
  source: 'validation of workloads in the Kubernetes API',
  get bad() {
    return edit(CPU_POD, ['matchLabels: { app: small }', 'matchLabels: { app: small, tier: api }']);
  },
  good: CPU_POD,
  check,
};
