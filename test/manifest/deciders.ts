import { splitOrdinal } from '../../src/engine/lws';
import {
  dig,
  type EngineContainer,
  type EngineGroup,
  type EngineSettings,
  get,
  hasServiceLinks,
  type KubernetesObject,
  podsMatching,
  podsSelectedBy,
  readDisruptionBudget,
  readIngress,
  readMonitor,
  readService,
  readVolumeClaim,
  type Reading,
  type RolePod,
  scaleTargetOf,
  serviceLinks,
  sharedMemory,
  textMapOf,
  textOf,
} from '../../src/manifest';

/** What a fault was seen by: the object, and the JSON path in it. */
export interface Evidence {
  readonly object: KubernetesObject;
  readonly path: string;
}

type Server = EngineContainer & { settings: EngineSettings };
type Decider = (reading: Reading, objects: readonly KubernetesObject[]) => Evidence[];

/** Decides by one server after another. */
function byServer(decide: (server: Server, pod: RolePod, group: EngineGroup) => string | undefined): Decider {
  return ({ groups }) =>
    groups.flatMap((group) =>
      group.pods.flatMap((pod) =>
        pod.engines.flatMap((engine) => {
          const path = engine.settings === undefined ? undefined : decide(engine as Server, pod, group);
          return path === undefined ? [] : [{ object: group.object, path }];
        }),
      ),
    );
}

/** Decides by one group after another. */
function byGroup(decide: (group: EngineGroup) => string | undefined): Decider {
  return ({ groups }) =>
    groups.flatMap((group) => {
      const path = decide(group);
      return path === undefined ? [] : [{ object: group.object, path }];
    });
}

/** Decides by one object of a kind after another. */
function byKind(kind: string, decide: (object: KubernetesObject, reading: Reading) => string | undefined): Decider {
  return (reading, objects) =>
    objects
      .filter((object) => object.kind === kind)
      .flatMap((object) => {
        const path = decide(object, reading);
        return path === undefined ? [] : [{ object, path }];
      });
}

const when = (isFault: boolean | undefined, path: string | undefined) => (isFault === true ? path : undefined);
const template = (group: EngineGroup, ...keys: string[]) => dig(group.object, 'spec', 'leaderWorkerTemplate', ...keys);
const gpus = ({ resources }: EngineContainer) => resources.limits.get('nvidia.com/gpu')?.value ?? 0;
const isCpuPipeline = ({ image, settings }: Server) =>
  image?.backend === 'cpu' && (settings.pipelineParallelSize.value ?? 1) > 1;
const unlike = (group: EngineGroup, name: keyof EngineSettings) => {
  const [leader, worker] = [group.leader, group.worker].map((pod) => pod?.engine?.settings?.[name]);
  const [a, b] = [leader, worker].map((setting) => (typeof setting === 'object' ? setting : undefined));
  return a?.value !== undefined && b?.value !== undefined && a.value !== b.value ? b.path : undefined;
};
const gated = (model = '') => /^(meta-llama|google\/gemma)/.test(model);

/**
 * How each kind of fault can be told from what is read, in a few lines: what the rules are built on, not the rules
 * themselves, which know releases, exceptions and words.
 */
export const DECIDERS: Readonly<Record<string, Decider>> = {
  'lws/service-name-collision': ({ groups }, objects) =>
    objects
      .filter(({ kind }) => kind === 'Service')
      .filter(({ metadata: { name } }) =>
        groups.some((group) => {
          const isUnique = dig(group.object, 'spec', 'networkConfig', 'subdomainPolicy') === 'UniquePerReplica';
          return group.kind === 'LeaderWorkerSet' && group.name === (isUnique ? splitOrdinal(name)?.base : name);
        }),
      )
      .map((object) => ({ object, path: 'metadata.name' })),
  'k8s/undefined-variable': ({ groups }) =>
    groups.flatMap(({ object, pods }) =>
      pods.flatMap(({ engine }) =>
        (engine?.unresolved ?? []).filter(({ isShell }) => !isShell).map(({ path }) => ({ object, path })),
      ),
    ),
  'vllm/follower-not-headless': byServer(({ command, settings }, { role }) =>
    when(role === 'worker' && settings.nnodes.isGiven && command.isOn('--headless') === false, command.path),
  ),
  'vllm/follower-module-entrypoint': byServer(({ command }, { role }) =>
    when(role === 'worker' && command.form === 'module' && command.isOn('--headless'), command.path),
  ),
  'vllm/world-size-exceeds-devices': byServer((engine, _, group) =>
    when(
      gpus(engine) > 0 &&
        engine.command.ray === undefined &&
        (engine.settings.worldSize ?? 0) > gpus(engine) * (group.size ?? Infinity),
      engine.settings.tensorParallelSize.path,
    ),
  ),
  'vllm/nnodes-group-size': byServer(({ settings: { nnodes } }, _, { kind, size }) =>
    when(
      kind === 'LeaderWorkerSet' && nnodes.isGiven && nnodes.value !== undefined && nnodes.value !== size,
      nnodes.path,
    ),
  ),
  'vllm/shm-too-small': byServer((engine, pod) =>
    when(
      engine.image?.backend === 'cpu' && (sharedMemory(engine, pod).bytes ?? Infinity) < 160 * 1024 ** 2,
      `${pod.path}.volumes`,
    ),
  ),
  'lws/no-group-restart': byGroup((group) =>
    when(
      (group.size ?? 1) > 1 && template(group, 'restartPolicy') === 'None',
      'spec.leaderWorkerTemplate.restartPolicy',
    ),
  ),
  'lws/leader-ready-deadlock': byGroup(({ object, size = 1 }) =>
    when(size > 1 && dig(object, 'spec', 'startupPolicy') === 'LeaderReady', 'spec.startupPolicy'),
  ),
  'vllm/liveness-kills-loading': byServer(({ livenessProbe, startupProbe }) =>
    when(startupProbe === undefined && (livenessProbe?.patienceSeconds ?? Infinity) < 300, livenessProbe?.path),
  ),
  'vllm/service-links-port-clash': (reading, objects) =>
    objects
      .filter(({ kind }) => kind === 'Service')
      .map(readService)
      .filter((service) => hasServiceLinks(service) && serviceLinks(service).includes('VLLM_PORT'))
      .filter(({ namespace }) =>
        reading.groups.some(
          (group) => group.namespace === namespace && group.pods.some(({ enableServiceLinks }) => enableServiceLinks),
        ),
      )
      .map(({ object }) => ({ object, path: 'metadata.name' })),
  'lws/service-selects-workers': byKind('Service', (object, { groups }) => {
    const selected = podsSelectedBy(readService(object), groups);
    return when(
      selected.some(({ pod }) => pod.role === 'worker' && pod.engine?.command.isOn('--headless')),
      'spec.selector',
    );
  }),
  'k8s/selector-matches-nothing': byKind('Service', (object, { workloads }) => {
    const service = readService(object);
    return when(service.selector.size > 0 && podsSelectedBy(service, workloads).length === 0, 'spec.selector');
  }),
  'k8s/host-network-dns': byServer(({ settings }, pod) =>
    when(
      pod.hostNetwork &&
        pod.dnsPolicy !== 'ClusterFirstWithHostNet' &&
        settings.masterAddr.text?.source === 'LWS_LEADER_ADDRESS',
      pod.path,
    ),
  ),
  'vllm/gloo-interface-list': byServer((engine) => {
    const variable = engine.variable('GLOO_SOCKET_IFNAME');
    return when(/^[\^=]/.test(variable?.text.value ?? ''), variable?.path);
  }),
  'vllm/rank-flag-drift': byGroup((group) =>
    (['maxModelLen', 'kvCacheDtype', 'pipelineParallelSize', 'masterPort', 'nnodes'] as const)
      .map((name) => unlike(group, name))
      .find((path) => path !== undefined),
  ),
  'lws/name-too-long': byGroup(({ name, kind }) =>
    when(kind === 'LeaderWorkerSet' && name.length > 50, 'metadata.name'),
  ),
  'lws/rollout-budget-zero': byGroup(({ object, replicas = 1 }) => {
    const budget = dig(object, 'spec', 'rolloutStrategy', 'rollingUpdateConfiguration');
    const percent = Number(/^(\d+)%$/.exec(textOf(get(budget, 'maxUnavailable')) ?? '')?.[1]);
    return when(
      Math.floor((percent * replicas) / 100) === 0 && get(budget, 'maxSurge') === 0,
      'spec.rolloutStrategy.rollingUpdateConfiguration',
    );
  }),
  'lws/subgroup-size': byGroup((group) => {
    const size = template(group, 'subGroupPolicy', 'subGroupSize') as number;
    return when(
      (group.size ?? 1) % size > 0 && ((group.size ?? 1) - 1) % size > 0,
      'spec.leaderWorkerTemplate.subGroupPolicy',
    );
  }),
  'lws/duplicate-env': ({ groups }) =>
    groups
      .filter(({ kind }) => kind === 'LeaderWorkerSet')
      .flatMap(({ object, pods }) =>
        pods
          .flatMap(({ containers, initContainers }) => [...containers, ...initContainers])
          .flatMap(({ environment }) => environment.variables)
          .filter(({ state }) => state === 'repeated')
          .map(({ path }) => ({ object, path })),
      ),
  'vllm/ray-bootstrap-version': ({ groups }) =>
    groups.flatMap(({ object, pods }) =>
      pods.flatMap(({ engine }) => {
        const minor = Number(engine?.image?.version?.split('.')[1] ?? 0);
        const isMoved = engine?.command.ray?.script?.includes('/online_serving/') === true;
        return isMoved && minor >= 21 ? [{ object, path: engine.command.path }] : [];
      }),
    ),
  'vllm/guarded-probe-path': byServer(({ settings, startupProbe, readinessProbe }) => {
    const probe = [startupProbe, readinessProbe].find((each) => each?.httpPath?.startsWith('/v1'));
    return when(settings.apiKey.value === true && probe !== undefined, probe?.path);
  }),
  'k8s/unbounded-memory-volume': byServer((engine, pod) => {
    const { volume } = sharedMemory(engine, pod);
    const isBounded = volume?.sizeLimit !== undefined || engine.resources.limits.has('memory');
    return when(volume?.medium === 'Memory' && !isBounded, volume?.path.replace(/\[\d+\]$/, ''));
  }),
  'monitoring/undeclared-port': byKind('PodMonitor', (object, { workloads }) => {
    const monitor = readMonitor(object);
    const pods = podsMatching(monitor.selector, monitor.namespaces, workloads);
    const names = pods.flatMap(({ pod }) => pod.containers.flatMap(({ ports }) => ports.map(({ name }) => name)));
    return monitor.endpoints.find(({ port }) => pods.length > 0 && !names.includes(port))?.path;
  }),
  'lws/autoscaler-target': byKind('HorizontalPodAutoscaler', (object, { groups }) => {
    const target = scaleTargetOf(object);
    return when(
      target.kind === 'StatefulSet' &&
        groups.some(({ kind, name }) => kind === 'LeaderWorkerSet' && name === target.name),
      target.path,
    );
  }),
  'k8s/single-node-volume-shared': byKind('PersistentVolumeClaim', (object, { groups }) => {
    const claim = readVolumeClaim(object);
    const isUsed = groups.some(
      ({ size = 1, pods }) =>
        size > 1 && pods.some(({ volumes }) => volumes.some(({ refersTo }) => refersTo === object.metadata.name)),
    );
    return when(isUsed && claim.accessModes.every((mode) => mode.startsWith('ReadWriteOnce')), 'spec.accessModes');
  }),
  'k8s/shell-variable-in-env': byServer(
    ({ environment }) => environment.variables.find(({ written = '' }) => /^\$\{?[A-Z_]+\}?$/.test(written))?.path,
  ),
  'vllm/cpu-ray': byServer(({ image, settings: { executor } }) =>
    when(image?.backend === 'cpu' && executor.value === 'ray', executor.path),
  ),
  'lws/unknown-annotation': byServer(
    ({ environment }) =>
      environment.variables.find(
        ({ source }) =>
          source?.kind === 'field' && source.field?.includes('annotations') && source.field.includes('leader-address'),
      )?.path,
  ),
  'vllm/image-arch-mismatch': byServer(({ image, path }, { nodeSelector }) => {
    const node = nodeSelector.get('kubernetes.io/arch');
    return when(
      image?.architecture !== undefined && node !== undefined && node !== image.architecture,
      `${path}.image`,
    );
  }),
  'vllm/kv-space-integer': byServer(({ settings: { kvCacheSpaceGiB: kv } }) =>
    when(kv.isGiven && kv.value === undefined && kv.text?.value !== undefined, kv.path),
  ),
  'vllm/memory-below-need': byServer(({ resources, settings: { kvCacheSpaceGiB: kv } }) =>
    when(
      (kv.value ?? 0) * 1024 ** 3 >= (resources.limits.get('memory')?.value ?? Infinity),
      `${resources.path}.limits.memory`,
    ),
  ),
  'vllm/kv-heads-not-divisible': byServer(({ settings: { model, tensorParallelSize: tp } }) =>
    when(model.value === 'microsoft/phi-4' && 10 % (tp.value ?? 1) > 0, tp.path),
  ),
  'alb/healthcheck-path': byKind('Ingress', (object) =>
    when(!readIngress(object).annotations.has('alb.ingress.kubernetes.io/healthcheck-path'), 'metadata.annotations'),
  ),
  'k8s/args-single-string': byServer(
    ({ command }) => command.strays.find(({ text }) => /^-\S+\s/.test(text.start))?.path,
  ),
  'k8s/ingress-class-conflict': byKind('Ingress', (object) => {
    const { annotations, className } = readIngress(object);
    const old = annotations.get('kubernetes.io/ingress.class');
    return when(old !== undefined && className !== undefined && old !== className, 'spec.ingressClassName');
  }),
  'vllm/cpu-ranks-per-pod': byServer((engine) => {
    const { settings } = engine;
    const isBound = (engine.variable('VLLM_CPU_OMP_THREADS_BIND')?.text.value ?? 'auto') === 'auto';
    return when(
      engine.image?.backend === 'cpu' && isBound && (settings.worldSize ?? 1) > (settings.nnodes.value ?? Infinity),
      settings.pipelineParallelSize.path,
    );
  }),
  'vllm/cpu-pipeline-eager': byServer((engine) => {
    const { compilationMode } = engine.settings;
    return when(isCpuPipeline(engine) && compilationMode.value === 0, compilationMode.path);
  }),
  'vllm/cpu-pipeline-version': byServer((engine) =>
    when(isCpuPipeline(engine) && Number(engine.image?.version?.split('.')[1]) < 20, `${engine.path}.image`),
  ),
  'vllm/cpu-block-size': byServer(({ image, settings: { blockSize } }) =>
    when(image?.backend === 'cpu' && (blockSize.value ?? 32) % 32 > 0, blockSize.path),
  ),
  'vllm/gemma3-float16': byServer(({ settings: { model, dtype } }) =>
    when(/gemma-3/.test(model.value ?? '') && ['float16', 'half'].includes(dtype.value ?? ''), dtype.path),
  ),
  'lws/pdb-leaders-only': byKind('PodDisruptionBudget', (object, { groups }) => {
    const selected = podsMatching(readDisruptionBudget(object).selector, [object.metadata.namespace ?? ''], groups);
    return when(selected.length > 0 && selected.every(({ pod }) => pod.role === 'leader'), 'spec.selector');
  }),
  'vllm/kv-size-set-twice': byServer(({ settings: { kvCacheBytes: flag, kvCacheSpaceGiB: variable } }) =>
    when(flag.isGiven && variable.isGiven, flag.path),
  ),
  'vllm/shm-over-memory-limit': byServer((engine, pod) => {
    const shm = sharedMemory(engine, pod);
    const kv = (engine.settings.kvCacheSpaceGiB.value ?? 0) * 1024 ** 3;
    const limit = engine.resources.limits.get('memory')?.value ?? Infinity;
    return when(kv < limit && (shm.bytes ?? 0) + kv > limit, shm.volume?.path.replace(/\[\d+\]$/, ''));
  }),
  'security/remote-code-unpinned': byServer(({ settings: { trustRemoteCode, revision } }) =>
    when(trustRemoteCode.value === true && !revision.isGiven, trustRemoteCode.path),
  ),
  'vllm/arm64-quantization': byServer(({ image, settings: { quantization } }) =>
    when(image?.backend === 'cpu' && image.architecture === 'arm64' && quantization.value === 'awq', quantization.path),
  ),
  'vllm/gated-model-no-token': byServer(({ path, settings: { model, huggingFaceToken } }) =>
    when(gated(model.value) && huggingFaceToken.value === false, path),
  ),
  'vllm/ray-backend-implicit': byServer(({ command, image, settings: { executor } }) => {
    const minor = Number(image?.version?.split('.')[1]);
    return when(command.ray?.role === 'head' && !executor.isGiven && minor >= 12, command.path);
  }),
  'alb/idle-timeout': byKind('Ingress', (object) =>
    when(!attributesOf(object).includes('idle_timeout.timeout_seconds'), 'metadata.annotations'),
  ),
  'security/public-plain-http': byKind('Ingress', (object) => {
    const { annotations } = readIngress(object);
    const isPublic = annotations.get('alb.ingress.kubernetes.io/scheme') === 'internet-facing';
    const ports = annotations.get('alb.ingress.kubernetes.io/listen-ports') ?? '';
    return when(isPublic && !ports.includes('HTTPS'), 'metadata.annotations');
  }),
  'security/unguarded-paths': byKind('Ingress', (object, { groups }) => {
    const { annotations, paths } = readIngress(object);
    const isPublic = annotations.get('alb.ingress.kubernetes.io/scheme') === 'internet-facing';
    const hasKey = groups.some(({ leader }) => leader.engine?.settings?.apiKey.value === true);
    return when(isPublic && hasKey && paths.some(({ path }) => path === '/'), 'spec.rules');
  }),
  'alb/keep-alive-below-idle': byKind('Ingress', (object, { groups }) => {
    const idle = Number(/idle_timeout\.timeout_seconds=(\d+)/.exec(attributesOf(object))?.[1] ?? 60);
    const isBelow = ({ leader: { engine } }: EngineGroup) =>
      Number(engine?.variable('VLLM_HTTP_TIMEOUT_KEEP_ALIVE')?.text.value ?? 5) < idle;
    return when(groups.some(isBelow), 'metadata.annotations');
  }),
};

function attributesOf(object: KubernetesObject): string {
  return textMapOf(object.metadata.annotations).get('alb.ingress.kubernetes.io/load-balancer-attributes') ?? '';
}
