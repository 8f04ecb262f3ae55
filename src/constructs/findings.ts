import { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { acceptAnnotation } from '../rules/accepted';
import { checkFindingId } from '../rules/ids';

/** What the rules find at synth, and what of it you accept. */
export class Findings {
  /**
   * Accept a finding on the object of a construct, with your reason. It is written as an annotation, so that everyone
   * who reads the manifest sees both, and it no longer stops the synthesis. The error or the summary of a synthesis says
   * the name of each.
   *
   * @example
   *   Findings.accept(group, 'fit/split-not-needed', 'the split itself is what this deployment shows');
   *
   * @param construct a construct that holds an API object
   * @param id name of the finding, `group/name`
   * @param reason why it is right here; at least a few words
   */
  public static accept(construct: IConstruct, id: string, reason: string): void {
    const object = ApiObject.isApiObject(construct) ? construct : construct.node.defaultChild;
    if (!object || !ApiObject.isApiObject(object)) {
      throw new Error(`${construct.node.path || 'the App'} has no API object of its own to accept '${id}' on`);
    }
    if (reason.trim().length < 10) {
      throw new Error(`reason for accepting '${id}' is '${reason}'; write a few words for the one who reads it later`);
    }
    object.metadata.addAnnotation(acceptAnnotation(checkFindingId(id)), reason);
  }

  private constructor() {}
}
