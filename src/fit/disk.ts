import type { ModelShape } from '../model/shape';
import type { Disk } from './plan-types';
import { GIBI, roundUp } from './units';

/** Unpacked CPU image: an upper bound by the Python packages in it, not measured. */
export const IMAGE_BYTES = 10 * GIBI;
/** A repository holds more than the weights: tokenizer, a second format at times. */
export const REPOSITORY_FACTOR = 1.1;
/** Disk beside the weights: writable layer, downloader's chunk cache, compile caches, logs. */
export const BESIDE_WEIGHTS = 16 * GIBI;
/** Operating system and other images. */
export const SYSTEM_BYTES = 8 * GIBI;

/** Disk of one pod. Each rank downloads the whole repository, whatever part of it it loads. */
export function podDisk(model: ModelShape, weightsOutsidePod: boolean): number {
  const weights = weightsOutsidePod ? 0 : model.weightsBytes * REPOSITORY_FACTOR;
  return roundUp(weights, GIBI) + BESIDE_WEIGHTS;
}

/** Disk of a node with one such pod. The kubelet evicts when a tenth is left, and keeps 1 GiB back. */
export function disk(model: ModelShape, podBytes: number, weightsOnNode: boolean): Disk {
  return {
    imageBytes: IMAGE_BYTES,
    weightsBytes: Math.ceil(model.weightsBytes * REPOSITORY_FACTOR),
    // A hostPath outlives the pod and fills the disk of the node all the same.
    rootVolumeBytes: roundUp(
      (podBytes + (weightsOnNode ? model.weightsBytes * REPOSITORY_FACTOR : 0) + IMAGE_BYTES + SYSTEM_BYTES + GIBI) /
        0.9,
      10 * GIBI,
    ),
  };
}
