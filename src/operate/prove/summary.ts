/** What a kubelet has counted of a pod. Times are seconds since 1970, by its clock. */
export interface SummaryPod {
  readonly networkTime: number;
  readonly cpuTime: number;
  readonly cpuSeconds?: number;
  readonly received: number;
  readonly sent: number;
}

interface Interface {
  readonly name?: string;
  readonly rxBytes?: number;
  readonly txBytes?: number;
}

interface Cpu {
  readonly time?: string;
  readonly usageCoreNanoSeconds?: number;
}

interface Summary {
  readonly pods?: readonly {
    readonly podRef?: { readonly uid?: string };
    readonly cpu?: Cpu;
    readonly containers?: readonly { readonly cpu?: Cpu }[];
    readonly network?: Interface & { readonly time?: string; readonly interfaces?: readonly Interface[] };
  }[];
}

/** One pod of `/stats/summary`; nothing where its network is not counted. */
export function parseSummary(summary: unknown, uid: string): SummaryPod | undefined {
  const pod = (summary as Summary | undefined)?.pods?.find(({ podRef }) => podRef?.uid === uid);
  const { network, cpu, containers = [] } = pod ?? {};
  // Older kubelets name one interface and no list. Whatever it is called, it is not the loopback.
  const interfaces = (network?.interfaces ?? (network === undefined ? [] : [network])).filter(
    ({ name, rxBytes, txBytes }) => name !== 'lo' && rxBytes !== undefined && txBytes !== undefined,
  );
  const networkTime = seconds(network?.time);
  if (interfaces.length === 0 || networkTime === undefined) {
    return undefined;
  }
  const cpus = cpu?.usageCoreNanoSeconds === undefined ? containers.flatMap(({ cpu: own }) => own ?? []) : [cpu];
  const used = cpus.flatMap(({ usageCoreNanoSeconds }) => usageCoreNanoSeconds ?? []);
  return {
    networkTime,
    cpuTime: Math.min(...cpus.flatMap(({ time }) => seconds(time) ?? []), networkTime),
    ...(used.length > 0 && { cpuSeconds: used.reduce((sum, each) => sum + each, 0) / 1e9 }),
    received: interfaces.reduce((sum, { rxBytes = 0 }) => sum + rxBytes, 0),
    sent: interfaces.reduce((sum, { txBytes = 0 }) => sum + txBytes, 0),
  };
}

function seconds(time: string | undefined): number | undefined {
  const value = Date.parse(time ?? '') / 1000;
  return Number.isFinite(value) ? value : undefined;
}
