/** Families of one shape: a vCPU of theirs comes with `memoryPerCpu` GiB, whatever the size. */
const FAMILIES: Readonly<Record<string, { architecture: 'arm64' | 'amd64'; memoryPerCpu: number; sizes: string[] }>> = {
  c7g: { architecture: 'arm64', memoryPerCpu: 2, sizes: upTo(16) },
  m7g: { architecture: 'arm64', memoryPerCpu: 4, sizes: upTo(16) },
  r7g: { architecture: 'arm64', memoryPerCpu: 8, sizes: upTo(16) },
  c7i: { architecture: 'amd64', memoryPerCpu: 2, sizes: [...upTo(16), '24xlarge', '48xlarge'] },
  m7i: { architecture: 'amd64', memoryPerCpu: 4, sizes: [...upTo(16), '24xlarge', '48xlarge'] },
  r7i: { architecture: 'amd64', memoryPerCpu: 8, sizes: [...upTo(16), '24xlarge', '48xlarge'] },
};

function upTo(largest: number): string[] {
  return ['large', 'xlarge', ...[2, 4, 8, 12, 16].filter((n) => n <= largest).map((n) => `${n}xlarge`)];
}

function cpusOf(size: string): number {
  return size === 'large' ? 2 : 4 * Number(/^(\d*)xlarge$/.exec(size)![1] || 1);
}

/** One EC2 instance type: vCPUs, memory in GiB and the label that Kubernetes gives its architecture. */
export interface InstanceType {
  readonly cpus: number;
  readonly memoryGibibytes: number;
  readonly architecture: 'arm64' | 'amd64';
}

/** The instance types known by name. Source: the EC2 instance type pages. */
export const INSTANCE_TYPES: ReadonlyMap<string, InstanceType> = new Map(
  Object.entries(FAMILIES).flatMap(([family, { architecture, memoryPerCpu, sizes }]) =>
    sizes.map((size): [string, InstanceType] => {
      const cpus = cpusOf(size);
      return [`${family}.${size}`, { cpus, memoryGibibytes: cpus * memoryPerCpu, architecture }];
    }),
  ),
);
