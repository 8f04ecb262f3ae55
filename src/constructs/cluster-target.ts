import type { IConstruct } from 'constructs';
import { TARGET } from './symbols';

/** Versions of what runs in the cluster beside Kubernetes itself. */
export interface ClusterTargetOptions {
  /**
   * Version of the LeaderWorkerSet controller, for example `0.10.0`.
   * @default - unknown: nothing is judged by it
   */
  readonly lws?: string;

  /**
   * Version of the AWS Load Balancer Controller, for example `3.5.0`: what the printed commands install.
   * @default - the newest
   */
  readonly albController?: string;
}

/**
 * The cluster that an App is meant for. What its LeaderWorkerSet controller cannot do is an error at synth; the other
 * versions are for the commands that `npm run synth` prints.
 *
 * @example
 *   ClusterTarget.eks('1.36', { lws: '0.10.0', albController: '3.5.0' }).applyTo(app);
 */
export class ClusterTarget {
  /**
   * An Amazon EKS cluster.
   * @param kubernetes Kubernetes version, `major.minor`
   */
  public static eks(kubernetes: string, options: ClusterTargetOptions = {}): ClusterTarget {
    return new ClusterTarget(kubernetes, options);
  }

  /**
   * The target that was applied to the App of a construct.
   * @internal
   */
  public static _of(construct: IConstruct): { kubernetes?: string; lws?: string; albController?: string } {
    return (construct.node.root as unknown as { [TARGET]?: ClusterTarget })[TARGET] ?? {};
  }

  /** Kubernetes version, `major.minor`. */
  public readonly kubernetes: string;
  /** Version of the LeaderWorkerSet controller. */
  public readonly lws?: string;
  /** Version of the AWS Load Balancer Controller. */
  public readonly albController?: string;

  private constructor(kubernetes: string, options: ClusterTargetOptions) {
    this.kubernetes = checkVersion('Kubernetes version', kubernetes, /^1\.\d+$/, "'1.36'");
    this.lws = checkOptional('LWS version', options.lws);
    this.albController = checkOptional('version of the AWS Load Balancer Controller', options.albController);
  }

  /**
   * Judge everything in an App against this cluster.
   * @param scope the App, or any construct in it
   * @throws when the App already has another target
   */
  public applyTo(scope: IConstruct): void {
    const root = scope.node.root as unknown as { [TARGET]?: ClusterTarget };
    const other = root[TARGET];
    if (other && !this.equals(other)) {
      throw new Error('the App already has a ClusterTarget; an App is rendered for one cluster: make one App for each');
    }
    root[TARGET] = this;
  }

  private equals(other: ClusterTarget): boolean {
    return this.kubernetes === other.kubernetes && this.lws === other.lws && this.albController === other.albController;
  }
}

function checkVersion(what: string, value: string, form: RegExp, example: string): string {
  if (!form.test(value)) {
    throw new Error(`${what} is '${value}'; it takes a version such as ${example}`);
  }
  return value;
}

function checkOptional(what: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : checkVersion(what, value, /^\d+\.\d+\.\d+$/, "'0.10.0', without a 'v'");
}
