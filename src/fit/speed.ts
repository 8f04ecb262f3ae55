import type { NodeSpec } from '../hardware/node-spec';
import type { ModelShape } from '../model/shape';
import type { Speed } from './plan-types';
import type { Backend } from './weights';

/**
 * Decode on CPU: each layer costs Python and small kernels, and every weight is read once a token. Two anchors fix the four
 * constants: an AVX-512 core (1.5 ms a layer and 16 GB/s with one thread: 158 to 198 ms a token for 1B shapes, within
 * 10 %) and the article's m7g.2xlarge (Gemma 3 1B whole: 23 tokens/s, split over two nodes: 19).
 */
export const LAYER_SECONDS = 0.5e-3;
export const LAYER_SECONDS_BY_THREADS = 1.0e-3;
/** One more stage: hidden states forth, the token back, and the coordination of both. */
export const HOP_SECONDS = 9e-3;
/** Two exchanges a layer among tensor-parallel ranks on different nodes. Not measured. */
export const ALL_REDUCE_SECONDS = 0.5e-3;
/** Share of a socket's bandwidth that a read of weights reaches. */
export const SOCKET_SHARE = 0.8;

/** Bands of the estimates: with anchors of the same processor, and without. */
const BAND_MEASURED = 0.25;
const BAND_ELSE = 0.5;

/** GPUs: shares of the data sheet, and seconds of a layer and of a hop between nodes. Not measured. */
export const GPU_SPEED = { operations: 0.5, bandwidth: 0.6, layerSeconds: 30e-6, hopSeconds: 1e-3 } as const;

export interface SpeedInput {
  readonly model: ModelShape;
  readonly node: NodeSpec;
  readonly backend: Backend;
  readonly pipelineParallelSize: number;
  readonly tensorParallelSize: number;
  readonly threads: number;
  readonly maxNumBatchedTokens: number;
  readonly dtypeBits: number;
}

/** Bytes that one generated token reads: the layers it passes through, and the head. */
export function bytesPerToken({ model, dtypeBits }: Pick<SpeedInput, 'model' | 'dtypeBits'>): number {
  const plain = dtypeBits / 8;
  const weightBytes = model.weights.quantized === 'none' ? plain : model.weights.bits / 8;
  return layersActive(model) * weightBytes + headParameters(model) * plain;
}

function headParameters({ parameters }: ModelShape): number {
  return parameters.head || parameters.embedding;
}

/** Parameters of the layers that one token passes through. */
function layersActive(model: ModelShape): number {
  return model.activeParameters - headParameters(model);
}

/** Operations of one prompt token: a multiplication and an addition a parameter; the head is for its last token alone. */
export function operationsPerToken(model: ModelShape): number {
  return 2 * layersActive(model);
}

/** Operations a second of one rank. */
export function operationsPerSecond({
  node,
  backend,
  threads,
}: Pick<SpeedInput, 'node' | 'backend' | 'threads'>): number {
  // GPUs reach about half of what their data sheet says.
  return backend === 'gpu'
    ? GPU_SPEED.operations * node.accelerator!.flops
    : coresOf(node, threads) * node.processor.flopsPerThread;
}

/** Cores behind the threads: two vCPUs of one core do together what one does alone. */
export function coresOf({ cpus, processor }: NodeSpec, threads: number): number {
  return Math.min(threads, cpus / processor.threadsPerCore);
}

/** Seconds that a batch of prompt tokens takes through all stages, one after the other. */
export function batchSeconds(input: SpeedInput, tokens: number): number {
  return (operationsPerToken(input.model) * tokens) / (operationsPerSecond(input) * input.tensorParallelSize);
}

/** Seconds of one generated token of a single stream, at a bandwidth. */
function tokenSeconds(input: SpeedInput, bandwidth: number): number {
  const { model, backend, pipelineParallelSize, tensorParallelSize, threads } = input;
  const read = bytesPerToken(input) / (bandwidth * tensorParallelSize);
  if (backend === 'gpu') {
    return read + model.layers * GPU_SPEED.layerSeconds + (pipelineParallelSize - 1) * GPU_SPEED.hopSeconds;
  }
  const layer = LAYER_SECONDS + LAYER_SECONDS_BY_THREADS / threads;
  const exchanges = tensorParallelSize === 1 ? 0 : 2 * model.layers * ALL_REDUCE_SECONDS;
  return model.layers * layer + read + (pipelineParallelSize - 1) * HOP_SECONDS + exchanges;
}

/** How fast one user is served. */
export function speed(input: SpeedInput): Speed {
  const { node, backend, threads } = input;
  const { processor } = node;
  const measured = backend === 'cpu' && processor.measured && input.tensorParallelSize === 1;
  const band = measured ? BAND_MEASURED : BAND_ELSE;
  const wanted = coresOf(node, threads) * processor.decodeBandwidthPerThread;
  const bandwidth =
    backend === 'gpu'
      ? GPU_SPEED.bandwidth * node.accelerator!.bandwidth
      : Math.min(wanted, SOCKET_SHARE * Math.max(processor.socketBandwidth, node.bandwidth));
  // With neighbours at work a node gets its share of the socket and no more.
  const crowded = backend === 'gpu' ? bandwidth : Math.min(bandwidth, SOCKET_SHARE * node.bandwidth);
  const decode = 1 / tokenSeconds(input, bandwidth);
  const prefill = 1 / batchSeconds(input, 1);
  return {
    decodeTokensPerSecond: {
      low: Math.min(decode * (1 - band), 1 / tokenSeconds(input, crowded)),
      estimate: decode,
      high: decode * (1 + band),
    },
    prefillTokensPerSecond: { low: prefill * (1 - band), estimate: prefill, high: prefill * (1 + band) },
    fullBatchSeconds: batchSeconds(input, input.maxNumBatchedTokens),
    basis:
      backend === 'gpu'
        ? 'data sheet of the GPU, half of its operations and 0.6 of its bandwidth; not measured'
        : measured
          ? `anchors measured on ${processor.name}`
          : `constants of the nearest measured processor; ${processor.name} was not measured`,
  };
}
