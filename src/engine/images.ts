/** Where vLLM publishes one of its builds. */
export interface ImageSource {
  /** The repository, without the default registry. */
  readonly repository: string;
  /** The registry that it is in. */
  readonly registry: 'docker.io' | 'public.ecr.aws';
  /** The tag of a release: `{version}` and, where there is one for each instruction set, `{suffix}`. */
  readonly tag: string;
  /** `amd64`, `arm64` or both under one tag. */
  readonly architectures: readonly ('amd64' | 'arm64')[];
}

/**
 * Published images. Source: .buildkite/scripts/publish-release-images.sh of vllm-project/vllm at 017e9f4448b7 (0.28);
 * tags of 0.30 and 0.31 were seen in use. arm64 images are there since 0.12, so for every release that is known here.
 * Their sizes are not stated there, and not here.
 */
export const CPU_IMAGES = {
  /** One tag for each instruction set: what a node gets does not depend on who resolves the tag. */
  byArchitecture: {
    repository: 'vllm/vllm-openai-cpu',
    registry: 'docker.io',
    tag: 'v{version}-{suffix}',
    architectures: ['amd64', 'arm64'],
  },
  /** One tag for both. */
  multiArchitecture: {
    repository: 'vllm/vllm-openai-cpu',
    registry: 'docker.io',
    tag: 'v{version}',
    architectures: ['amd64', 'arm64'],
  },
  ecrAmd64: {
    repository: 'q9t5s3a7/vllm-cpu-release-repo',
    registry: 'public.ecr.aws',
    tag: 'v{version}',
    architectures: ['amd64'],
  },
  ecrArm64: {
    repository: 'q9t5s3a7/vllm-arm64-cpu-release-repo',
    registry: 'public.ecr.aws',
    tag: 'v{version}',
    architectures: ['arm64'],
  },
} as const satisfies Record<string, ImageSource>;

/** The build for NVIDIA GPUs; whether each release has it for arm64 was not read. */
export const CUDA_IMAGE = {
  repository: 'vllm/vllm-openai',
  registry: 'docker.io',
  tag: 'v{version}',
  architectures: ['amd64'],
} as const satisfies ImageSource;

/** The path of an image of a release below its registry. */
export function imagePath({ repository, tag }: ImageSource, version: string, suffix = ''): string {
  return `${repository}:${tag.replace('{version}', version).replace('{suffix}', suffix)}`;
}
