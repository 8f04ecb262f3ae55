/**
 * The vLLM releases that the gates below were judged for. A newer one is taken on the user's word only
 * (`VllmVersion.of('0.34.0', { like: '0.32.0' })`); adding one is reading its code, and then changing the newest here.
 */
export const OLDEST_RELEASE = '0.20.0';
export const NEWEST_RELEASE = '0.32.0';

/** First release of each thing that the rendering depends on. Each was read in the wheels of both sides, and run. */
export const SINCE = {
  /** Pipeline stages on CPU exchange tensors over nodes; 0.19 answers the first request with 500. */
  cpuPipeline: '0.20.0',
  /** `VLLM_CPU_OMP_THREADS_BIND=nobind`; 0.20 dies at start on it. */
  unboundThreads: '0.21.0',
} as const;
