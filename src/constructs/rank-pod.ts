import type { k8s } from 'cdk8s-plus-28';
import { quantityOf } from '../common/numbers';
import { progressProbeCommand } from '../engine/probe/command';
import { CACHE_PATH, HEALTH_PATH, PORT_NAME, SHARED_MEMORY_PATH } from '../engine/server';
import type { Plain } from './api-object';
import { ownNodeLabels } from './group-checks';
import { NumaPolicy, WeightsCache } from './options';
import { type GroupSettings, type Role, rankArguments } from './rank-arguments';
import { rankEnvironment } from './rank-environment';

type PodSpec = Plain<k8s.PodSpec>;
type Container = Plain<k8s.Container>;

/** A pod template as a LeaderWorkerSet holds it. */
export interface PodTemplate {
  readonly metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  readonly spec: PodSpec;
}

const CONTAINER_NAME = 'vllm';
const PROBE_PERIOD_SECONDS = 10;
/** The group serves nobody between the first healthy answer and the next round. */
const STARTUP_PERIOD_SECONDS = 1;
const PROBE_TIMEOUT_SECONDS = 5;

/**
 * A leader drops its requests at SIGTERM, unless it drains, and takes up to 4.9 s more to end by itself. The next leader has to
 * wait for that, and nobody has any use for it.
 */
const LEADER_GRACE_SECONDS = 1;
/** After a drain it also waits for its own ranks, twice five seconds. */
const LEADER_GRACE_AFTER_DRAIN_SECONDS = 20;
/** A worker ends by itself in 11 to 25 s, which a group that is being recreated has no use for. */
const WORKER_GRACE_SECONDS = 1;

/** The pod of a rank. Both roles come from this one description, so that they cannot drift apart. */
export function rankTemplate(settings: GroupSettings, role: Role): PodTemplate {
  const { props, name } = settings;
  return {
    metadata: {
      labels: { ...props.podLabels, app: name, role },
      ...(props.podAnnotations && { annotations: { ...props.podAnnotations } }),
    },
    spec: {
      ...placement(settings),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: graceSeconds(settings.drainSeconds, role),
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      ...(props.imagePullSecrets?.length && { imagePullSecrets: props.imagePullSecrets.map((s) => ({ name: s })) }),
      containers: [container(settings, role)],
      volumes: [
        { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: quantityOf(settings.plan.sharedMemory) } },
        { name: 'weights', ...(props.weightsCache ?? WeightsCache.emptyDir())._source },
      ],
    },
  };
}

function placement({ props, name }: GroupSettings): Partial<PodSpec> {
  return {
    nodeSelector: { ...props.nodeSelector, ...ownNodeLabels(props) },
    ...(props.tolerations?.length && { tolerations: props.tolerations.map((toleration) => toleration._render()) }),
    // A group of one pod gets it too: two copies on one node would share its memory bandwidth.
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: name } } },
        ],
      },
    },
  };
}

function container(settings: GroupSettings, role: Role): Container {
  const { props, plan, drainSeconds } = settings;
  const resources = {
    cpu: plan.cpu.toQuantity(),
    memory: quantityOf(plan.memory),
    'ephemeral-storage': quantityOf(plan.ephemeralStorage),
  };
  return {
    name: CONTAINER_NAME,
    image: props.image.reference(props.node.architecture, props.imageRegistry),
    command: ['vllm', 'serve'],
    args: rankArguments(settings, role),
    env: rankEnvironment(settings, role),
    ...(role === 'leader' && { ports: [{ name: PORT_NAME, containerPort: settings.port }] }),
    resources: { requests: { ...resources }, limits: { ...resources } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: {
        drop: ['ALL'],
        ...(props.numaPolicy === NumaPolicy.BIND && { add: ['SYS_NICE'] }),
      },
    },
    ...(role === 'leader' && probes(settings)),
    // While the leader drains it still needs its workers, which are told to end at the same moment.
    ...(role === 'worker' && drainSeconds > 0 && { lifecycle: { preStop: sleep(drainSeconds) } }),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      { name: 'shm', mountPath: SHARED_MEMORY_PATH },
      { name: 'weights', mountPath: CACHE_PATH },
    ],
  };
}

function graceSeconds(drainSeconds: number, role: Role): number {
  if (role === 'worker') {
    return drainSeconds + WORKER_GRACE_SECONDS;
  }
  return drainSeconds === 0 ? LEADER_GRACE_SECONDS : drainSeconds + LEADER_GRACE_AFTER_DRAIN_SECONDS;
}

function sleep(seconds: number): Plain<k8s.LifecycleHandler> {
  return { exec: { command: ['sleep', String(seconds)] } };
}

function probes({ plan, port, progressLiveness }: GroupSettings): Partial<Container> {
  const health = { path: HEALTH_PATH, port: PORT_NAME };
  return {
    startupProbe: {
      httpGet: health,
      periodSeconds: STARTUP_PERIOD_SECONDS,
      timeoutSeconds: PROBE_TIMEOUT_SECONDS,
      failureThreshold: Math.ceil(plan.startupBudget.toSeconds() / STARTUP_PERIOD_SECONDS),
    },
    // The default of one second is short for a pod whose cores are all busy, and an unready leader serves nobody.
    readinessProbe: { httpGet: health, periodSeconds: PROBE_PERIOD_SECONDS, timeoutSeconds: PROBE_TIMEOUT_SECONDS },
    ...(progressLiveness && {
      livenessProbe: {
        exec: { command: progressProbeCommand(port, plan.stallTimeout.toSeconds()) },
        periodSeconds: 15,
        // A run of the probe ends within 34 s (engine/probe/command.ts).
        timeoutSeconds: 40,
        failureThreshold: 3,
        // There is nothing to drain in an engine that hangs.
        terminationGracePeriodSeconds: LEADER_GRACE_SECONDS,
      },
    }),
  };
}
