/** Fixed points of vLLM's HTTP server and of its rendezvous. Source: vllm/entrypoints, vllm/config/parallel.py. */
export const DEFAULT_PORT = 8000;
/** Name of the leader's container port, by which probes, Service and monitor refer to it. */
export const PORT_NAME = 'http';
export const DEFAULT_MASTER_PORT = 29501;

/**
 * Who listens where between the pods of a group. Nothing of it is encrypted or asks for a key, and most ports are random,
 * so a network policy has to open all of TCP within a group. Source: config/parallel.py, shm_broadcast.py; the listeners
 * of two ranks of 0.32.0.
 */
export const GROUP_PORTS = [
  { port: DEFAULT_MASTER_PORT, listens: 'leader', what: 'the rendezvous' },
  {
    port: 'random',
    listens: 'every rank',
    what: 'scheduler output and answers (ZeroMQ), on the address in VLLM_HOST_IP',
  },
  { port: 'random', listens: 'every rank', what: 'tensors (gloo), on the address of the host name' },
] as const;

/** Answers 200 once the engine is up; needs no key. */
export const HEALTH_PATH = '/health';
/** Prometheus metrics of the leader; needs no key. */
export const METRICS_PATH = '/metrics';
/** The OpenAI-compatible API; the paths below it are what the API key guards. */
export const API_PATH = '/v1';

/** Where the image keeps what it downloads, as root. */
export const CACHE_PATH = '/root/.cache/huggingface';
export const SHARED_MEMORY_PATH = '/dev/shm';
