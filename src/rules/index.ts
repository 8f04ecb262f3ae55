import { duplicateEnv } from './duplicate-env';
import { duplicateName } from './duplicate-name';
import { type Finding, type KubernetesObject, nameOf, ObjectSet, type Rule, type TargetVersions } from './finding';
import { lwsVersion } from './lws-version';
import { serviceNameCollision } from './service-name-collision';
import { statefulSetNameCollision } from './statefulset-name-collision';

const RULES: readonly Rule[] = [
  duplicateName,
  duplicateEnv,
  serviceNameCollision,
  statefulSetNameCollision,
  lwsVersion,
];

/** Runs every rule over the objects of one App. */
export function runRules(objects: readonly KubernetesObject[], target: TargetVersions = {}): Finding[] {
  const set = new ObjectSet(objects);
  return RULES.flatMap((rule) => [...rule(set, target)]);
}

/** One line for a person: what is wrong, why it matters, what to do. */
export function describe(finding: Finding): string {
  return `${nameOf(finding.object)} ${finding.path}: ${finding.what}; ${finding.why}; ${finding.fix} (${finding.id})`;
}
