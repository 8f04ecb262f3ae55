import { ApiObject } from 'cdk8s';
import { Construct, type IConstruct, type IValidation } from 'constructs';
import { acceptedFindings } from '../rules/accepted';
import type { KubernetesObject } from '../rules/finding';
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
      // On a construct with a name, which cdk8s puts in front of each message.
      new Construct(root, 'cdk8s-vllm-rules').node.addValidation(new Validator(root));
    }
  }

  private constructor(private readonly root: IConstruct) {}

  public validate(): string[] {
    const constructs = this.root.node.findAll().filter((construct) => ApiObject.isApiObject(construct));
    const paths = new Map(
      constructs.map((construct) => [construct.toJson() as KubernetesObject, construct.node.path] as const),
    );
    return runRules([...paths.keys()], ClusterTarget._of(this.root))
      .filter(({ id, severity, object }) => {
        return severity === 'error' && !acceptedFindings(object.metadata.annotations).has(id);
      })
      .map((finding) => `${paths.get(finding.object)}: ${describe(finding)}`);
  }
}
