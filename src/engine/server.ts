/** Fixed points of vLLM's HTTP server and of its rendezvous. Source: vllm/entrypoints, vllm/config/parallel.py. */
export const DEFAULT_PORT = 8000;
/** Name of the leader's container port, by which probes, Service and monitor refer to it. */
export const PORT_NAME = 'http';
export const DEFAULT_MASTER_PORT = 29501;

/** Answers 200 once the engine is up; needs no key. */
export const HEALTH_PATH = '/health';
/** Prometheus metrics of the leader; needs no key. */
export const METRICS_PATH = '/metrics';
/** The OpenAI-compatible API; the paths below it are what the API key guards. */
export const API_PATH = '/v1';

/** Where the image keeps what it downloads, as root. */
export const CACHE_PATH = '/root/.cache/huggingface';
export const SHARED_MEMORY_PATH = '/dev/shm';
