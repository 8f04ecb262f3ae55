import { holdsIn } from './releases';
import { API_PATH, HEALTH_PATH, METRICS_PATH } from './server';

/** A path of vLLM's HTTP server that needs no key, and when it is there. */
export interface OpenPath {
  readonly path: string;
  /** What anyone who reaches the server can do with it. */
  readonly gives: string;
  /** `always`, or what it takes: the kind of model, a flag, a variable. */
  readonly when: 'always' | 'generating model' | 'pooling model' | '--enable-tokenizer-info-endpoint' | 'profiler';
  /** Whether it runs the model or changes the server; the others only tell about them. */
  readonly isHarmful: boolean;
  /** First release with it; none when the oldest has it. */
  readonly since?: string;
}

/**
 * Prefixes that `VLLM_API_KEY` guards; what else starts like them is guarded too, and OPTIONS never is. Source: the
 * authentication middleware of each release: entrypoints/openai/server_utils.py up to 0.22, then
 * entrypoints/serve/utils/server_utils.py, and entrypoints/serve/middleware/authenticate.py since 0.29. On 0.32.0 each
 * was seen to answer 401.
 */
const GUARDED: readonly { readonly prefix: string; readonly since?: string }[] = [
  { prefix: API_PATH },
  { prefix: '/v2', since: '0.22.1' },
  { prefix: '/inference', since: '0.22.1' },
  { prefix: '/cohere', since: '0.27.1' },
];

/**
 * What answers without a key. Source: the routers below entrypoints/ of each release, and requests without a key to
 * 0.32.0. With VLLM_SERVER_DEV_MODE there are many more, which pause, sleep and rewrite the engine.
 */
export const OPEN_PATHS: readonly OpenPath[] = [
  { path: HEALTH_PATH, gives: '200 while the engine has not ended', when: 'always', isHarmful: false },
  { path: '/ping', gives: 'the same as /health', when: 'always', isHarmful: false },
  { path: METRICS_PATH, gives: 'the metrics', when: 'always', isHarmful: false },
  { path: '/version', gives: 'the version', when: 'always', isHarmful: false },
  { path: '/load', gives: 'the number of requests in flight', when: 'always', isHarmful: false },
  { path: '/docs', gives: 'a page that calls the API', when: 'always', isHarmful: false },
  { path: '/openapi.json', gives: 'the schema of the API', when: 'always', isHarmful: false },
  {
    path: '/kv_event_sources',
    gives: 'where KV events are published',
    when: 'always',
    isHarmful: false,
    since: '0.31.0',
  },
  { path: '/tokenize', gives: 'the tokens of a text', when: 'always', isHarmful: false },
  { path: '/detokenize', gives: 'the text of tokens', when: 'always', isHarmful: false },
  { path: '/invocations', gives: 'all that the API does: it generates text', when: 'always', isHarmful: true },
  {
    path: '/generative_scoring',
    gives: 'scores by the model',
    when: 'generating model',
    isHarmful: true,
    since: '0.20.0',
  },
  { path: '/scale_elastic_ep', gives: 'another number of engines', when: 'generating model', isHarmful: true },
  { path: '/is_scaling_elastic_ep', gives: 'whether that runs', when: 'generating model', isHarmful: false },
  { path: '/pooling', gives: 'embeddings', when: 'pooling model', isHarmful: true },
  { path: '/classify', gives: 'classes', when: 'pooling model', isHarmful: true },
  { path: '/score', gives: 'scores', when: 'pooling model', isHarmful: true },
  { path: '/rerank', gives: 'ranks', when: 'pooling model', isHarmful: true },
  {
    path: '/tokenizer_info',
    gives: 'the chat template and the settings of the tokenizer',
    when: '--enable-tokenizer-info-endpoint',
    isHarmful: false,
  },
  { path: '/start_profile', gives: 'a profile, which slows the engine', when: 'profiler', isHarmful: true },
  { path: '/stop_profile', gives: 'its end', when: 'profiler', isHarmful: true },
];

/** Paths that take POST alone: GET is answered with 405. Source: the routers below entrypoints/ of 0.20.0 to 0.32.0. */
const POST_ONLY: ReadonlySet<string> = new Set([
  ...['/tokenize', '/detokenize', '/invocations', '/generative_scoring', '/scale_elastic_ep', '/is_scaling_elastic_ep'],
  ...['/pooling', '/classify', '/score', '/rerank', '/start_profile', '/stop_profile'],
  ...['chat/completions', 'completions', 'embeddings', 'messages', 'responses', 'score', 'rerank'].map(
    (name) => `${API_PATH}/${name}`,
  ),
  ...['audio/transcriptions', 'audio/translations', 'load_lora_adapter', 'unload_lora_adapter'].map(
    (name) => `${API_PATH}/${name}`,
  ),
]);

/** Whether a path takes POST alone. */
export function isPostOnly(path: string): boolean {
  return POST_ONLY.has(path);
}

/** The prefixes that the key guards in a release. */
export function guardedPrefixes(release: string): string[] {
  return GUARDED.filter((guarded) => holdsIn(guarded, release)).map(({ prefix }) => prefix);
}

/** Whether a path of the server asks for the key in a release. */
export function needsKey(path: string, release: string): boolean {
  return guardedPrefixes(release).some((prefix) => path.startsWith(prefix));
}

/** The paths of a release that answer without a key. */
export function openPaths(release: string): OpenPath[] {
  return OPEN_PATHS.filter((open) => holdsIn(open, release));
}
