import type { CpuArchitecture } from '../hardware/node-shape';
import { CPU_IMAGES, imagePath } from './images';
import { VllmVersion } from './version';

/** How an image is pinned. */
export interface VllmImageOptions {
  /**
   * The known version whose behaviour to assume, for a release newer than this library.
   * @default - the version itself
   */
  readonly like?: string;

  /**
   * Digest of the image, `sha256:…`, which pins it beyond the tag.
   * @default - the tag alone
   */
  readonly digest?: string;
}

/**
 * The container image that runs vLLM, and the version in it.
 *
 * @example
 *   VllmImage.cpu('0.31.0');                                                         // published CPU build
 *   VllmImage.custom('registry.example/vllm:arm', VllmVersion.of('0.31.0'));         // your own
 */
export class VllmImage {
  /**
   * The CPU build that the vLLM project publishes; the architecture follows the node.
   * @param version release, for example `0.31.0`
   */
  public static cpu(version: string, options: VllmImageOptions = {}): VllmImage {
    return new VllmImage(VllmVersion.of(version, { like: options.like }), undefined, options.digest);
  }

  /**
   * An image of your own.
   * @param reference full image reference with a tag or a digest
   * @param version the vLLM in it: a tag alone cannot be trusted to say
   */
  public static custom(reference: string, version: VllmVersion): VllmImage {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    if (!/^[^\s]+$/.test(reference) || !/[:@]/.test(name) || name.endsWith(':latest')) {
      throw new Error(`image is '${reference}'; it takes a reference with a fixed tag or a digest, not 'latest'`);
    }
    return new VllmImage(version, reference, undefined);
  }

  /** The vLLM in the image. */
  public readonly version: VllmVersion;
  private readonly fixedReference: string | undefined;
  private readonly digest: string | undefined;

  private constructor(version: VllmVersion, fixedReference: string | undefined, digest: string | undefined) {
    if (digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(digest)) {
      throw new Error(`image digest is '${digest}'; it takes 'sha256:' and 64 hexadecimal digits`);
    }
    this.version = version;
    this.fixedReference = fixedReference;
    this.digest = digest;
  }

  /**
   * The reference that goes into the pod.
   * @param architecture instruction set of the node
   * @param registry prefix of a mirror or pull-through cache; default: the public registry
   */
  public reference(architecture: CpuArchitecture, registry?: string): string {
    if (this.fixedReference !== undefined) {
      if (registry !== undefined) {
        throw new Error(
          `imageRegistry is '${registry}' and the image is one of your own; write the registry into its reference`,
        );
      }
      return this.fixedReference;
    }
    const digest = this.digest === undefined ? '' : `@${this.digest}`;
    const path = imagePath(CPU_IMAGES.byArchitecture, this.version.version, architecture.imageSuffix) + digest;
    return registry === undefined ? path : `${checkRegistry(registry)}/${path}`;
  }
}

function checkRegistry(registry: string): string {
  if (!/^[a-z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)*$/.test(registry)) {
    throw new Error(
      `imageRegistry is '${registry}'; it takes a host and a path such as 'mirror.example:5000/hub', without 'https://' ` +
        'and without a slash at the end',
    );
  }
  return registry;
}
