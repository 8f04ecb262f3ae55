/**
 * A finding is accepted on the object that it is about, by an annotation of its own: `accept.cdk8s-vllm/<group>.<name>`
 * with the reason as its value. Anyone can write it by hand, and it survives every tool (YAML comments do not).
 */
const PREFIX = 'accept.cdk8s-vllm/';

/** The annotation that accepts a finding. */
export function acceptAnnotation(id: string): string {
  return PREFIX + id.replace('/', '.');
}

/** The findings that an object's annotations accept: id and reason. */
export function acceptedFindings(annotations: Readonly<Record<string, string>> = {}): Map<string, string> {
  const accepted = new Map<string, string>();
  for (const [key, reason] of Object.entries(annotations)) {
    if (key.startsWith(PREFIX)) {
      accepted.set(key.slice(PREFIX.length).replace('.', '/'), reason);
    }
  }
  return accepted;
}
