import { type ApiObject, Chart, Duration, JsonPatch, Lazy, type Size } from 'cdk8s';
import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import type { LeaderWorkerSetProps } from '../../imports/leaderworkerset.x-k8s.io';
import { bytesOf, checkInteger, checkSeconds } from '../common/numbers';
import { LWS_NAME_LABEL } from '../engine/lws';
import { DEFAULT_PORT } from '../engine/server';
import { systemPodSpec } from '../hardware/system-pod';
import type { Model } from '../model/model';
import { plannedByExtraArgs } from '../fit/extra-args';
import { GroupPlan } from '../fit/group-plan';
import { defineObject } from './api-object';
import { checkEngine, checkGroupName, checkKinds, checkMasterPort, checkPods, podSecurityLevel } from './group-checks';
import { DEFAULT_KEEP_ALIVE, keepAliveSeconds } from './keep-alive';
import { declareNamespace } from './namespace';
import { DType, WeightsCache } from './options';
import type { GroupSettings } from './rank-arguments';
import { type PodTemplate, rankTemplate } from './rank-pod';
import type { SecretKey } from './secret-key';
import { GROUP } from './symbols';
import type { VllmPipelineGroupProps } from './vllm-engine-props';
import { ImportedGroup, type IVllmGroup, leaderSelectorOf, type VllmGroupAttributes } from './vllm-group';

/**
 * A vLLM engine that is split over pods by LeaderWorkerSet: one leader that serves HTTP, workers that hold the other
 * ranks, and a disruption budget for the whole group. With one rank it is a single pod.
 *
 * @example
 *   new VllmPipelineGroup(chart, 'vllm-gemma', {
 *     model: Model.of('google/gemma-3-1b-it'),
 *     image: VllmImage.cpu('0.31.0'),
 *     node: NodeShape.M7G_2XLARGE,
 *     pipelineParallelSize: 2,
 *     huggingFaceToken: SecretKey.of('hf-token', 'token'),
 *   });
 */
export class VllmPipelineGroup extends Construct implements IVllmGroup {
  /**
   * A group that was made elsewhere, for the constructs that refer to one.
   * @param name name of its LeaderWorkerSet
   */
  public static fromName(name: string, attributes: VllmGroupAttributes = {}): IVllmGroup {
    return new ImportedGroup(name, attributes);
  }

  /** Whether a construct is a group, also when it comes from another copy of this library. */
  public static isVllmPipelineGroup(construct: unknown): construct is VllmPipelineGroup {
    return typeof construct === 'object' && construct !== null && GROUP in construct;
  }

  public readonly groupName: string;
  public readonly leaderSelector: { [label: string]: string };
  public readonly port: number;
  public readonly keepAliveTimeout: Duration;
  public readonly servedModelName?: string;
  public readonly apiKey?: SecretKey;

  /** Namespace of the group; empty for the one that the client is set to. */
  public readonly groupNamespace?: string;

  /** Pods of a group: one a rank. */
  public readonly size: number;
  /** Groups. */
  public readonly replicas: number;
  /** The numbers that the group is rendered with. */
  public readonly plan: GroupPlan;
  /** The model that the group serves. */
  public readonly model: Model;

  private readonly patches: JsonPatch[] = [];

  public constructor(scope: Construct, id: string, props: VllmPipelineGroupProps) {
    super(scope, id);
    checkKinds(props);
    Object.defineProperty(this, GROUP, { value: true });

    const pipelineParallelSize = checkInteger('pipelineParallelSize', props.pipelineParallelSize ?? 1, 1, 1024);
    const tensorParallelSize = checkInteger('tensorParallelSize', props.tensorParallelSize ?? 1, 1, 1024);
    this.size = pipelineParallelSize * tensorParallelSize;
    this.replicas = checkInteger('replicas', props.replicas ?? 1, 0, 1_000_000);
    this.port = checkInteger('port', props.port ?? DEFAULT_PORT, 1, 65535);
    this.keepAliveTimeout = props.keepAliveTimeout ?? DEFAULT_KEEP_ALIVE;
    this.servedModelName = props.servedModelName ?? props.model.name;
    this.apiKey = props.apiKey;
    this.model = props.model;

    const surge = checkInteger('rolloutMaxSurge', props.rolloutMaxSurge ?? 0, 0, 1_000_000);
    this.groupName = checkGroupName(props.name ?? this.node.id, this.replicas + surge, this.size);
    this.leaderSelector = leaderSelectorOf(this.groupName);
    this.groupNamespace = Chart.of(this).namespace ?? '';
    checkEngine(props, this.size);
    checkPods(props);
    this.plan = planOf(props, pipelineParallelSize, tensorParallelSize);
    const settings: GroupSettings = {
      props,
      plan: this.plan,
      name: this.groupName,
      size: this.size,
      pipelineParallelSize,
      tensorParallelSize,
      port: this.port,
      masterPort: checkMasterPort(props.masterPort, this.port, this.size),
      drainSeconds: checkSeconds('drainTimeout', props.drainTimeout ?? defaultDrain(this.size), 0, 3600),
      keepAliveSeconds: keepAliveSeconds(this.keepAliveTimeout),
      progressLiveness: props.progressLiveness ?? true,
    };

    declareNamespace(this, podSecurityLevel(props), props.namespacePolicy);
    this.defineGroup(settings, surge);
    this.defineDisruptionBudget(props.disruptionMaxUnavailable);
  }

  /**
   * Change the pods of both roles alike. Paths start at the pod template: `/spec/priorityClassName`. A patch of one
   * role alone would let the ranks drift apart.
   *
   * @example
   *   group.patchPods(JsonPatch.add('/spec/priorityClassName', 'serving'));
   */
  public patchPods(...patches: JsonPatch[]): void {
    this.patches.push(...patches);
  }

  private defineGroup(settings: GroupSettings, maxSurge: number): ApiObject {
    const { props } = settings;
    const maxUnavailable = checkInteger('rolloutMaxUnavailable', props.rolloutMaxUnavailable ?? 1, 0, 1_000_000);
    if (maxUnavailable === 0 && maxSurge === 0 && this.replicas > 0) {
      throw new Error(
        'rolloutMaxUnavailable and rolloutMaxSurge are both 0, so a rollout could never replace a group; ' +
          'allow one group to be unavailable, or one more than replicas for the time of the rollout',
      );
    }
    return defineObject<LeaderWorkerSetProps>(this, {
      apiVersion: 'leaderworkerset.x-k8s.io/v1',
      kind: 'LeaderWorkerSet',
      metadata: { name: this.groupName, labels: objectLabels(this.groupName) },
      // Every default that the webhook would fill in is said, so that a diff against the cluster shows changes alone.
      spec: {
        replicas: this.replicas,
        startupPolicy: 'LeaderCreated',
        networkConfig: { subdomainPolicy: 'Shared' },
        rolloutStrategy: {
          type: 'RollingUpdate',
          rollingUpdateConfiguration: {
            partition: checkInteger('rolloutPartition', props.rolloutPartition ?? 0, 0, 1_000_000),
            maxUnavailable,
            maxSurge,
          },
        },
        leaderWorkerTemplate: {
          size: this.size,
          // A lone survivor is useless, so the group goes as a whole. A single pod has no peers: the kubelet restarts
          // its container in place, and the weights it downloaded are still there.
          restartPolicy: this.size > 1 ? 'RecreateGroupOnPodRestart' : 'None',
          ...this.templates(settings),
        },
      },
    });
  }

  /** A single pod needs one template: LWS takes the worker's for a leader that has none of its own. */
  private templates(settings: GroupSettings): { leaderTemplate?: PodTemplate; workerTemplate: PodTemplate } {
    const leader = this.patched(rankTemplate(settings, 'leader'));
    return this.size === 1
      ? { workerTemplate: leader }
      : { leaderTemplate: leader, workerTemplate: this.patched(rankTemplate(settings, 'worker')) };
  }

  /** Patches may come after the construct, so they wait for the synthesis; a patch changes the template it gets. */
  private patched(template: PodTemplate): PodTemplate {
    return Lazy.any({
      produce: () =>
        this.patches.length === 0 ? template : this.patches.reduce(applyPatch, structuredClone(template)),
    }) as PodTemplate;
  }

  /** On all pods of the group: a budget on leaders alone lets a worker be evicted, which ends the group as well. */
  private defineDisruptionBudget(maxUnavailable = this.replicas > 1 ? 1 : 0): void {
    defineObject<k8s.KubePodDisruptionBudgetProps>(new Construct(this, 'DisruptionBudget'), {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: this.groupName, labels: objectLabels(this.groupName) },
      spec: {
        maxUnavailable: checkInteger('disruptionMaxUnavailable', maxUnavailable, 0, 1_000_000),
        selector: { matchLabels: { [LWS_NAME_LABEL]: this.groupName } },
        // A pod that is not ready serves nobody; it must not hold up the drain of a node.
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
      },
    });
  }
}

function applyPatch(template: PodTemplate, patch: JsonPatch): PodTemplate {
  try {
    return JsonPatch.apply(template, patch) as PodTemplate;
  } catch (error) {
    const { op, path } = patch._toJson() as { op: string; path: string };
    throw new Error(
      `patchPods cannot ${op} ${path} in the pod template (${(error as Error).message}); paths start at the template and ` +
        "their parents have to be there: '/spec/priorityClassName', '/spec/containers/0/env/-'",
      { cause: error },
    );
  }
}

/** Labels of the objects that belong to a group. */
function objectLabels(name: string): Record<string, string> {
  return { 'app.kubernetes.io/name': name, 'app.kubernetes.io/managed-by': 'cdk8s-vllm' };
}

function defaultDrain(size: number): Duration {
  return Duration.seconds(size === 1 ? 30 : 0);
}

function planOf(props: VllmPipelineGroupProps, pipelineParallelSize: number, tensorParallelSize: number): GroupPlan {
  const { version } = props.image;
  const bytes = (size?: Size): number | undefined => (size === undefined ? undefined : bytesOf(size));
  const seconds = (duration?: Duration): number | undefined => duration?.toSeconds({ integral: false });
  return GroupPlan._make({
    model: props.model._shape,
    node: props.node._spec,
    vllm: { version: version.version, judgedAs: version.judgedAs },
    pipelineParallelSize,
    tensorParallelSize,
    layerPartition: props.layerPartition,
    dtype: props.dtype ?? DType.BFLOAT16,
    maxModelLen: props.maxModelLen,
    maxNumBatchedTokens: props.maxNumBatchedTokens,
    kvCacheMemory: bytes(props.kvCacheMemory),
    cpu: props.cpu?.millicores,
    threads: props.threads,
    memory: bytes(props.memory),
    sharedMemory: bytes(props.sharedMemory),
    ephemeralStorage: bytes(props.ephemeralStorage),
    startupBudget: seconds(props.startupBudget),
    stepTimeout: seconds(props.stepTimeout),
    stallTimeout: seconds(props.stallTimeout),
    weightsOutsidePod: !(props.weightsCache ?? WeightsCache.emptyDir()).isInsidePod,
    weightsOnNode: props.weightsCache?.isOnNode ?? false,
    replicas: Math.max(1, props.replicas ?? 1),
    systemPods: props.systemPods?.map(systemPodSpec),
    ...plannedByExtraArgs(props.extraArgs, version.judgedAs),
  });
}
