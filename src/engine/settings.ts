/** One setting of `vllm serve` that a group renders. `docs/settings.md` is made from this table. */
export interface Setting {
  /** Ranks that get it: every rank must agree on what shapes the engine, the leader alone serves HTTP. */
  readonly ranks: 'all' | 'leader' | 'worker' | 'none';
  /** The prop that sets it; none where the group decides alone. */
  readonly prop?: string;
  /** Short forms that the command line takes as well. */
  readonly aliases?: readonly string[];
  /** What it does and why it is rendered. */
  readonly why: string;
}

const flags = {
  '--revision': {
    ranks: 'all',
    prop: 'modelRevision',
    why: 'Commit or tag of the model repository. Rendered when given: without it each start loads what the repository holds that day.',
  },
  '--served-model-name': {
    ranks: 'leader',
    prop: 'servedModelName',
    why: 'Name that clients use in `model`. Rendered when given.',
  },
  '--dtype': {
    ranks: 'all',
    prop: 'dtype',
    why: 'Number format of weights and activations. bfloat16, since float16 is unstable in torch on CPU and refused for Gemma 3.',
  },
  '--max-model-len': {
    ranks: 'all',
    prop: 'maxModelLen',
    why: 'Longest prompt plus answer, in tokens. Bounds the KV cache that one request can take.',
  },
  '--pipeline-parallel-size': {
    ranks: 'all',
    prop: 'pipelineParallelSize',
    aliases: ['-pp'],
    why: 'Stages that the layers are split into. Both sides hang silently when ranks differ in it.',
  },
  '--tensor-parallel-size': {
    ranks: 'all',
    prop: 'tensorParallelSize',
    aliases: ['-tp'],
    why: 'Ranks that share each layer. Needs a fast link; 1 over ordinary networks.',
  },
  '--distributed-executor-backend': {
    ranks: 'all',
    why: 'mp: ranks join by --nnodes and --master-addr. The CPU platform refuses Ray, and Ray is no longer in the image since 0.18.',
  },
  '-cc.mode': {
    ranks: 'all',
    prop: 'compilation',
    aliases: ['-cc', '--compilation-config', '-O', '--optimization-level', '--enforce-eager'],
    why: 'Compilation mode 2 keeps the warm-up pass. Mode 0 and --enforce-eager skip it on CPU since 0.27, and the second rank then fails on the first request while /health stays green.',
  },
  '-cc.backend': {
    ranks: 'all',
    prop: 'compilation',
    why: 'Compiler behind mode 2. eager traces without generating C++, which crashed gcc on arm64 for Gemma.',
  },
  '--no-async-scheduling': {
    ranks: 'all',
    aliases: ['--async-scheduling'],
    why: 'Asynchronous scheduling off, said outright. The CPU platform forces it off since 0.14; the flag keeps logs and configuration in agreement.',
  },
  '--max-num-batched-tokens': {
    ranks: 'all',
    prop: 'maxNumBatchedTokens',
    why: "Tokens of one step. vLLM's default is 2048 for each rank of the pipeline: a long prompt then stops every other stream for its whole length. 256 made that pause five times shorter and the long prompt itself 1.6 times faster.",
  },
  '--kv-cache-memory-bytes': {
    ranks: 'all',
    prop: 'kvCacheMemory',
    why: 'KV cache of a rank in bytes; rendered when the size is no whole number of GiB. Never together with VLLM_CPU_KVCACHE_SPACE, which silently wins.',
  },
  '--nnodes': {
    ranks: 'all',
    aliases: ['-n'],
    why: 'Pods of a group; equals the size of the LeaderWorkerSet.',
  },
  '--node-rank': {
    ranks: 'all',
    aliases: ['-r'],
    why: '0 on the leader; on workers $(LWS_WORKER_INDEX), which LWS injects.',
  },
  '--master-addr': {
    ranks: 'all',
    why: '$(LWS_LEADER_ADDRESS): the stable DNS name of the leader, which LWS injects.',
  },
  '--master-port': {
    ranks: 'all',
    prop: 'masterPort',
    why: 'Port of the rendezvous on the leader. Both sides wait silently when ranks differ in it.',
  },
  '--headless': {
    ranks: 'worker',
    why: 'A worker serves no HTTP; started as a full server it never joins the others.',
  },
  '--port': {
    ranks: 'leader',
    prop: 'port',
    why: 'HTTP port of the leader.',
  },
  '--enable-server-load-tracking': {
    ranks: 'leader',
    prop: 'progressLiveness',
    why: '/load then counts the requests in flight, also those that a hung engine never schedules. The liveness probe reads it.',
  },
  '--shutdown-timeout': {
    ranks: 'leader',
    prop: 'drainTimeout',
    why: 'Seconds that the leader lets running requests finish after SIGTERM.',
  },
  '--host': {
    ranks: 'none',
    why: 'Never rendered: the server listens on all addresses of the pod, which probes, Services and the liveness probe rely on.',
  },
  '--uds': { ranks: 'none', why: 'Never rendered: probes and Services need a port.' },
  '--ssl-certfile': {
    ranks: 'none',
    aliases: ['--ssl-keyfile', '--ssl-ca-certs', '--ssl-cert-reqs', '--ssl-ciphers', '--enable-ssl-refresh'],
    why: 'Never rendered: TLS ends at the balancer; probes, Service and monitor speak plain HTTP to the pod.',
  },
  '--disable-log-stats': {
    ranks: 'none',
    why: 'Never rendered: without the statistics the liveness probe and the monitor are blind.',
  },
  '--data-parallel-size': {
    ranks: 'none',
    prop: 'replicas',
    aliases: [
      '-dp',
      '-dpl',
      '-dpr',
      '-dpa',
      '-dpp',
      '-dpb',
      '-dpn',
      '--data-parallel-size-local',
      '--data-parallel-rank',
      '--data-parallel-start-rank',
      '--data-parallel-address',
      '--data-parallel-rpc-port',
      '--data-parallel-backend',
      '--data-parallel-hybrid-lb',
      '--data-parallel-external-lb',
      '--data-parallel-multi-port-external-lb',
    ],
    why: 'Never rendered: copies of the engine are groups of their own.',
  },
  '--config': { ranks: 'none', why: 'Never rendered: a file could set anything that the group sets, unseen.' },
  '--grpc': { ranks: 'none', why: 'Never rendered: it takes the place of HTTP, which probes and Services speak.' },
  '--help': { ranks: 'none', aliases: ['-h', '--version', '-v'], why: 'Never rendered: it ends the program.' },
  '--model': { ranks: 'none', prop: 'model', why: 'Rendered as the positional argument, as `vllm serve` wants it.' },
  '--api-key': {
    ranks: 'none',
    prop: 'apiKey',
    why: 'Never rendered: the command line is readable by anyone who may list pods. VLLM_API_KEY from a Secret does the same.',
  },
  '--hf-token': {
    ranks: 'none',
    prop: 'huggingFaceToken',
    why: 'Never rendered: the command line is readable by anyone who may list pods. HF_TOKEN from a Secret does the same.',
  },
} as const satisfies Record<string, Setting>;

const environment = {
  HF_TOKEN: {
    ranks: 'all',
    prop: 'huggingFaceToken',
    why: 'Token of a Hugging Face account. Every rank downloads its own files, so every rank needs it.',
  },
  VLLM_API_KEY: {
    ranks: 'leader',
    prop: 'apiKey',
    why: 'Key that guards /v1, and in newer releases /v2, /inference and /cohere. A worker has no API server to guard.',
  },
  VLLM_CPU_KVCACHE_SPACE: {
    ranks: 'all',
    prop: 'kvCacheMemory',
    why: 'KV cache of a rank in whole GiB; anything but an integer stops the engine. It silently beats --kv-cache-memory-bytes.',
  },
  VLLM_HOST_IP: {
    ranks: 'all',
    why: 'Address that a rank tells its peers: the IP of the pod. Otherwise vLLM guesses it from its default route.',
  },
  VLLM_CPU_OMP_THREADS_BIND: {
    ranks: 'all',
    prop: 'threads',
    why: "nobind: OMP_NUM_THREADS decides. The automatic binding counts the node's cores, not the pod's CPU limit, so more threads than the limit allows compete for it. 0.20 dies on nobind and gets a list of cores instead.",
  },
  OMP_NUM_THREADS: {
    ranks: 'all',
    prop: 'threads',
    why: 'Compute threads of a rank: the CPU limit less one core, which the API server, the engine core and the communication threads use.',
  },
  VLLM_PP_LAYER_PARTITION: {
    ranks: 'all',
    prop: 'layerPartition',
    why: 'Layers of each stage. Rendered when given; needed when the layers do not divide.',
  },
  VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS: {
    ranks: 'all',
    prop: 'stepTimeout',
    why: 'A step that takes longer ends the leader, and LWS recreates the group. It is the only built-in way out of a hung worker; the default of 300 s is a long time to wait.',
  },
  VLLM_ENGINE_READY_TIMEOUT_S: {
    ranks: 'leader',
    prop: 'startupBudget',
    why: 'How long the API server waits for the engine; its own default of 600 s would end a start that the startup probe still allows.',
  },
  VLLM_HTTP_TIMEOUT_KEEP_ALIVE: {
    ranks: 'leader',
    prop: 'keepAliveTimeout',
    why: "Seconds that an idle connection stays open. It must outlast the balancer's idle timeout, or the balancer reuses a connection that was just closed and answers 502; the default is 5.",
  },
  HUGGING_FACE_HUB_TOKEN: {
    ranks: 'none',
    prop: 'huggingFaceToken',
    why: 'Never rendered: an older name of HF_TOKEN.',
  },
  HF_HOME: {
    ranks: 'none',
    prop: 'weightsCache',
    why: 'Never rendered: the volume for the weights is mounted where the image keeps them by itself.',
  },
  HF_HUB_CACHE: {
    ranks: 'none',
    prop: 'weightsCache',
    why: 'Never rendered: the volume for the weights is mounted where the image keeps them by itself.',
  },
  VLLM_PORT: {
    ranks: 'none',
    why: 'Never rendered: with a fixed base for internal ports, ranks of older releases collide.',
  },
} as const satisfies Record<string, Setting>;

/** Names of the settings that are for some rank. */
type Rendered<Table extends Record<string, Setting>> = {
  [Name in keyof Table]: Table[Name]['ranks'] extends 'none' ? never : Name;
}[keyof Table];

/** A flag that the rendering may write. */
export type RenderedFlag = Rendered<typeof flags>;
/** An environment variable that the rendering may write. */
export type RenderedVariable = Rendered<typeof environment>;

/** A flag that the group renders, or refuses in the user's arguments. */
export type FlagName = keyof typeof flags;
/** An environment variable that the group renders, or refuses in the user's environment. */
export type EnvironmentName = keyof typeof environment;

/** Every flag that a group renders or refuses, by its long name. */
export const FLAGS: Readonly<Record<FlagName, Setting>> = flags;
/** Every environment variable that a group renders or refuses. */
export const ENVIRONMENT: Readonly<Record<EnvironmentName, Setting>> = environment;
