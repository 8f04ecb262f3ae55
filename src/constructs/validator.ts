import { ApiObject } from 'cdk8s';
import type { Construct, IValidation } from 'constructs';
import { acceptedFindings } from '../rules/accepted';
import { type KubernetesObject, nameOf } from '../rules/finding';
import { describe, runRules } from '../rules/index';
import { ClusterTarget } from './cluster-target';

const WATCHED = Symbol.for('cdk8s-vllm.validator');

/**
 * Runs the rules once for a whole App, however many groups it holds: rules compare objects with each other, and
 * cdk8s calls the validations of each construct once for each chart.
 */
export class Validator implements IValidation {
  /** Makes sure that the App of a construct is checked when it is synthesized. */
  public static watch(scope: Construct): void {
    const { root } = scope.node;
    if (!(WATCHED in root)) {
      Object.defineProperty(root, WATCHED, { value: true });
      // The root is a construct too: its type in `node.root` is only narrower.
      (root as Construct).node.addValidation(new Validator(root));
    }
  }

  private constructor(private readonly root: Construct) {}

  public validate(): string[] {
    const constructs = this.root.node.findAll().filter((construct) => ApiObject.isApiObject(construct));
    const objects = constructs.map((construct) => construct.toJson() as KubernetesObject);
    const paths = new Map(objects.map((object, index) => [nameOf(object), constructs[index]!.node.path]));
    const accepted = new Map(objects.map((object) => [nameOf(object), acceptedFindings(object.metadata.annotations)]));
    return runRules(objects, ClusterTarget._of(this.root))
      .filter((finding) => finding.severity === 'error' && !accepted.get(finding.object)?.has(finding.id))
      .map((finding) => `${paths.get(finding.object)}: ${describe(finding)}`);
  }
}
