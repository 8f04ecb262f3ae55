import { planBalancer } from '../balancer/plan';
import type { BalancerPlan } from '../balancer/types';
import type { KubernetesObject } from '../manifest/object';
import { type Reading, readGroups } from '../manifest/groups';
import { hasClassConflict } from '../manifest/others';
import { ObjectSet, type Severity, type TargetVersions } from './finding';

/** What a rule finds at one place. What it leaves out is said by the rule. */
export interface Report {
  readonly object: KubernetesObject;
  /** JSON path within the object; for something that is missing, the place where it belongs or its nearest parent. */
  readonly path: string;
  /** What is wrong, with the value got and what is allowed. */
  readonly what: string;
  readonly why?: string;
  readonly fix?: string;
  /** Weaker than the rule where something is not known: an image without a release gives notes. */
  readonly severity?: Severity;
}

/** One rule: its own file, its test and its page of docs/rules are made from it. */
export interface Rule {
  /** Stable name: `group/name`. */
  readonly id: string;
  /** `error`: will be refused or cannot work; `warning`: works until the stated day; `note`: worth knowing. */
  readonly severity: Severity;
  /** What it finds, in a line. */
  readonly title: string;
  /** What comes of it. */
  readonly why: string;
  /** What to do. */
  readonly fix: string;
  /** Releases that it holds for, in words: `vLLM 0.27.1 and newer`; all when left out. */
  readonly holds?: string;
  /** Where it is known from. */
  readonly source: string;
  /** A manifest that it finds at fault, and that no other rule does. */
  readonly bad: string;
  /** The cluster that the bad manifest is meant for, where that is what is wrong. */
  readonly badTarget?: TargetVersions;
  /** The same, put right. */
  readonly good: string;
  readonly check: (input: RuleInput) => Iterable<Report>;
}

/** Where an object was read. */
export interface Origin {
  /** The folder of the file: what is applied together most often stands in one. None of the standard input. */
  readonly folder: string | undefined;
  /** For a person: `base/deployment.yaml:12`. */
  readonly place: string;
}

/** All that rules see: the objects, and what was read out of them, once for all rules and only when one asks. */
export class RuleInput {
  public readonly set: ObjectSet;
  private reading: Reading | undefined;
  private plans: readonly BalancerPlan[] | undefined;

  public constructor(
    objects: readonly KubernetesObject[],
    /** What the cluster is that the objects are meant for; what is not known is not judged. */
    public readonly target: TargetVersions = {},
    /** Where an object was read; nothing for one that a program made. */
    public readonly originOf: (object: KubernetesObject) => Origin | undefined = () => undefined,
  ) {
    this.set = new ObjectSet(objects);
  }

  /** The objects with a name. */
  public get objects(): readonly KubernetesObject[] {
    return this.set.objects;
  }

  /** The deployments of vLLM, every workload, and what could not be read of them. */
  public get manifests(): Reading {
    return (this.reading ??= readGroups(this.objects));
  }

  /** What the load balancer controller makes of the Ingresses. */
  public get balancers(): readonly BalancerPlan[] {
    // An Ingress that the API server refuses never gets there.
    const objects = this.objects.filter((object) => object.kind !== 'Ingress' || !hasClassConflict(object));
    return (this.plans ??= planBalancer(objects));
  }
}
