import { MEBI } from '../common/numbers';
import type { Accelerator } from './node-spec';

type Facts = Pick<Accelerator, 'bandwidth' | 'flops' | 'bf16'>;

/**
 * GPUs by the name and the memory in MiB that EC2 reports. Memory bandwidth and dense operations (without sparsity) are
 * those of NVIDIA's data sheets for the part that the instances have, SXM where there are several.
 */
const GPUS: Readonly<Record<string, Facts>> = {
  // Volta and Turing: fp16, no bf16.
  'V100 32768': { bandwidth: 900e9, flops: 125e12, bf16: false },
  'T4 16384': { bandwidth: 320e9, flops: 65e12, bf16: false },
  // A T4 by another name, on Arm; 300 GB/s by some lists.
  'T4g 16384': { bandwidth: 320e9, flops: 65e12, bf16: false },
  // Ampere. The A10G is EC2's own A10 with fewer tensor operations (the A10 has 125e12): 70e12 is AWS' figure for it.
  'A10G 22888': { bandwidth: 600e9, flops: 70e12, bf16: true },
  'A100 40960': { bandwidth: 1555e9, flops: 312e12, bf16: true },
  'A100 81920': { bandwidth: 2039e9, flops: 312e12, bf16: true },
  // Ada. The L4's sheet gives 242e12 with sparsity, the L40S' 733e12.
  'L4 22888': { bandwidth: 300e9, flops: 121e12, bf16: true },
  'L40S 45776': { bandwidth: 864e9, flops: 362e12, bf16: true },
  // Hopper.
  'H100 81920': { bandwidth: 3350e9, flops: 989e12, bf16: true },
  'H200 144384': { bandwidth: 4800e9, flops: 989e12, bf16: true },
  // Blackwell: 18e15 dense for eight in NVIDIA's DGX, 7.7 to 8 TB/s each.
  'B200 183359': { bandwidth: 8000e9, flops: 2250e12, bf16: true },
};

/** A GPU of an EC2 instance type. */
export function acceleratorOf(name: string, count: number, mebibytes: number): Accelerator {
  const facts = GPUS[`${name} ${mebibytes}`];
  if (!facts) {
    throw new Error(`nothing is known of the GPU '${name}' with ${mebibytes} MiB`);
  }
  return { name, count, memory: mebibytes * MEBI, ...facts, assumed: false };
}

/** A GPU of which the memory alone is known: its speed is that of the slowest in the table that knows bf16, an L4. */
export function assumedAccelerator(count: number, memory: number): Accelerator {
  return { name: 'GPU', count, memory, ...GPUS['L4 22888']!, assumed: true };
}
