import { DEFAULT_CLASS } from '../balancer/classes';
import { checkDnsSubdomain } from '../common/names';

/**
 * The IngressClass that an Ingress belongs to.
 *
 * @example
 *   AlbIngressClass.existing();            // 'alb', which the controller's chart makes
 *   AlbIngressClass.create('vllm-alb');    // a class of its own, with its settings beyond the reach of annotations
 */
export class AlbIngressClass {
  /**
   * A class that is there.
   * @param name default: `alb`
   */
  public static existing(name: string = DEFAULT_CLASS): AlbIngressClass {
    return new AlbIngressClass(name, false);
  }

  /**
   * A class that the bundle owns, with IngressClassParams that fix the scheme, the allowed clients and the
   * certificates: they win over the annotations of every Ingress of the class.
   */
  public static create(name: string): AlbIngressClass {
    return new AlbIngressClass(name, true);
  }

  /** Name of the class. */
  public readonly className: string;
  /** Whether the bundle holds the class and its parameters. */
  public readonly isOwned: boolean;

  private constructor(className: string, isOwned: boolean) {
    this.className = checkDnsSubdomain('name of the IngressClass', className);
    this.isOwned = isOwned;
  }
}
