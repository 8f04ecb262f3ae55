import type { Size } from 'cdk8s';
import { checkDnsSubdomain, checkLabelValue, checkQualifiedName } from '../common/names';
import { quantityOf } from '../common/numbers';

/** Number format of weights and activations: vLLM's `--dtype`. */
export enum DType {
  /** 16 bits with the range of float32. Needs bf16 instructions to be fast: Graviton 3, Sapphire Rapids. */
  BFLOAT16 = 'bfloat16',
  /** 16 bits with more precision and less range. Unstable on CPU; refused for Gemma 3. */
  FLOAT16 = 'float16',
  /** 32 bits: twice the memory and half the speed. */
  FLOAT32 = 'float32',
}

/** How vLLM compiles the model on CPU: `-cc.mode` and `-cc.backend`. */
export enum Compilation {
  /** Trace the model, generate no code. Starts fast and works on arm64, where the generated code crashed the compiler. */
  EAGER = 'eager',
  /** Trace the model and generate C++ for it. Faster where it works; the start takes longer. */
  INDUCTOR = 'inductor',
}

/** Whether vLLM may bind its memory to the NUMA node of its threads. */
export enum NumaPolicy {
  /**
   * Bind. The seccomp profile of the container runtime only allows the calls to pods with SYS_NICE, and that
   * capability breaks the Pod Security level `baseline`: the namespace is labelled `privileged`.
   */
  BIND = 'bind',
  /** Leave the placement to the kernel. The namespace is labelled `baseline`. */
  NONE = 'none',
}

/** Who owns the Namespace object. */
export enum NamespacePolicy {
  /** The bundle holds it, with the Pod Security level that its pods need. */
  CREATE = 'create',
  /** It exists; the bundle does not touch it. */
  EXISTING = 'existing',
}

/** What kind of EC2 capacity the pods may run on, by the label of EKS managed node groups. */
export enum CapacityType {
  /** Paid by the second, not interrupted. */
  ON_DEMAND = 'ON_DEMAND',
  /** Cheaper, and interrupted with two minutes' notice: each interruption restarts a whole group. */
  SPOT = 'SPOT',
}

/** Strictest first. */
export enum PodSecurityLevel {
  /** Hardened pods only. */
  RESTRICTED = 'restricted',
  /** No known ways to gain privileges. */
  BASELINE = 'baseline',
  /** Everything. */
  PRIVILEGED = 'privileged',
}

/** What a taint does to pods that do not accept it. */
export enum TaintEffect {
  /** New pods stay away. */
  NO_SCHEDULE = 'NoSchedule',
  /** New pods go elsewhere when they can. */
  PREFER_NO_SCHEDULE = 'PreferNoSchedule',
  /** Running pods are evicted as well. */
  NO_EXECUTE = 'NoExecute',
}

/**
 * A taint that the pods accept.
 *
 * @example
 *   Toleration.equal('dedicated', 'llm', TaintEffect.NO_SCHEDULE);
 *   Toleration.exists('dedicated');
 */
export class Toleration {
  /**
   * Accept a taint of this key and value.
   * @param effect default: every effect
   */
  public static equal(key: string, value: string, effect?: TaintEffect): Toleration {
    return new Toleration(key, value, effect);
  }

  /**
   * Accept a taint of this key, whatever its value.
   * @param effect default: every effect
   */
  public static exists(key: string, effect?: TaintEffect): Toleration {
    return new Toleration(key, undefined, effect);
  }

  /** Key of the taint. */
  public readonly key: string;
  /** Value of the taint; none accepts every value. */
  public readonly value?: string;
  /** Effect of the taint; none accepts every effect. */
  public readonly effect?: TaintEffect;

  private constructor(key: string, value?: string, effect?: TaintEffect) {
    this.key = checkQualifiedName('key of the taint', key);
    this.value = value === undefined ? undefined : checkLabelValue('value of the taint', value);
    this.effect = effect;
  }

  /** @internal */
  public _render(): { key: string; operator: string; value?: string; effect?: string } {
    const { key, value, effect } = this;
    return value === undefined ? { key, operator: 'Exists', effect } : { key, operator: 'Equal', value, effect };
  }
}

/**
 * Where a rank keeps the weights it downloads.
 *
 * @example
 *   WeightsCache.emptyDir();                              // downloaded at every start
 *   WeightsCache.persistentVolumeClaim('gemma-weights');  // shared: needs ReadWriteMany
 *   WeightsCache.hostPath('/mnt/models');                 // stays on the node
 */
export class WeightsCache {
  /**
   * Storage of the pod: downloaded again at every start.
   * @param sizeLimit upper bound; default: the pod's ephemeral storage
   */
  public static emptyDir(sizeLimit?: Size): WeightsCache {
    return new WeightsCache(
      { emptyDir: sizeLimit ? { sizeLimit: quantityOf(sizeLimit) } : {} },
      true,
      false,
      sizeLimit,
    );
  }

  /**
   * A claim that exists in the namespace. All ranks mount the same one, on different nodes: it has to allow
   * ReadWriteMany (EFS, FSx).
   */
  public static persistentVolumeClaim(claimName: string): WeightsCache {
    checkDnsSubdomain('name of the PersistentVolumeClaim', claimName);
    return new WeightsCache({ persistentVolumeClaim: { claimName } }, false, false);
  }

  /**
   * A folder of the node. Survives restarts of the group on the same nodes. Breaks the Pod Security level `baseline`.
   * @param path absolute path on the node; made when it is missing
   */
  public static hostPath(path: string): WeightsCache {
    if (!path.startsWith('/') || path.split('/').includes('..')) {
      throw new Error(`hostPath is '${path}'; it takes an absolute path without '..'`);
    }
    return new WeightsCache({ hostPath: { path, type: 'DirectoryOrCreate' } }, false, true);
  }

  /** @internal */
  public readonly _source: object;
  /** Whether the weights are gone when the pod is. */
  public readonly isInsidePod: boolean;
  /** Whether the volume is a folder of the node. */
  public readonly isOnNode: boolean;
  /** Upper bound of the volume, when it has one. */
  public readonly sizeLimit?: Size;

  private constructor(source: object, isInsidePod: boolean, isOnNode: boolean, sizeLimit?: Size) {
    this._source = source;
    this.isInsidePod = isInsidePod;
    this.isOnNode = isOnNode;
    this.sizeLimit = sizeLimit;
  }
}
