import { ApiObject } from 'cdk8s';
import { Construct, type IConstruct, type IValidation } from 'constructs';
import { printable } from '../common/printable';
import { acceptedFindings } from '../rules/accepted';
import type { KubernetesObject } from '../rules/finding';
import { describe, runRules } from '../rules/index';
import { ClusterTarget } from './cluster-target';
import { lostText } from './unquoted';

const WATCHED = Symbol.for('cdk8s-vllm.validator');

interface Synthesizer {
  synth?: () => void;
  synthYaml?: () => unknown;
}

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
      const validator = new Validator(root);
      // On a construct with a name, which cdk8s puts in front of each message.
      new Construct(root, 'cdk8s-vllm-rules').node.addValidation(validator);
      validator.checkOncePerSynth(root as Synthesizer);
    }
  }

  /** What the rules said in the synthesis that is going on. */
  private said: string[] | undefined;
  private depth = 0;

  private constructor(private readonly root: IConstruct) {}

  public validate(): string[] {
    if (this.depth === 0) {
      return this.check();
    }
    return (this.said ??= this.check());
  }

  /**
   * A synthesis validates the App once, and then once more for each of its charts, while nothing changes in between.
   * Knowing where it begins and ends keeps an App of many charts from being read as many times over.
   */
  private checkOncePerSynth(app: Synthesizer): void {
    for (const method of ['synth', 'synthYaml'] as const) {
      const original = app[method]?.bind(app);
      const own = Object.getOwnPropertyDescriptor(app, method);
      // Another language's App may define it for good; its rules then run once for each chart.
      if (original && (own === undefined || own.configurable)) {
        const once = (): unknown => {
          this.depth++;
          try {
            return original();
          } finally {
            this.depth--;
            this.said = undefined;
          }
        };
        Object.defineProperty(app, method, { value: once, enumerable: false, configurable: true, writable: true });
      }
    }
  }

  private check(): string[] {
    const constructs = this.root.node.findAll().filter((construct) => ApiObject.isApiObject(construct));
    const paths = new Map(
      constructs.map((construct) => [construct.toJson() as KubernetesObject, construct.node.path] as const),
    );
    const lost = [...paths].flatMap(([object, path]) => {
      const found = lostText(object);
      return found === undefined
        ? []
        : [
            `${path}: ${found.path} is the text '${printable(found.text, 40)}', which cdk8s writes without quotes, and kubectl ` +
              'reads as a number: take another text',
          ];
    });
    const found = runRules([...paths.keys()], ClusterTarget._of(this.root))
      .filter(({ id, severity, object }) => {
        return severity === 'error' && !acceptedFindings(object.metadata.annotations).has(id);
      })
      .map((finding) => `${paths.get(finding.object)}: ${describe(finding)}`);
    return [...lost, ...found];
  }
}
