import { allPages } from '../aws/send';
import type { Check } from '../plan';
import type { Run } from '../run';

const DAY = 24 * 60 * 60 * 1000;
const NOTICE_DAYS = 60;

/** Whether EKS offers the Kubernetes version, and for how long. */
export async function versionChecks({ file, send, clock }: Run): Promise<Check[]> {
  const about = 'Kubernetes version';
  const wanted = file.kubernetesVersion;
  const pages = await allPages(send, 'eks.DescribeClusterVersions', { includeAll: true });
  const versions = pages.flatMap(({ clusterVersions = [] }) => clusterVersions);
  const found = versions.find(({ clusterVersion }) => clusterVersion === wanted);
  if (found === undefined || found.versionStatus === 'UNSUPPORTED') {
    const offered = versions
      .filter(({ versionStatus }) => versionStatus !== 'UNSUPPORTED')
      .map(({ clusterVersion }) => clusterVersion);
    return [
      {
        level: 'error',
        about,
        message: `EKS does not offer ${wanted} in ${file.region}; it offers ${offered.join(', ')}`,
      },
    ];
  }
  const end = found.endOfStandardSupportDate;
  const day = end?.toISOString().slice(0, 10);
  if (found.versionStatus === 'EXTENDED_SUPPORT') {
    return [
      {
        level: 'warning',
        about,
        message: `${wanted} is in extended support, which costs several times as much an hour; take a newer one`,
      },
    ];
  }
  if (end !== undefined && end.getTime() - clock.now() < NOTICE_DAYS * DAY) {
    return [
      {
        level: 'warning',
        about,
        message: `standard support of ${wanted} ends on ${day}; extended support costs several times as much an hour`,
      },
    ];
  }
  return [
    { level: 'ok', about, message: `${wanted} is in standard support${day === undefined ? '' : ` until ${day}`}` },
  ];
}
