import type { Processor } from './node-spec';

type Isa = Processor['isa'];

/** Arm without and with FEAT_BF16. */
const ARMV8_2: Isa = { avx512: false, bf16: false, amx: false };
const ARMV8_6: Isa = { avx512: false, bf16: true, amx: false };
/** x86, each with what the one before has. */
const AVX2: Isa = { avx512: false, bf16: false, amx: false };
const AVX512: Isa = { avx512: true, bf16: false, amx: false };
const AVX512_BF16: Isa = { avx512: true, bf16: true, amx: false };
const AMX: Isa = { avx512: true, bf16: true, amx: true };

/**
 * Weights that one thread streams in decode, bytes a second. Measured with vLLM 0.31 and 0.32 on Zen 5, one thread, bf16
 * models of 0.6 to 1.2 thousand million parameters: a token takes 1.5 ms a layer and its bytes at this rate, to 10 %. All
 * others take it from there.
 */
const DECODE_BANDWIDTH = 16e9;

/** bf16 operations a second of one thread in prefill, by what the core computes them with. */
function flopsPerThread(architecture: Processor['architecture'], { avx512, bf16 }: Isa): number {
  if (architecture === 'arm64') {
    // With bf16: Graviton3, from 600 prompt tokens a second of Gemma 3 1B on an m7g.2xlarge with a limit of 6 CPUs.
    // Without: a guess, half of what two 128-bit fp32 units reach at 2.5 GHz.
    return bf16 ? 140e9 : 20e9;
  }
  if (bf16) {
    // Zen 5, 183e9 to 200e9 measured. Tiles (AMX) can do several times that; vLLM's use of them was not measured.
    return 200e9;
  }
  // Guesses: fp32 units do half of the operations that bf16 ones of the same width do, and AVX2 is half as wide.
  return avx512 ? 100e9 : 50e9;
}

/** The speed of a thread on a core of these instructions: two numbers that come from measurements on other cores. */
export function assumedSpeed(
  architecture: Processor['architecture'],
  isa: Isa,
): Pick<Processor, 'decodeBandwidthPerThread' | 'flopsPerThread' | 'measured'> {
  return {
    decodeBandwidthPerThread: DECODE_BANDWIDTH,
    flopsPerThread: flopsPerThread(architecture, isa),
    measured: false,
  };
}

/** Bytes a second of a socket: memory channels of 8 bytes, at so many million transfers a second. */
function channels(count: number, megatransfers: number): number {
  return count * megatransfers * 8e6;
}

function arm(name: string, isa: Isa, socketCpus: number, socketBandwidth: number): Processor {
  const architecture = 'arm64';
  return {
    name,
    architecture,
    isa,
    socketBandwidth,
    socketCpus,
    threadsPerCore: 1,
    ...assumedSpeed(architecture, isa),
  };
}

function x86(name: string, isa: Isa, cores: number, threadsPerCore: 1 | 2, socketBandwidth: number): Processor {
  const architecture = 'amd64';
  return {
    name,
    architecture,
    isa,
    socketBandwidth,
    socketCpus: cores * threadsPerCore,
    threadsPerCore,
    ...assumedSpeed(architecture, isa),
  };
}

/**
 * The processors of the instance families. Instruction sets, cores and memory channels are those that the makers publish;
 * bandwidth is what the channels carry at most. "Not certain" marks what no maker says of the part that EC2 runs.
 */
export const PROCESSORS = {
  // Neoverse N1, Armv8.2: dot products and fp16, no bf16. 64 cores, 8 channels DDR4-3200 (AWS, Arm).
  graviton2: arm('Graviton2', ARMV8_2, 64, channels(8, 3200)),
  // Neoverse V1, Armv8.4 with FEAT_BF16. 64 cores, 8 channels DDR5-4800 (AWS: 300 GB/s). Prefill measured by others on
  // m7g.2xlarge. The decode rate is that of Zen 5: it gives 60 ms a token of Gemma 3 1B with 6 threads, 43 ms were seen.
  graviton3: { ...arm('Graviton3', ARMV8_6, 64, channels(8, 4800)), measured: true },
  // Neoverse V2, Armv9 with bf16. 96 cores, 12 channels DDR5-5600 (AWS: 537.6 GB/s); 48xlarge is two of them.
  graviton4: arm('Graviton4', ARMV8_6, 96, channels(12, 5600)),

  // Platinum 8175M, 8124M, 8259CL or 8275CL, whichever the instance gets: AVX-512, in part with VNNI, no bf16. 24 cores
  // (8124M: 18), 6 channels DDR4-2666 as the older ones have.
  skylake: x86('Xeon Skylake or Cascade Lake', AVX512, 24, 2, channels(6, 2666)),
  // Platinum 8259CL, 8275CL: AVX-512 with VNNI, no bf16. 24 cores, 6 channels DDR4-2933.
  cascadeLake: x86('Xeon Cascade Lake', AVX512, 24, 2, channels(6, 2933)),
  // Platinum 8375C: AVX-512 with VNNI, no bf16. 32 cores, 8 channels DDR4-3200.
  iceLake: x86('Xeon Ice Lake', AVX512, 32, 2, channels(8, 3200)),
  // Platinum 8488C: AVX-512, bf16, AMX. 48 cores, 8 channels DDR5-4800.
  sapphireRapids: x86('Xeon Sapphire Rapids', AMX, 48, 2, channels(8, 4800)),
  // Platinum 8559C: as Sapphire Rapids. 48 cores, 8 channels DDR5-5600; that it is this part is not certain.
  emeraldRapids: x86('Xeon Emerald Rapids', AMX, 48, 2, channels(8, 5600)),
  // Xeon 6975P-C: AVX-512, bf16, AMX. 96 cores, 12 channels; DDR5-7200 (AWS) is not certain for all sizes.
  graniteRapids: x86('Xeon Granite Rapids', AMX, 96, 2, channels(12, 7200)),

  // EPYC 7571 (Naples): AVX2. EC2 gives 24 of its 32 cores; 8 channels DDR4-2666. Its four dies are NUMA nodes of their
  // own; how many of them an instance sees is not certain.
  zen1: x86('EPYC Zen 1', AVX2, 24, 2, channels(8, 2666)),
  // EPYC 7R32 (Rome): AVX2. 48 cores, 8 channels DDR4-3200.
  zen2: x86('EPYC Zen 2', AVX2, 48, 2, channels(8, 3200)),
  // EPYC 7R13 (Milan): AVX2. 48 cores, 8 channels DDR4-3200.
  zen3: x86('EPYC Zen 3', AVX2, 48, 2, channels(8, 3200)),
  // EPYC 9R14 (Genoa): AVX-512 in two halves, bf16. 96 cores, one vCPU each, 12 channels DDR5-4800. The speed of a thread
  // is that of Zen 5, whose units are twice as wide: it may be less in prefill.
  zen4: x86('EPYC Zen 4', AVX512_BF16, 96, 1, channels(12, 4800)),
  // EPYC 9R45 (Turin): AVX-512, bf16. 96 cores, one vCPU each, 12 channels; DDR5-6400 is not certain.
  zen5: { ...x86('EPYC Zen 5', AVX512_BF16, 96, 1, channels(12, 6400)), measured: true },
} satisfies Record<string, Processor>;

/** Families by processor. Source: the EC2 instance type pages. */
const FAMILIES: Readonly<Record<keyof typeof PROCESSORS, string>> = {
  graviton2: 'm6g c6g r6g g5g',
  graviton3: 'm7g c7g r7g m7gd c7gd r7gd c7gn',
  graviton4: 'm8g c8g r8g x8g',
  skylake: 'm5 c5 r5 p3dn',
  cascadeLake: 'g4dn p4d p4de',
  iceLake: 'm6i c6i r6i',
  sapphireRapids: 'm7i c7i r7i m7i-flex c7i-flex p5en',
  emeraldRapids: 'p6-b200',
  graniteRapids: 'm8i c8i r8i m8i-flex c8i-flex r8i-flex',
  zen1: 'm5a r5a',
  zen2: 'c5a g5',
  zen3: 'm6a c6a r6a g6 g6e gr6 p5 p5e',
  zen4: 'm7a c7a r7a',
  zen5: 'm8a c8a r8a',
};

/** The processor of an instance family, such as `m7g`. */
export function processorOf(family: string): Processor {
  for (const [name, families] of Object.entries(FAMILIES)) {
    if (families.split(' ').includes(family)) {
      return PROCESSORS[name as keyof typeof PROCESSORS];
    }
  }
  throw new Error(`no processor is known for the instance family '${family}'`);
}
