import { compareVersions } from '../../common/versions';
import { NEWEST_RELEASE } from '../../engine/releases';
import type { Answer, Ask } from './http';

/** What a server says that it is: `0.32.0+cpu`; nothing when it does not say so. */
export async function versionOf(ask: (ask: Ask) => Promise<Answer>): Promise<string | undefined> {
  const { status, text } = await ask({ path: '/version', seconds: 30 });
  try {
    const { version } = JSON.parse(status === 200 ? text : '{}') as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

/** The release whose rules hold for a version: its three numbers, the newest that is known for a newer one. */
export function judgedAs(version: string | undefined): string | undefined {
  const release = /^v?(\d+\.\d+\.\d+)/.exec(version ?? '')?.[1];
  return release === undefined ? undefined : compareVersions(release, NEWEST_RELEASE) > 0 ? NEWEST_RELEASE : release;
}
