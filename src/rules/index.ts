import { ALB_RULES } from './alb';
import { type Finding, type KubernetesObject, nameOf, type TargetVersions } from './finding';
import { K8S_RULES } from './k8s';
import { LWS_RULES } from './lws';
import { MONITORING_RULES } from './monitoring';
import { type Rule, RuleInput } from './rule';
import { SECURITY_RULES } from './security';
import { VLLM_RULES } from './vllm';

/** Every rule, group by group. */
export const RULES: readonly Rule[] = [
  ...ALB_RULES,
  ...K8S_RULES,
  ...LWS_RULES,
  ...MONITORING_RULES,
  ...SECURITY_RULES,
  ...VLLM_RULES,
];

/** Runs rules over the objects of one App or of one bundle. */
export function runRules(
  objects: readonly KubernetesObject[],
  target: TargetVersions = {},
  rules: readonly Rule[] = RULES,
  originOf?: RuleInput['originOf'],
): Finding[] {
  const input = new RuleInput(objects, target, originOf);
  return rules.flatMap(({ id, severity, why, fix, source, check }) =>
    [...check(input)].map((report): Finding => ({ id, severity, why, fix, source, ...report })),
  );
}

/** One line for a person: what is wrong, why it matters, what to do. */
export function describe(finding: Finding): string {
  return `${nameOf(finding.object)} ${finding.path}: ${finding.what}; ${finding.why}; ${finding.fix} (${finding.id})`;
}
