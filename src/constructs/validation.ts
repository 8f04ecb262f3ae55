import { acceptedFindings } from '../rules/accepted';
import { checkFindingId } from '../rules/ids';
import { type Finding, nameOf, type Severity } from '../rules/finding';
import type { KubernetesObject } from '../manifest/object';
import { RULES, runRules } from '../rules/index';

/** Properties of VllmValidation, as `properties` in cdk8s.yaml. */
export interface VllmValidationProps {
  /**
   * What makes the synthesis fail: `error`, or `warning` for warnings too.
   * @default 'error'
   */
  readonly failOn?: string;

  /**
   * Names of findings that are not to be reported on any object, `group/name`.
   * @default - all are reported
   */
  readonly ignore?: string[];

  /**
   * Kubernetes version of the cluster, `major.minor`.
   * @default - unknown: nothing is judged by it
   */
  readonly kubernetes?: string;

  /**
   * Version of the LeaderWorkerSet controller in the cluster, for example `0.10.0`.
   * @default - unknown: nothing is judged by it
   */
  readonly lws?: string;
}

/** What is used of the context that cdk8s-cli hands over; its own type would make it a dependency of the library. */
interface Context {
  readonly manifests: readonly string[];
  readonly parseManifest: (path: string) => unknown[];
  readonly report: {
    readonly addViolation: (violation: {
      ruleName: string;
      recommendation: string;
      fix: string;
      violatingResources: { resourceName: string; locations: string[]; manifestPath: string }[];
    }) => void;
    readonly submit: (status: 'success' | 'failure', metadata: Record<string, string>) => void;
  };
}

const PROPS: readonly (keyof VllmValidationProps)[] = ['failOn', 'ignore', 'kubernetes', 'lws'];

/**
 * The rules as a plugin of `cdk8s synth`: it looks at all that an App renders, also where no construct of this library
 * takes part, and shows warnings, which do not stop a synthesis by themselves. Name it in cdk8s.yaml:
 *
 * ```yaml
 * validations:
 *   - package: ./node_modules/cdk8s-vllm
 *     version: 0.1.0
 *     class: VllmValidation
 *     properties: { failOn: warning, lws: 0.10.0 }
 * ```
 *
 * Each finding says the rule, the object, the place in it and the path of the construct. cdk8s keeps one path for all objects
 * of one name, whatever their kind. What is accepted with `Findings.accept` is counted and not reported.
 *
 * @example
 *   // cdk8s-cli makes one for each synthesis, from cdk8s.yaml; a program of your own may as well
 *   const validation = new VllmValidation({ failOn: 'warning' });
 */
export class VllmValidation {
  private readonly failOn: Severity;
  private readonly ignored: ReadonlySet<string>;
  private readonly target: { kubernetes?: string; lws?: string };

  public constructor(props: VllmValidationProps = {}) {
    const unknown = Object.keys(props).find((name) => !(PROPS as readonly string[]).includes(name));
    if (unknown !== undefined) {
      throw new Error(`VllmValidation has no property '${unknown}'; it takes ${PROPS.join(', ')}`);
    }
    const { failOn = 'error', ignore = [], kubernetes, lws } = props;
    if (failOn !== 'error' && failOn !== 'warning') {
      throw new Error(`failOn is '${failOn}'; it takes 'error' or 'warning'`);
    }
    if (!Array.isArray(ignore)) {
      throw new Error('ignore is no list; it takes names of findings, such as [alb/idle-timeout]');
    }
    this.failOn = failOn;
    this.ignored = new Set(ignore.map(checkFindingId));
    this.target = {
      ...versionOf('kubernetes', kubernetes, /^1\.\d+$/, "'1.36'"),
      ...versionOf('lws', lws, /^\d+\.\d+\.\d+$/, "'0.10.0'"),
    };
  }

  /**
   * Run the rules over the manifests of a synthesis; cdk8s-cli calls it.
   * @param context the ValidationContext of cdk8s-cli
   */
  public async validate(context: unknown): Promise<void> {
    const { manifests, parseManifest, report } = contextOf(context);
    const files = new Map<KubernetesObject, string>();
    for (const manifest of manifests) {
      for (const object of parseManifest.call(context, manifest)) {
        if (typeof object === 'object' && object !== null) {
          files.set(object as KubernetesObject, manifest);
        }
      }
    }
    const found = runRules([...files.keys()], this.target).filter(
      ({ id, severity }) => severity !== 'note' && !this.ignored.has(id),
    );
    const open = found.filter(({ id, object }) => !acceptedFindings(object.metadata.annotations).has(id));
    for (const finding of open) {
      report.addViolation(violationOf(finding, files.get(finding.object)!));
    }
    const count = (severity: Severity): number => open.filter((finding) => finding.severity === severity).length;
    const fails = this.failOn === 'warning' ? open.length > 0 : count('error') > 0;
    report.submit(fails ? 'failure' : 'success', {
      Rules: String(RULES.length),
      Errors: String(count('error')),
      Warnings: String(count('warning')),
      Accepted: String(found.length - open.length),
    });
    return Promise.resolve();
  }
}

function violationOf(finding: Finding, manifestPath: string) {
  const { id, severity, object, path, what, why, fix, source } = finding;
  return {
    ruleName: id,
    recommendation: `${severity}: ${what}; ${why}`,
    fix: `${fix} (${source})`,
    violatingResources: [
      { resourceName: object.metadata.name, locations: [`${nameOf(object)} ${path}`], manifestPath },
    ],
  };
}

function contextOf(context: unknown): Context {
  const { manifests, parseManifest, report } = (context ?? {}) as Partial<Context>;
  if (!Array.isArray(manifests) || typeof parseManifest !== 'function' || typeof report?.submit !== 'function') {
    throw new Error('validate takes the ValidationContext that cdk8s-cli makes; name VllmValidation in cdk8s.yaml');
  }
  return { manifests: manifests as string[], parseManifest, report };
}

function versionOf<Name extends 'kubernetes' | 'lws'>(
  name: Name,
  value: string | undefined,
  form: RegExp,
  example: string,
): Partial<Record<Name, string>> {
  if (value === undefined) {
    return {};
  }
  // A version such as 1.36 is a number to YAML unless it is quoted.
  if (typeof value !== 'string' || !form.test(value)) {
    throw new Error(`${name} is ${JSON.stringify(value)}; it takes a version such as ${example}, in quotes`);
  }
  return { [name]: value } as Record<Name, string>;
}
