/**
 * An amount of CPU time, as Kubernetes counts it.
 *
 * @example
 *   Cpu.units(6);     // six whole cores: '6'
 *   Cpu.millis(500);  // half a core: '500m'
 */
export class Cpu {
  /**
   * Define an amount in cores.
   * @param amount cores; fractions down to a thousandth are taken
   */
  public static units(amount: number): Cpu {
    return new Cpu(Math.round(amount * 1e9) / 1e6);
  }

  /**
   * Define an amount in thousandths of a core.
   * @param amount whole thousandths, 1 or more
   */
  public static millis(amount: number): Cpu {
    return new Cpu(amount);
  }

  /** Thousandths of a core. */
  public readonly millicores: number;

  private constructor(millicores: number) {
    if (!Number.isSafeInteger(millicores) || millicores < 1) {
      throw new Error(`cpu is ${millicores / 1000}; it takes 0.001 cores or more, in whole thousandths`);
    }
    this.millicores = millicores;
  }

  /** The whole cores that fit into the amount. `Cpu.millis(2500)` gives 2. */
  public get wholeCores(): number {
    return Math.floor(this.millicores / 1000);
  }

  /** The Kubernetes quantity: `6` or `500m`. */
  public toQuantity(): string {
    return this.millicores % 1000 === 0 ? String(this.millicores / 1000) : `${this.millicores}m`;
  }
}
