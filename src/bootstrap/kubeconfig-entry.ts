import type { ClusterFile } from './file/types';
import type { KubeconfigEntry } from './kubeconfig';
import { clusterResource } from './resources/cluster';
import { openSession, type SessionOptions } from './session';
import { StepError } from './wait';

/**
 * What a kubeconfig needs of the cluster of a file, as AWS knows it. The profile that AWS was asked with goes along, as with
 * `aws eks update-kubeconfig`: another one may not be let in.
 */
export async function clusterEntry(
  file: ClusterFile,
  name = file.name,
  options: SessionOptions = {},
): Promise<KubeconfigEntry> {
  const { run } = await openSession(file, { ...options, dryRun: true });
  const resource = clusterResource(run);
  const cluster = await resource.observe();
  const { endpoint, certificateAuthority } = cluster ?? {};
  if (endpoint === undefined || certificateAuthority?.data === undefined) {
    throw new StepError(
      resource.id,
      cluster === undefined
        ? `there is no cluster ${file.name} in ${file.region}; apply makes it`
        : `cluster ${file.name} is ${cluster.status} and has no address yet; run this again when it is ACTIVE`,
    );
  }
  const profile = options.connection?.credentials === undefined ? process.env.AWS_PROFILE : undefined;
  return {
    name,
    clusterName: file.name,
    region: file.region,
    endpoint,
    certificateAuthority: certificateAuthority.data,
    ...(profile !== undefined && profile !== '' && { profile }),
  };
}
