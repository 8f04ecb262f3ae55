import type { ClusterFile } from '../file/types';
import type { Check } from '../plan';
import type { Run } from '../run';

/** What is asked of this machine, and not of AWS. */
export interface Surroundings {
  /** Version of kubectl, as `v1.36.2`; `undefined` when there is none. */
  readonly kubectl: () => Promise<string | undefined>;
  /** Whether a TCP connection to an https address comes about; the reason when it does not. */
  readonly connect: (url: string) => Promise<{ readonly reached: boolean; readonly why?: string }>;
}

/** kubectl may be one minor version older or newer than the cluster. */
export async function kubectlChecks({ kubernetesVersion }: ClusterFile, { kubectl }: Surroundings): Promise<Check[]> {
  const about = 'kubectl';
  const version = await kubectl();
  const minor = /^v?1\.(\d+)/.exec(version ?? '')?.[1];
  if (minor === undefined) {
    return [
      { level: 'warning', about, message: 'there is no kubectl here; it is needed for what comes after the cluster' },
    ];
  }
  const apart = Math.abs(Number(minor) - Number(kubernetesVersion.split('.')[1]));
  return apart <= 1
    ? [{ level: 'ok', about, message: `${version} fits ${kubernetesVersion}` }]
    : [
        {
          level: 'warning',
          about,
          message: `${version} is ${apart} minor versions from ${kubernetesVersion}; one is supported: take kubectl ${kubernetesVersion}`,
        },
      ];
}

/** Whether the API of the cluster is reached from here. */
export async function endpointChecks({ file, known }: Run, { connect }: Surroundings): Promise<Check[]> {
  const about = 'endpoint';
  const { endpoint } = file.network;
  const url = known.cluster?.endpoint;
  const way =
    'run what talks to the cluster from inside of the VPC (a bastion, a VPN, an SSM tunnel), or set network.endpoint.public with your own address in publicCidrs';
  if (url === undefined) {
    return endpoint.public
      ? []
      : [
          {
            level: 'note',
            about,
            message: `the API will be private; whether it is reached from here shows when the cluster is there: ${way}`,
          },
        ];
  }
  const { reached, why } = await connect(url);
  return reached
    ? [{ level: 'ok', about, message: 'the API of the cluster is reached from here' }]
    : [
        {
          level: 'warning',
          about,
          message: `the API of the cluster is not reached from here (${why ?? 'no answer'}); ${way}`,
        },
      ];
}
