import { acceptedFindings } from '../../rules/accepted';
import type { Finding, KubernetesObject, Severity } from '../../rules/finding';
import type { MoreFindings } from './report';

/** Findings of a rule that are listed; nobody reads more of them, and a file may hold a million. */
export const MOST_LISTED = 1000;

/** What is known of a finding before its place is looked up. */
type Told = Pick<Finding, 'id' | 'severity'>;

/** Counts findings, and picks those that are listed: of each rule the first thousand, and so of the accepted ones. */
export class Tally {
  public readonly counts: Record<Severity, number> = { error: 0, warning: 0, note: 0 };
  public accepted = 0;
  /** Findings that nobody asked for. */
  public leftOut = 0;
  private readonly listed = new Map<string, number>();
  private readonly beyond = new Map<string, { id: string; severity: Severity; count: number }>();
  private readonly reasons = new WeakMap<KubernetesObject, ReadonlyMap<string, string>>();

  public constructor(private readonly isWanted: (id: string) => boolean) {}

  /** Counts a finding. What it gives is listed, with the reason when its object accepts it. */
  public take({ id, severity }: Told, object: KubernetesObject | undefined): { readonly reason?: string } | undefined {
    if (!this.isWanted(id)) {
      this.leftOut++;
      return undefined;
    }
    const reason = object && this.reasonsOf(object).get(id)?.trim();
    if (reason) {
      this.accepted++;
      return this.isListed(`${id} accepted`) ? { reason } : undefined;
    }
    this.counts[severity]++;
    if (this.isListed(id)) {
      return {};
    }
    const key = `${id} ${severity}`;
    const more = this.beyond.get(key) ?? { id, severity, count: 0 };
    more.count++;
    this.beyond.set(key, more);
    return undefined;
  }

  /** The findings that are counted and not listed. */
  public get more(): MoreFindings[] {
    return [...this.beyond.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  }

  private isListed(key: string): boolean {
    const before = this.listed.get(key) ?? 0;
    this.listed.set(key, before + 1);
    return before < MOST_LISTED;
  }

  /** An acceptance says why; without a word it accepts nothing. */
  private reasonsOf(object: KubernetesObject): ReadonlyMap<string, string> {
    let reasons = this.reasons.get(object);
    if (reasons === undefined) {
      const annotations: unknown = (object.metadata as { annotations?: unknown } | null | undefined)?.annotations;
      const texts = Object.entries(typeof annotations === 'object' && annotations !== null ? annotations : {}).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      );
      reasons = acceptedFindings(Object.fromEntries(texts));
      this.reasons.set(object, reasons);
    }
    return reasons;
  }
}
