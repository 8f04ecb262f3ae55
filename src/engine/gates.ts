/** Something that vLLM's CPU build can do, or breaks on, in some releases. `docs/releases.md` is made from this table. */
export interface Gate {
  /** `can`: something works; `breaks`: it fails or does harm; `behaves`: it differs, and who reads or plans must know. */
  readonly kind: 'can' | 'breaks' | 'behaves';
  /** First release that it holds for; none when it holds for the oldest known. */
  readonly since?: string;
  /** Last release that it holds for; none when it holds for the newest known. */
  readonly until?: string;
  /** What it is. */
  readonly what: string;
  /** What follows for a deployment. */
  readonly so: string;
  /** `measured`: run, and seen; `read`: deduced from the code of each release alone. */
  readonly known: 'measured' | 'read';
  /** Where it was seen: a file of vLLM, an issue, or the run. */
  readonly source: string;
}

/**
 * Bounds are those of the releases whose code was read (READ_RELEASES in flag-table.ts): with `since: '0.22.1'`, 0.22.0
 * may have it too.
 */
export const GATES = {
  cpuPipeline: {
    kind: 'can',
    since: '0.20.0',
    what: 'Pipeline stages on CPU exchange tensors over nodes.',
    so: '0.19 is healthy and answers the first request with 500.',
    known: 'measured',
    source: 'two ranks on 0.19.1 and on 0.20.0',
  },
  unboundThreads: {
    kind: 'can',
    since: '0.21.0',
    what: '`VLLM_CPU_OMP_THREADS_BIND=nobind`: `OMP_NUM_THREADS` decides.',
    so: '0.20 ends at start on it with an IndexError; it gets a list of cores instead.',
    known: 'measured',
    source: 'utils/ompmultiprocessing.py; run on 0.20.0, 0.21.0, 0.31.0 and 0.32.0',
  },
  eagerBreaksPipeline: {
    kind: 'breaks',
    since: '0.27.1',
    what: '`--enforce-eager`, `-cc.mode=0` and `-O0` skip the warm-up pass, which alone makes the buffer that later stages receive into.',
    so: 'The server is healthy and the first request ends the engine; take `-cc.mode=2` with `-cc.backend=eager`.',
    known: 'measured',
    source: 'v1/worker/cpu_model_runner.py warming_up_model; run on 0.32.0, read in the others',
  },
  sharedMemoryCheck: {
    kind: 'behaves',
    since: '0.27.1',
    what: 'A /dev/shm that is too small for the message queues stops the start.',
    so: 'Older releases die of SIGBUS under load instead; every pod needs a memory volume at /dev/shm.',
    known: 'read',
    source: 'distributed/device_communicators/shm_broadcast.py',
  },
  cgroupMemory: {
    kind: 'can',
    since: '0.24.0',
    what: 'Memory is counted within the limit of the container.',
    so: 'Before, a KV cache that is not set takes its share of the whole node, and the pod is killed.',
    known: 'read',
    source: 'utils/cpu_resource_utils.py',
  },
  blockSize16: {
    kind: 'behaves',
    since: '0.21.0',
    until: '0.28.0',
    what: '`--block-size` on CPU takes multiples of 16.',
    so: '0.20 takes any; the default of 128 suits every release.',
    known: 'read',
    source: 'v1/attention/backends/cpu_attn.py get_supported_kernel_block_sizes',
  },
  blockSize32: {
    kind: 'breaks',
    since: '0.29.0',
    what: '`--block-size` on CPU takes multiples of 32 alone.',
    so: '16 and 48 end the start with `No common block size`; Gemma 3 with 16 gets 32 without a word.',
    known: 'measured',
    source: 'v1/attention/backends/cpu_attn.py; run on 0.31.0 and 0.32.0',
  },
  fp8KvCache: {
    kind: 'can',
    since: '0.21.0',
    what: 'A KV cache in fp8 on CPU, with AVX-512 or AMX.',
    so: '`--kv-cache-dtype=fp8` halves the cache on x86; arm64 refuses it.',
    known: 'measured',
    source: 'v1/attention/backends/cpu_attn.py; run on 0.31.0 and 0.32.0',
  },
  mlaOnCpu: {
    kind: 'can',
    since: '0.28.0',
    what: 'Latent attention (MLA: DeepSeek and its kin) on CPU.',
    so: 'Its block size is 16, whatever is asked for, without chunked prefill and prefix caching.',
    known: 'read',
    source: 'v1/attention/backends/mla/cpu_mla.py, platforms/cpu.py',
  },
  gemmaRefusesFloat16: {
    kind: 'breaks',
    what: 'Gemma 2 and 3 in float16 are refused as numerically unstable.',
    so: 'Take bfloat16.',
    known: 'measured',
    source: 'config/model.py; run on 0.32.0, read in the others',
  },
  gemma4Pipeline: {
    kind: 'breaks',
    until: '0.20.2',
    what: 'Gemma 4 fails as a pipeline.',
    so: 'Take 0.21.0 or newer for it.',
    known: 'read',
    source: 'model_executor/models/gemma4.py; vllm-project/vllm#40786',
  },
  kvNumbers: {
    kind: 'behaves',
    since: '0.31.0',
    until: '0.32.0',
    what: 'The number of KV tokens and the concurrency follow the formula that a plan counts with.',
    so: 'For older releases such a number is an estimate: room for the batches in flight came with 0.26.0, and other parts changed before 0.31.0.',
    known: 'measured',
    source: 'v1/core/kv_cache_utils.py, v1/kv_cache_interface.py; 66 configurations on 0.31.0 and 0.32.0',
  },
  kvLogSaysGpu: {
    kind: 'behaves',
    until: '0.29.0',
    what: 'The log says `GPU KV cache size` on CPU.',
    so: 'Read `CPU` and `GPU` alike.',
    known: 'read',
    source: 'v1/core/kv_cache_utils.py; both words seen in logs of 0.20.0 and 0.31.0',
  },
  kvSpaceWins: {
    kind: 'behaves',
    what: '`VLLM_CPU_KVCACHE_SPACE` beats `--kv-cache-memory-bytes` without a word.',
    so: 'Render one of them.',
    known: 'measured',
    source: 'platforms/cpu.py; run on 0.32.0, read in the others',
  },
  asyncSchedulingOff: {
    kind: 'behaves',
    what: 'Asynchronous scheduling is off on CPU, whatever is asked for.',
    so: '`--async-scheduling` is taken and has no effect.',
    known: 'measured',
    source: 'platforms/cpu.py; run on 0.32.0, read in the others',
  },
  noRay: {
    kind: 'breaks',
    what: 'The CPU platform refuses Ray, and the images do not hold it.',
    so: 'Ranks meet by the `mp` executor.',
    known: 'read',
    source: 'v1/executor/ray_utils.py',
  },
  integerPort: {
    kind: 'breaks',
    until: '0.27.1',
    what: 'With a fixed `VLLM_PORT`, ranks on different nodes take the shared memory path, as if they were on one.',
    so: 'Leave the variable out.',
    known: 'read',
    source: 'v1/worker/cpu_worker.py, v1/executor/multiproc_executor.py',
  },
  nnodesMessage: {
    kind: 'behaves',
    since: '0.27.1',
    what: 'A wrong `--nnodes` or `--node-rank` is told by a sentence.',
    so: 'Before, it is an AssertionError.',
    known: 'read',
    source: 'engine/arg_utils.py',
  },
  workerGrace: {
    kind: 'can',
    since: '0.24.0',
    what: '`VLLM_WORKER_SHUTDOWN_TIMEOUT_SECONDS` says how long a worker may take to end.',
    so: 'Before, it is fixed at 4 s.',
    known: 'read',
    source: 'envs.py, v1/executor/multiproc_executor.py',
  },
  queueLimits: {
    kind: 'can',
    since: '0.29.0',
    what: '`--max-num-queued-reqs` and `--max-num-queued-tokens` refuse requests instead of queueing without end.',
    so: 'Older releases queue all that comes.',
    known: 'read',
    source: 'engine/arg_utils.py',
  },
  keepAliveComments: {
    kind: 'can',
    since: '0.29.0',
    what: '`--sse-keep-alive-interval` keeps an idle stream open through balancers.',
    so: 'Before, a long prefill needs a longer idle timeout at the balancer.',
    known: 'read',
    source: 'entrypoints/launchers/cli_args.py',
  },
  hangIsUnseen: {
    kind: 'breaks',
    what: 'A leader never notices that a worker hangs or is gone: /health stays 200, and with no request running no metric moves.',
    so: 'Liveness has to ask for progress, and VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS ends a hung step.',
    known: 'measured',
    source: 'faults on 0.32.0; vllm-project/vllm#39863, #32136, open',
  },
  exitZero: {
    kind: 'behaves',
    what: 'A rank that lost its engine or its worker ends with exit code 0.',
    so: 'Alert on restarts, never on exit codes.',
    known: 'measured',
    source: 'faults on 0.32.0',
  },
  lostRequestKeyError: {
    kind: 'breaks',
    what: 'The scheduler takes it for granted that each scheduled request is in the output of the last stage.',
    so: 'With a pipeline, an aborted request may end the engine with a KeyError; the group has to restart by itself.',
    known: 'read',
    source: 'v1/core/sched/scheduler.py update_from_output; vllm-project/vllm#46263, open',
  },
  twoBatches: {
    kind: 'breaks',
    what: 'Requests that arrive together land in one batch or in two, by a race, and stay there: a pipeline has a fast and a slow mode.',
    so: 'Keep threads below the CPU limit, which bounds the slow mode; a model that fits on one node is faster there.',
    known: 'measured',
    source: 'v1/engine/core.py step_with_batch_queue; run on 0.31.0 and 0.32.0; vllm-project/vllm#41682, open',
  },
  cutAnswers: {
    kind: 'breaks',
    since: '0.32.0',
    what: 'With `--shutdown-timeout=0`, SIGTERM ends a running request with 200 and the text so far.',
    so: 'Give the leader a drain time; 0.31.0 answers 500.',
    known: 'measured',
    source: 'SIGTERM under a request on 0.31.0 and 0.32.0',
  },
  poisonedImage: {
    kind: 'breaks',
    since: '0.32.0',
    what: 'An image whose request failed in the processor answers 500 from then on: `Multi-modal cache miss`.',
    so: 'Only a restart clears it.',
    known: 'measured',
    source: 'run on 0.32.0; older releases were not tried',
  },
} as const satisfies Record<string, Gate>;

/** Name of a gate. */
export type GateId = keyof typeof GATES;
