/**
 * The vLLM releases that the gates below were judged for. A newer one is taken on the user's word only
 * (`VllmVersion.of('0.34.0', { like: '0.32.0' })`); adding one is adding a line here.
 */
export const OLDEST_RELEASE = '0.20.0';
export const NEWEST_RELEASE = '0.32.0';

/** First release of each thing that the rendering depends on. Source of each: docs/settings.md. */
export const SINCE = {
  /** Pipeline stages on CPU exchange tensors over nodes; 0.19 answers the first request with 500. */
  cpuPipeline: '0.20.0',
  /** `VLLM_CPU_OMP_THREADS_BIND=nobind`; 0.20 dies at start on it. */
  unboundThreads: '0.21.0',
} as const;

/** Flags that skip the warm-up pass on CPU: the second pipeline rank then fails on the first request. */
export const WARM_UP_SKIPPING_FLAGS = ['--enforce-eager', '-O0', '-cc.mode=0', '-cc.mode=none'] as const;
