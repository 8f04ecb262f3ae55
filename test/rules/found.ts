import { runRules } from '../../src/rules/index';
import type { TargetVersions } from '../../src/rules/finding';
import { objectsOf } from './manifests';

/** What the rules of a group find in a manifest: `severity id Kind/name path`. */
export function foundBy(group: string, yaml: string, target?: TargetVersions): string[] {
  return runRules(objectsOf(yaml), target)
    .filter(({ id }) => id.startsWith(`${group}/`))
    .map(({ severity, id, object, path }) => `${severity} ${id} ${object.kind}/${object.metadata.name} ${path}`);
}
