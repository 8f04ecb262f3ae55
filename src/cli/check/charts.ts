import type { Failed, FileText, FileToRead } from './files';
import { quoted } from './kustomize';

/** The templates of Helm charts, which are no YAML before Helm has rendered them: said once for a chart. */
export class Charts {
  private readonly templates = new Map<string, { readonly name: string; count: number }>();

  /** Takes a file that is a template, so that nobody else reads it. */
  public take({ name, chart }: FileToRead, { text }: FileText): boolean {
    if (chart === undefined || !text.includes('{{')) {
      return false;
    }
    const known = this.templates.get(chart) ?? { name, count: 0 };
    known.count++;
    this.templates.set(chart, known);
    return true;
  }

  /** What was not read, and how it is. */
  public get failed(): Failed[] {
    return [...this.templates].map(([chart, { name, count }]) => ({
      name,
      why: `${count === 1 ? 'a template of a Helm chart that was' : `the first of ${count} templates of a Helm chart that were`} not rendered; check what it renders: helm template ${quoted(chart)} | cdk8s-vllm check -`,
    }));
  }
}
