/** A line for each symptom, as logs, events and tools write it. Those with a process in front are from real runs. */
export const SYMPTOM_LINES: Readonly<Record<string, string | readonly string[]>> = {
  // Requests and steps.
  'pipeline-buffer-missing':
    '(Worker_PP1 pid=7381) ERROR 11-29 18:33:58 [multiproc_executor.py:1063]     assert self.intermediate_tensors is not None',
  'request-missing-from-output': [
    "(EngineCore pid=7388) ERROR 11-29 18:33:53 [core.py:1512] KeyError: 'chatcmpl-b5590fd11b11fc61'",
    '(EngineCore pid=7388) ERROR 11-29 18:33:53 [core.py:1512]     req_index = model_runner_output.req_id_to_index[req_id]',
  ],
  'pipeline-not-on-cpu': "AttributeError: module 'torch.distributed' has no attribute 'recv_tensor_dict'",
  'triton-kernel-on-cpu': [
    '    _zero_kv_blocks_kernel[grid](',
    'ERROR [multiproc_executor.py:901]   File "vllm/utils/cpu_triton_utils.py", line 30, in _compute_slot_mapping_kernel_impl',
    'ERROR [multiproc_executor.py:901]     _compute_slot_mapping_kernel[(num_tokens,)](',
  ],
  'step-timeout':
    '(EngineCore pid=7388) ERROR 11-29 18:33:53 [core.py:1512] TimeoutError: RPC call to sample_tokens timed out.',
  'peer-closed': [
    '(Worker_PP1 pid=27279) ERROR 11-29 18:53:36 [multiproc_executor.py:1063] RuntimeError: [/__w/pytorch/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [10.94.0.1]:40351. This is typically caused by a remote worker crashing.',
    '(Worker_PP0 pid=31031) ERROR 11-29 18:41:45 [multiproc_executor.py:1063] RuntimeError: [/__w/pytorch/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:537] Read error [10.94.0.2]:51907: Connection reset by peer.',
  ],
  'gloo-timeout':
    'RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 1800000ms for recv operation to complete',
  'worker-exception':
    '(Worker_PP1 pid=7381) ERROR 11-29 18:33:58 [multiproc_executor.py:1063] WorkerProc hit an exception.',
  'engine-fatal-error':
    '(EngineCore pid=7388) ERROR 11-29 18:33:53 [core.py:1512] EngineCore encountered a fatal error.',
  'engine-dead':
    '(APIServer pid=12661) ERROR 11-29 18:48:47 [async_llm.py:871] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.',
  'image-cache-miss':
    "(EngineCore pid=31) ERROR 11-29 18:45:33 [core.py:2012] Multi-modal cache miss for request chatcmpl-1 (mm_hashes=['a1']): P0/P1 cache",
  'prompt-too-long':
    '{"error":{"message":"This model\'s maximum context length is 4096 tokens. However, you requested 100 output tokens","code":400}}',
  'model-name-unknown': '{"error":{"message":"The model `gemma` does not exist.","type":"NotFoundError","code":404}}',
  'chat-template-missing':
    'ValueError: As of transformers v4.44, default chat template is no longer allowed, so you must provide a chat template if the tokenizer does not define one.',
  'key-missing': ['{"error":"Unauthorized"}', '{"error": "Unauthorized"}'],
  'bad-gateway': '<head><title>502 Bad Gateway</title></head>',
  'gateway-timeout': '<head><title>504 Gateway Time-out</title></head>',

  // Ranks and their flags.
  'leader-name-unknown': [
    '[W1129 18:46:58.101 socket.cpp:767] [c10d] The IPv6 network addresses of (vllm-gemma-0.vllm-gemma.vllm, 29501) cannot be retrieved (gai error: -2 - Name or service not known).',
    '[W1129 18:46:58.101 socket.cpp:767] [c10d] The IPv4 network addresses of (gemma-0.gemma.default, 29501) cannot be retrieved (gai error: -3 - Temporary failure in name resolution).',
  ],
  'leader-unreachable': [
    'torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (vllm-gemma-0.vllm-gemma.vllm, 29501).',
    'torch.distributed.DistNetworkError: The client socket has failed to connect to any network address of (vllm-gemma-0.vllm-gemma.vllm, 29501).',
  ],
  'port-taken': [
    'torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29501, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use',
    'OSError: [Errno 98] Address already in use',
  ],
  'gloo-full-mesh-failed':
    'RuntimeError: Gloo connectFullMesh failed with [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:144] no error, remote=[127.0.0.1]:41233',
  'gloo-loopback':
    '[W1129 18:46:58.1 ProcessGroupGloo.cpp:757] Warning: Unable to resolve hostname to a (local) address. Using the loopback address as fallback.',
  'gloo-interface-unknown':
    'RuntimeError: [enforce fail at /pytorch/third_party/gloo/gloo/transport/tcp/device.cc:83] ifa != nullptr. Unable to find address for: ^lo,docker',
  'port-variable-is-uri':
    "ValueError: VLLM_PORT 'tcp://172.20.14.3:8000' appears to be a URI. This may be caused by a Kubernetes service discovery issue,check the warning in: https://docs.vllm.ai/en/latest/configuration/env_vars.html",
  'worker-serves-http': 'AssertionError: collective_rpc should not be called on follower node',
  'headless-with-api-servers': [
    'ValueError: --api-server-count=1 cannot be used with --headless (no API servers are started in headless mode).',
    "ValueError: api_server_count can't be set in headless mode",
  ],
  'several-ranks-in-pod': '(EngineCore pid=5) ERROR [core.py:1512]     assert local_message_queue is not None',
  'rank-group-too-large': 'RuntimeError: Expected group_size <= 8 to be true, but got false.',
  'nodes-do-not-divide': [
    'ValueError: Invalid data-parallel launch options: `--nnodes 3` must evenly divide the total world size (2). Adjust',
    'AssertionError: world_size=2 must be divisible by nnodes=3.',
    'AssertionError: global world_size (3) must be divisible by nnodes_within_dp (2).',
  ],
  'node-rank-out-of-range':
    "ValueError: Invalid data-parallel launch options: `--node-rank` must be between 0 and 1; got `--node-rank 2`. Set it to this node's zero-based index.",
  'executor-not-for-nodes':
    'nnodes > 1 can only be set when distributed executor backend is mp, uni or external_launcher.',
  'executor-not-for-pipeline':
    'NotImplementedError: Pipeline Parallelism without Ray distributed executor or multiprocessing executor or external launcher is not supported.',
  'ray-on-cpu': 'ValueError: current platform cpu does not support ray.',
  'ray-missing': "ValueError: Failed to import Ray: No module named 'ray'.Please install Ray with `pip install ray`.",
  'ray-pipeline-layers': "KeyError: 'model.layers.13.self_attn.attn'",
  'heads-do-not-divide':
    'Value error, Total number of attention heads (4) must be divisible by tensor parallel size (3).',
  'layer-partition-wrong': [
    'ValueError: sum(partitions)=29 does not match num_hidden_layers=28.',
    'ValueError: len(partitions)=3 does not match pp_size=2.',
  ],
  'model-without-pipeline':
    'NotImplementedError: Pipeline parallelism is not supported for this model. Supported models implement the `SupportsPP` interface.',
  'shared-layers-split':
    'ValueError: Specified KV sharing target layer for model.layers.30.self_attn.attn is not valid: target layer model.layers.28.self_attn.attn is not a valid Attention layer in the model.',
  'context-too-long':
    "Value error, User-specified max_model_len (100000) is greater than the derived max_model_len (max_position_embeddings=8192.0 or model_max_length=None in model's config.json).",
  'float16-refused':
    "Value error, The model type 'gemma3_text' does not support float16. Reason: Numerical instability. Please use bfloat16 or float32 instead.",
  'block-size-unsupported': 'ValueError: No common block size for 16 (CPU_ATTN: [MultipleOf(32)])',
  'flag-unknown': 'vllm: error: unrecognized arguments: --swap-space=4',
  'tool-parser-missing': 'TypeError: Error: --enable-auto-tool-choice requires --tool-call-parser',
  'package-without-metadata': 'importlib.metadata.PackageNotFoundError: No package metadata was found for vllm',
  'queue-stalled':
    '(EngineCore pid=12984) INFO 11-29 18:48:53 [shm_broadcast.py:698] No available shared memory broadcast block found in 60 seconds. This typically happens when some processes are hanging or doing some time-consuming work (e.g. compilation, weight/kv cache quantization).',
  'worker-died': [
    '(EngineCore pid=9) ERROR [multiproc_executor.py:245] Worker proc VllmWorker-1 died unexpectedly, shutting down executor.',
    '(EngineCore pid=9) ERROR [multiproc_executor.py:316] Worker proc VllmWorker-1 died unexpectedly (exit code: 1), shutting down executor.',
  ],
  'engine-start-timeout':
    'TimeoutError: Timed out waiting for engine core processes to start. This is often caused by slow weight loading for large models. Waited 600s (configured by VLLM_ENGINE_READY_TIMEOUT_S).',
  'worker-start-failed':
    'Exception: WorkerProc initialization failed due to an exception in a background process. See stack trace for root cause.',
  'engine-start-failed':
    'RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}',
  'ended-while-loading': 'KeyboardInterrupt: terminated',

  // Processor, threads and memory.
  'compiler-crash': ['during GIMPLE pass: vect', 'model.cpp:812:12: internal compiler error: Segmentation fault'],
  'compile-failed': 'torch._inductor.exc.InductorError: CppCompileError: C++ compile error',
  'no-compiler':
    "torch._inductor.exc.InvalidCxxCompiler: No working C++ compiler found in torch._inductor.config.cpp.cxx: (None, 'g++')",
  'illegal-instruction': [
    'Illegal instruction (core dumped)',
    '    Exit Code:    132',
    'ERROR [multiproc_executor.py:316] Worker proc VllmWorker-0 died unexpectedly (exit code: -4), shutting down executor.',
  ],
  'exec-format-error': [
    'exec /opt/venv/bin/vllm: exec format error',
    'standard_init_linux.go:228: exec user process caused: exec format error',
  ],
  'bus-error': [
    'Bus error (core dumped)',
    '!!!!!!! Segfault encountered !!!!!!! Fatal Python error: SIGBUS',
    'Worker proc VllmWorker-0 died unexpectedly (exit code: -7), shutting down executor.',
  ],
  'shared-memory-too-small': [
    'RuntimeError: Insufficient space in /dev/shm: 160 MiB required, 64 MiB free. Increase /dev/shm (e.g. --shm-size or --ipc=host).',
    'RuntimeError: Insufficient space in /dev/shm for message queue: 160 MiB required, 64 MiB free. Increase /dev/shm (e.g. --shm-size or --ipc=host).',
  ],
  'out-of-memory': [
    '      Reason:       OOMKilled',
    '(EngineCore pid=9) ERROR [multiproc_executor.py:316] Worker proc VllmWorker-0 died unexpectedly (exit code: -9), shutting down executor.',
    'Memory cgroup out of memory: Killed process 4711 (VLLM::Worker_PP) total-vm:1kB',
  ],
  killed: ['      Exit Code:    137', '"exitCode": 137,'],
  'too-few-numa-nodes':
    'AssertionError: Not enough allowed NUMA nodes to bind threads of 2 local CPUWorkers. Allowed NUMA nodes are [0]. Please try to bind threads manually or decrease DP/TP/PP.',
  'core-lists-do-not-match': "AssertionError: Given number of CPU id list ['0'] doesn't match local world size 2.",
  'nobind-unsupported': '    msg += f"\\tlocal_rank={i}, core ids={self.cpu_lists[i]}\\n"',
  'memory-policy-denied': 'get_mempolicy: Operation not permitted',
  'memory-short-at-start':
    'ValueError: Available memory on node 0 (12.1/31.0 GiB) on startup is less than desired CPU memory utilization (0.92, 28.5 GiB).',
  'memory-short-for-kv-cache':
    'ValueError: Available memory on node 0 (149.0/692.0 GiB) on kv cache allocation is less than requested memory for kv (487.1 GiB).',
  'no-kv-memory':
    'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.',
  'kv-cache-too-small':
    "ValueError: To serve at least one request with the model's max seq len (8192), (1.13 GiB KV cache is needed, which is larger than the available KV cache memory (0.99 GiB). Based on the available memory, the estimated maximum model length is 7168.",
  'number-not-whole': [
    "  Value error, invalid literal for int() with base 10: '0.5' [type=value_error]",
    "  Value error, invalid literal for int() with base 10: '4Gi' [type=value_error]",
  ],
  'fp8-kv-cache-on-cpu': [
    'NotImplementedError: FP8 KV cache on CPU requires x86 with AVX-512 or AMX.',
    'NotImplementedError: FP8 KV cache is unsupported in CPU_ATTN',
  ],
  'environment-variable-unknown':
    'WARNING [envs.py:2301] Unknown vLLM environment variable detected: VLLM_LEADER_SERVICE_HOST',

  // The model and its files.
  'gated-not-accepted':
    'Access to model google/gemma-3-1b-it is restricted and you are not in the authorized list. Visit https://huggingface.co/google/gemma-3-1b-it to ask for access.',
  'gated-without-token':
    'Access to model google/gemma-3-1b-it is restricted. You must have access to it and be authenticated to access it. Please log in.',
  'gated-model': [
    'Cannot access gated repo for url https://huggingface.co/google/gemma-3-1b-it/resolve/main/config.json.',
    'OSError: You are trying to access a gated repo.',
    'huggingface_hub.errors.GatedRepoError: 403 Client Error.',
    '403 GatedRepo',
  ],
  'token-invalid': 'HfHubHTTPError: 401 Client Error. Invalid credentials in Authorization header',
  'model-not-found': 'Repository Not Found for url: https://huggingface.co/api/models/google/gemma-3-1b-itt.',
  'revision-not-found':
    'Revision Not Found for url: https://huggingface.co/google/gemma-3-1b-it/resolve/v9/config.json.',
  'model-path-invalid': 'ValueError: Invalid repository ID or local directory specified: /models/gemma',
  'hub-unreachable': [
    "OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them in the cached files.",
    'huggingface_hub.errors.LocalEntryNotFoundError: An error happened while trying to locate the file',
  ],
  'hub-offline':
    'Cannot reach https://huggingface.co/api/models/x: offline mode is enabled. To disable it, please unset the `HF_HUB_OFFLINE` environment variable.',
  'hub-rate-limit': 'HfHubHTTPError: 429 Client Error: Too Many Requests for url: https://huggingface.co/api/models/x',
  'model-type-unknown':
    'ValueError: The checkpoint you are trying to load has model type `gemma5` but Transformers does not recognize this architecture.',
  'architecture-unsupported':
    "ValueError: Model architectures ['Gemma5ForCausalLM'] are not supported for now. Supported architectures: dict_keys([])",
  'remote-code':
    'ValueError: The repository a/b contains custom code which must be executed to correctly load the model.',
  'weights-broken': 'safetensors_rust.SafetensorError: Error while deserializing header: header too large',
  'cache-not-writable': "PermissionError: [Errno 13] Permission denied: '/root/.cache/huggingface/hub'",
  'disk-full': 'OSError: [Errno 28] No space left on device',

  // Kubernetes.
  'unschedulable-resources':
    '0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient memory. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
  'unschedulable-affinity': [
    "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
    "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.",
  ],
  'unschedulable-taint': '0/2 nodes are available: 2 node(s) had untolerated taint {dedicated: llm}.',
  'volume-in-other-zone': [
    '0/2 nodes are available: 2 node(s) had volume node affinity conflict.',
    'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) vllm-gemma-0',
  ],
  'claim-missing': [
    'persistentvolumeclaim "weights" not found',
    '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
  ],
  'image-missing': [
    'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/vllm/vllm-openai-cpu:v9": failed to resolve reference "docker.io/vllm/vllm-openai-cpu:v9": docker.io/vllm/vllm-openai-cpu:v9: not found',
    'manifest unknown: Requested image not found',
  ],
  'image-of-other-architecture': 'failed to pull and unpack image: no match for platform in manifest: not found',
  'image-pull-limit': 'toomanyrequests: You have reached your unauthenticated pull rate limit.',
  'image-pull-failed': [
    'vllm-gemma-0-1   0/1     ImagePullBackOff   0          3m',
    'Failed to pull image "vllm/vllm-openai-cpu:v0.31.0-arm64": denied',
  ],
  'secret-missing': ['Error: secret "hf-token" not found', "Error: couldn't find key token in Secret vllm/hf-token"],
  'pod-security':
    'create Pod vllm-gemma-0 in StatefulSet vllm-gemma failed error: pods "vllm-gemma-0" is forbidden: violates PodSecurity "baseline:latest": non-default capabilities (container "vllm" must not include "SYS_NICE" in securityContext.capabilities.add)',
  'webhook-unreachable': [
    'Internal error occurred: failed calling webhook "mleaderworkerset.kb.io": failed to call webhook',
    'no endpoints available for service "lws-webhook-service"',
  ],
  'lws-missing':
    'error: resource mapping not found for name: "vllm-gemma" namespace: "vllm" from "app.yaml": no matches for kind "LeaderWorkerSet" in version "leaderworkerset.x-k8s.io/v1"',
  'lws-crd-too-long':
    'The CustomResourceDefinition "leaderworkersets.leaderworkerset.x-k8s.io" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
  'group-not-created':
    'FailedCreate: Failed to create leader statefulset vllm-gemma: spec.template.spec.containers[0].resources.requests: Invalid value: "6": must be less than or equal to cpu limit of 5',
  'group-name-too-long':
    'create Pod failed error: Pod "x" is invalid: metadata.labels: Invalid value: "aaaa-0-7d9c5b5f6": must be no more than 63 characters',
  'group-recreated':
    'RecreateGroup: Worker pod vllm-gemma-0-1 failed, deleted leader pod vllm-gemma-0 to recreate group 0',
  'startup-probe-failed': 'Container vllm failed startup probe, will be restarted',
  'liveness-probe-failed': 'Container vllm failed liveness probe, will be restarted',
  'container-restarts': [
    'Back-off restarting failed container vllm in pod vllm-gemma-0_vllm(1234)',
    'vllm-gemma-0   0/1   CrashLoopBackOff   4   6m',
  ],
  'evicted-for-storage': [
    'Pod ephemeral local storage usage exceeds the total limit of containers 20Gi.',
    'Usage of EmptyDir volume "cache" exceeds the limit "4Gi".',
  ],
  'eviction-blocked': "Cannot evict pod as it would violate the pod's disruption budget.",
  'balancer-not-built':
    'Warning  FailedBuildModel  ingress  Failed build model due to unable to find port 9999 on service vllm/vllm-leader',
};

/** Lines of starts and requests where nothing was wrong, from 0.21.0, 0.31.0 and 0.32.0, and of Kubernetes. */
export const ORDINARY_LINES: readonly string[] = [
  'W1129 18:46:54.168000 12661 torch/utils/flop_counter.py:29] triton not found; flop counting will not work for triton kernels',
  'W1129 18:47:01.758000 12661 torch/_library/triton.py:53] Triton not available, find_triton_kernels = []',
  "(APIServer pid=12661) INFO 11-29 18:47:02 [api_utils.py:286] non-default args: {'model_tag': 'google/gemma-3-1b-it', 'enable_server_load_tracking': True, 'dtype': 'bfloat16', 'max_model_len': 4096, 'distributed_executor_backend': 'mp', 'shutdown_timeout': 30}",
  '(APIServer pid=12661) WARNING 11-29 18:47:02 [system_utils.py:249] Found ulimit of 20000 and failed to automatically increase with error current limit exceeds maximum limit. This can cause fd limit errors like `OSError: [Errno 24] Too many open files`. Consider increasing with ulimit -n',
  '(APIServer pid=12661) INFO 11-29 18:47:15 [model.py:699] Resolved architecture: Gemma3ForCausalLM',
  '(APIServer pid=12661) INFO 11-29 18:47:15 [model.py:2109] Using max model len 4096',
  '(APIServer pid=12661) INFO 11-29 18:47:15 [arg_utils.py:2407] Inferred data_parallel_rank 0 from node_rank 0',
  '(APIServer pid=12661) INFO 11-29 18:47:15 [scheduler.py:308] Chunked prefill is enabled with max_num_batched_tokens=256.',
  '(APIServer pid=12661) WARNING 11-29 18:47:15 [vllm.py:1750] Inductor compilation was disabled by user settings, optimizations settings that are only active during inductor compilation will be ignored.',
  '(APIServer pid=12661) INFO 11-29 18:47:15 [vllm.py:1112] Cudagraph mode FULL_AND_PIECEWISE is not compatible with compilation mode 2. Overriding to FULL_DECODE_ONLY.',
  '(APIServer pid=12661) WARNING 11-29 18:47:15 [cpu.py:207] Triton is not installed. triton-cpu is expected on x86 CPUs.',
  '(APIServer pid=12661) WARNING 11-29 18:47:15 [vllm.py:747] Model Runner V2 requires Triton; using the V1 model runner instead.',
  "(EngineCore pid=12984) INFO 11-29 18:47:23 [core.py:129] Initializing a V1 LLM engine (v0.31.0) with config: model='google/gemma-3-1b-it', speculative_config=None, tokenizer='google/gemma-3-1b-it', skip_tokenizer_init=False, tokenizer_mode=auto",
  '(EngineCore pid=12984) INFO 11-29 18:47:23 [multiproc_executor.py:153] DP group leader: node_rank=0, node_rank_within_dp=0, master_addr=vllm-gemma-0.vllm-gemma.vllm, mq_connect_ip=10.94.0.1 (local), world_size=2, local_world_size=1',
  "(EngineCore pid=12984) INFO 11-29 18:47:23 [ompmultiprocessing.py:185] \tVLLM_CPU_OMP_THREADS_BIND='nobind', auto_setup=False, skip_setup=True",
  '(EngineCore pid=12984) INFO 11-29 18:47:23 [ompmultiprocessing.py:185] \tlocal_rank=0, core ids=[0]',
  "(VllmWorker-0 pid=13180) WARNING 11-29 18:47:31 [indexer_topk.py:35] Failed to import the DeepSelect extension (vllm._deepselect_C): No module named 'vllm._deepselect_C'",
  '[W1129 18:47:31.833677753 utils.cpp:68] Warning: NUMA binding: Using MEMBIND policy for memory allocation on the NUMA nodes (0). Memory allocations will be strictly bound to these NUMA nodes. (function init_cpu_memory_env)',
  '(Worker pid=13180) WARNING 11-29 18:47:31 [cpu_worker.py:114] libtcmalloc is not found in LD_PRELOAD. For best performance, please follow the section `set LD_PRELOAD` in https://docs.vllm.ai/en/latest/getting_started/installation/cpu/',
  '(Worker pid=13180) INFO 11-29 18:47:31 [parallel_state.py:1825] world_size=2 rank=0 local_rank=0 distributed_init_method=tcp://vllm-gemma-0.vllm-gemma.vllm:29501 backend=gloo',
  '[W1129 18:47:31.836552189 socket.cpp:207] [c10d] The hostname of the client socket cannot be retrieved. err=-3',
  '(Worker pid=13180) INFO 11-29 18:47:31 [cpu_communicator.py:47] CPU SHM communicator disabled for group pp:0: ranks do not share the same SHM group name, falling back to torch.distributed.',
  '(Worker pid=13180) INFO 11-29 18:47:31 [parallel_state.py:2269] rank 0 in world size 2 is assigned as DP rank 0, PP rank 0, PCP rank 0, TP rank 0, ETP rank 0, EP rank N/A, EPLB rank N/A',
  '(Worker_PP0 pid=13180) INFO 11-29 18:47:31 [cpu_model_runner.py:69] Starting to load model google/gemma-3-1b-it...',
  '(Worker_PP0 pid=13180) INFO 11-29 18:47:32 [weight_utils.py:1063] Filesystem type for checkpoints: EXT4. Checkpoint size: 0.01 GiB. Available RAM: 20.57 GiB.',
  'Loading safetensors checkpoint shards: 100% Completed | 1/1 [00:00<00:00, 136.68it/s]',
  '(Worker_PP0 pid=13180) INFO 11-29 18:47:32 [default_loader.py:484] Loading weights took 0.02 seconds',
  '(Worker_PP0 pid=13180) INFO 11-29 18:47:32 [cpu_model_runner.py:88] Warming up model for the compilation...',
  '(Worker_PP0 pid=13180) WARNING 11-29 18:47:32 [decorators.py:663] Detected eager backend, disabling AOT compile.',
  '(Worker_PP0 pid=13180) INFO 11-29 18:47:34 [cpu_worker.py:260] Explicitly set (1.0/12.59) GiB for KV cache on node 0.',
  '(EngineCore pid=12984) INFO 11-29 18:47:52 [kv_cache_utils.py:2464] CPU KV cache size: 1,412,818 tokens, Maximum concurrency for 4,096 tokens per request: 344.93x',
  '(EngineCore pid=9) INFO [kv_cache_utils.py:1711] GPU KV cache size: 524,288 tokens',
  '(EngineCore pid=12984) INFO 11-29 18:47:53 [core.py:380] init engine (profile, create kv cache, warmup model) took 21.41 s',
  '(MainProcess pid=12662) INFO 11-29 18:47:15 [serve.py:221] Launching vLLM (v0.31.0) headless multiproc executor, with head node address vllm-gemma-0.vllm-gemma.vllm:29501 for torch.distributed process group.',
  '(Worker_PP1 pid=12977) INFO 11-29 18:49:38 [multiproc_executor.py:838] Parent process exited, terminating worker queues',
  '(MainProcess pid=12662) INFO 11-29 18:49:38 [multiproc_executor.py:474] [shutdown] Executor: waiting for worker exit count=1',
  '(MainProcess pid=12662) WARNING 11-29 18:49:43 [multiproc_executor.py:486] [shutdown] Executor: workers still running after grace period; sending SIGTERM count=1',
  '(MainProcess pid=12662) WARNING 11-29 18:49:47 [multiproc_executor.py:496] [shutdown] Executor: workers still running after SIGTERM; sending SIGKILL count=1',
  'UserWarning: resource_tracker: There appear to be 1 leaked semaphore objects to clean up at shutdown',
  '(APIServer pid=12661) INFO:     Started server process [12661]',
  '(APIServer pid=12661) INFO:     Application startup complete.',
  '(APIServer pid=12661) INFO:     10.244.1.7:51234 - "GET /health HTTP/1.1" 200 OK',
  '(APIServer pid=12661) INFO:     10.244.1.7:51234 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
  '(APIServer pid=12661) INFO:     10.244.1.7:51234 - "GET /v1/models HTTP/1.1" 401 Unauthorized',
  '(APIServer pid=12661) INFO 11-29 18:50:03 [loggers.py:259] Engine 000: Avg prompt throughput: 1.4 tokens/s, Avg generation throughput: 6.4 tokens/s, Running: 1 reqs, Waiting: 0 reqs, GPU KV cache usage: 0.1%, Prefix cache hit rate: 0.0%',
  'WARNING [jit_monitor.py:110] Triton kernel JIT compilation during inference: _compute_slot_mapping_kernel. This causes a latency spike.',
  'INFO 11-29 18:37:56 [vllm.py:886] Asynchronous scheduling is disabled.',
  'Successfully assigned vllm/vllm-gemma-0 to ip-10-0-1-17.ec2.internal',
  'Pulling image "vllm/vllm-openai-cpu:v0.31.0-arm64"',
  'Successfully pulled image "vllm/vllm-openai-cpu:v0.31.0-arm64" in 41.2s',
  'Startup probe failed: Get "http://10.244.1.7:8000/health": dial tcp 10.244.1.7:8000: connect: connection refused',
  'vllm-gemma-0     1/1     Running   0          3m12s',
  '      Exit Code:    0',
  'Replicas are progressing',
  'All replicas are ready',
];
