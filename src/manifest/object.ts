/** A Kubernetes object as it will be written, plain values only. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  // The rest of an object has no common shape; whoever reads it narrows what it reads.
  readonly [field: string]: unknown;
}
