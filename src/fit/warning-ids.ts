/** Findings of a plan that works and has its price, by their stable names. They can be accepted by name. */
export const PLAN_WARNINGS = {
  'fit/split-not-needed': 'the model fits on one node, where it is faster than split',
  'fit/kv-formula-withheld': 'nobody measured the cache formula of this vLLM release, or of such layers',
  'fit/memory-tight': 'the memory limit is near the highest point of a rank',
  'fit/node-memory-tight': 'the node may show less memory than the pod requests',
  'fit/parameters-unverified': 'the parameter count was not compared with published files',
  'fit/no-bf16': 'the cores do not compute bf16 in hardware',
  'fit/no-avx512': 'the cores lack AVX-512, without which vLLM offers a limited set of features',
  'fit/quantization-on-arm': 'the CPU documentation of vLLM lists this weight format for x86 alone',
  'fit/key-value-heads-replicated': 'more tensor-parallel ranks than key and value heads: copies fill the cache',
  'fit/tensor-parallel-over-network': 'tensor parallelism between nodes exchanges twice in every layer',
  'fit/threads-throttled': 'as many threads as the CPU limit: the pod is throttled whenever it is busy',
  'fit/block-size-changed': 'vLLM takes another block size than the one asked for',
  'fit/batched-tokens-default': "vLLM's own number of batched tokens makes long prompts stop all other streams",
  'fit/below-reference-pod': 'the node cannot hold a pod of the size that was measured: 6 CPU and 20 GiB',
  'fit/parameters-approximate': 'the model is counted as one of another build, and may be larger',
  'fit/several-numa-nodes': 'the node has several NUMA nodes, and one rank uses the memory of one',
  'fit/not-counted': 'an argument changes the engine in a way that the plan does not count with',
  'fit/one-request-at-a-time': 'the cache holds less than two requests of full length',
} as const;

export type PlanWarningId = keyof typeof PLAN_WARNINGS;
