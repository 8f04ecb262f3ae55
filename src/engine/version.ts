import { compareVersions } from '../common/versions';
import { NEWEST_RELEASE } from './releases';

/** What to think of a version that this library does not know. */
export interface VllmVersionOptions {
  /**
   * The known version whose behaviour to assume.
   * @default - none: a version newer than the table is an error
   */
  readonly like?: string;
}

const FORM = /^v?(\d+)\.(\d+)\.(\d+)(?:\.?post\d+)?$/;

/** The three numbers of a release, as `major.minor.patch`. */
export function releaseOf(version: string): string {
  const found = FORM.exec(version);
  if (!found) {
    const example = /^v?\d+\.\d+$/.test(version) ? `${version.replace(/^v/, '')}.0` : NEWEST_RELEASE;
    throw new Error(`vLLM version is '${version}'; it takes a full release such as '${example}', never 'latest'`);
  }
  return `${found[1]}.${found[2]}.${found[3]}`;
}

function compare(a: string, b: string): number {
  return compareVersions(releaseOf(a), releaseOf(b));
}

/**
 * A release of vLLM; version gates are judged against it.
 *
 * @example
 *   VllmVersion.of('0.31.0');
 *   VllmVersion.of('0.34.0', { like: '0.32.0' });  // newer than this library: say what it behaves like
 */
export class VllmVersion {
  /**
   * Name a release.
   * @param version `major.minor.patch`
   * @throws when it is no release, or newer than the table and `like` is not given
   */
  public static of(version: string, options: VllmVersionOptions = {}): VllmVersion {
    const judgedAs = options.like ?? version;
    if (options.like !== undefined && compare(version, NEWEST_RELEASE) <= 0) {
      throw new Error(
        `vLLM ${version} is no newer than ${NEWEST_RELEASE}, so it is judged as itself; leave 'like' (${options.like}) out`,
      );
    }
    if (compare(judgedAs, NEWEST_RELEASE) > 0) {
      throw new Error(
        options.like === undefined
          ? `vLLM ${version} is newer than ${NEWEST_RELEASE}, the newest this library knows; ` +
              `say by a second argument which one it behaves like: ('${version}', { like: '${NEWEST_RELEASE}' })`
          : `like is '${options.like}'; it takes a version up to ${NEWEST_RELEASE}, the newest this library knows`,
      );
    }
    return new VllmVersion(version.replace(/^v/, ''), releaseOf(judgedAs));
  }

  /** The release, without a leading `v`: `0.31.0`. */
  public readonly version: string;
  /** The known release that the gates are judged for; differs from `version` only for a newer one. */
  public readonly judgedAs: string;

  private constructor(version: string, judgedAs: string) {
    releaseOf(version);
    this.version = version;
    this.judgedAs = judgedAs;
  }

  /** Whether this release, as judged, is the given one or newer. */
  public isAtLeast(version: string): boolean {
    return compare(this.judgedAs, version) >= 0;
  }
}
