import { NEWEST_RELEASE, OLDEST_RELEASE } from '../engine/releases';
import { remembered } from '../common/memo';
import { compareVersions } from '../common/versions';

/** A container image reference, taken apart. */
export interface ImageReference {
  /** As written. */
  readonly text: string;
  /** `docker.io` when none is written. */
  readonly registry: string;
  /** Without registry, tag and digest: `vllm/vllm-openai-cpu`. */
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
  /** Whether the name says that vLLM's server is in it. */
  readonly isVllm: boolean;
  /** Whether it is one of vLLM's own server images or a mirror of one, whose entrypoint is known: `vllm serve`. */
  readonly hasServeEntrypoint: boolean;
  /** What the build computes on; `undefined` when the name does not say. */
  readonly backend?: 'cpu' | 'cuda' | 'other';
  /** The instruction set that the tag or the repository is for; `undefined` for images of several, or unknown ones. */
  readonly architecture?: 'amd64' | 'arm64';
  /** The release of vLLM, `0.31.0`, when the tag says so. */
  readonly version?: string;
  /** Why the release is not known. */
  readonly versionWhy?: string;
}

/** Server images by the last part of their repository; those that others build on vLLM's keep name and entrypoint. */
const SERVER = /^(vllm-openai(-[a-z]+)*|vllm-cpu-release-repo|vllm-arm64-cpu-release-repo)$/;
/** Only vLLM's own repositories, and mirrors of them, number their tags by vLLM: lmcache/vllm-openai:v0.3.9 does not. */
const OWN = /^(|.*\/)(vllm\/vllm-[a-z-]+|vllm-cpu-release-repo|vllm-arm64-cpu-release-repo)$|^vllm-openai[a-z-]*$/;
/** Programs around vLLM whose images carry its name too. */
const COMPANION = /router|gateway|exporter|operator|bench|dashboard|controller|sidecar|proxy|webui|-ui\b|metrics/;
const RELEASE = /^v?(\d+\.\d+\.\d+)(?:\.?post\d+)?(?![\d.]|[-.]?(?:rc|a|b|dev|alpha|beta)\d)/;

/** Reads an image reference. */
export const parseImage = remembered((text): ImageReference => {
  const [beforeDigest = '', digest] = text.split('@', 2);
  const slash = beforeDigest.lastIndexOf('/');
  const colon = beforeDigest.indexOf(':', slash + 1);
  const path = colon < 0 ? beforeDigest : beforeDigest.slice(0, colon);
  const tag = colon < 0 ? undefined : beforeDigest.slice(colon + 1);
  const first = path.split('/', 1)[0]!;
  const hasRegistry = path.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  const repository = hasRegistry ? path.slice(first.length + 1) : path;
  const name = repository.slice(repository.lastIndexOf('/') + 1).toLowerCase();
  const isVllm = /vllm/.test(repository.toLowerCase()) && !COMPANION.test(name);
  const backend = isVllm ? backendOf(name, tag?.toLowerCase() ?? '') : undefined;
  const architecture = architectureOf(name, tag ?? '');
  return {
    text,
    registry: hasRegistry ? first : 'docker.io',
    repository,
    ...(tag !== undefined && { tag }),
    ...(digest !== undefined && { digest }),
    isVllm,
    hasServeEntrypoint: isVllm && SERVER.test(name),
    ...(backend && { backend }),
    ...(architecture && { architecture }),
    ...versionOf(OWN.test(repository), tag),
  };
});

function backendOf(name: string, tag: string): ImageReference['backend'] {
  const both = `${name} ${tag}`;
  if (/\bcpu\b/.test(both)) {
    return 'cpu';
  }
  if (/rocm|xpu|tpu|gaudi|hpu|neuron|ascend|npu/.test(both)) {
    return 'other';
  }
  return name === 'vllm-openai' || /cuda|cu\d{3}/.test(both) ? 'cuda' : undefined;
}

function architectureOf(name: string, tag: string): ImageReference['architecture'] {
  if (/-(arm64|aarch64)$/.test(tag) || name === 'vllm-arm64-cpu-release-repo') {
    return 'arm64';
  }
  return /-(x86_64|amd64)$/.test(tag) || name === 'vllm-cpu-release-repo' ? 'amd64' : undefined;
}

function versionOf(isOwn: boolean, tag: string | undefined): Pick<ImageReference, 'version' | 'versionWhy'> {
  const version = isOwn ? RELEASE.exec(tag ?? '')?.[1] : undefined;
  if (version !== undefined) {
    return { version };
  }
  return {
    versionWhy: !isOwn
      ? 'the repository is none whose tags follow the releases of vLLM'
      : tag === undefined
        ? 'the image has no tag'
        : `the tag '${tag}' names no release of vLLM`,
  };
}

/** The release whose flags to read with: the image's own, or the nearest one that the table knows. */
export function releaseToReadWith(image: ImageReference | undefined): { release: string; isKnown: boolean } {
  const version = image?.version;
  if (version === undefined || compareVersions(version, NEWEST_RELEASE) > 0) {
    return { release: NEWEST_RELEASE, isKnown: false };
  }
  return compareVersions(version, OLDEST_RELEASE) < 0
    ? { release: OLDEST_RELEASE, isKnown: false }
    : { release: version, isKnown: true };
}
