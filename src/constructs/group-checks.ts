import { checkKind, checkMember, checkTextMap, checkTexts } from '../common/kinds';
import { checkDns1035Label, checkDnsLabel, checkDnsSubdomain, checkLabels, checkQualifiedName } from '../common/names';
import { bytesOf, checkInteger, quantityOf } from '../common/numbers';
import { checkExtraArguments } from '../engine/extra-arguments';
import { longestGroupName, LWS_PREFIX } from '../engine/lws';
import { OLDEST_RELEASE, SINCE } from '../engine/releases';
import { DEFAULT_MASTER_PORT } from '../engine/server';
import { CapacityType, Compilation, DType, NamespacePolicy, NumaPolicy, PodSecurityLevel } from './options';
import { checkEnvironment } from './rank-environment';
import type { VllmPipelineGroupProps } from './vllm-engine-props';

/** The name of a group, which LWS makes longer. */
export function checkGroupName(name: string, groups: number, size: number): string {
  checkDns1035Label('name of the group', name);
  const limit = longestGroupName(groups, size);
  if (name.length > limit) {
    throw new Error(
      `name of the group is '${name}' (${name.length} characters); for ${groups} x ${size} pods it takes at most ` +
        `${limit}: LWS appends the ordinals and a revision hash, and the result has to stay a label value`,
    );
  }
  return name;
}

/** The port where the ranks meet. */
export function checkMasterPort(given: number | undefined, port: number, size: number): number {
  const masterPort = checkInteger('masterPort', given ?? DEFAULT_MASTER_PORT, 1, 65535);
  if (given !== undefined && size === 1) {
    throw new Error(`masterPort is ${given}, and a single pod has no other ranks to meet; leave it out`);
  }
  if (masterPort === port && size > 1) {
    throw new Error(`masterPort and port are both ${port}; the ranks and the clients need one each`);
  }
  return masterPort;
}

/** Props that take a value class: a member that tells it, and how one is made. */
const KINDS: readonly [prop: keyof VllmPipelineGroupProps, member: string, example: string][] = [
  ['model', 'layers', "Model.of('google/gemma-3-1b-it')"],
  ['image', 'reference', "VllmImage.cpu('0.31.0')"],
  ['node', 'cpus', 'NodeShape.M7G_2XLARGE'],
  ['cpu', 'millicores', 'Cpu.units(6)'],
  ['memory', 'toKibibytes', 'Size.gibibytes(20)'],
  ['sharedMemory', 'toKibibytes', 'Size.gibibytes(4)'],
  ['kvCacheMemory', 'toKibibytes', 'Size.gibibytes(4)'],
  ['ephemeralStorage', 'toKibibytes', 'Size.gibibytes(20)'],
  ['startupBudget', 'toSeconds', 'Duration.minutes(15)'],
  ['stepTimeout', 'toSeconds', 'Duration.seconds(60)'],
  ['stallTimeout', 'toSeconds', 'Duration.seconds(120)'],
  ['drainTimeout', 'toSeconds', 'Duration.seconds(30)'],
  ['keepAliveTimeout', 'toSeconds', 'Duration.seconds(310)'],
  ['huggingFaceToken', 'secretName', "SecretKey.of('hf-token', 'token')"],
  ['apiKey', 'secretName', "SecretKey.of('vllm-api-key', 'key')"],
  ['weightsCache', 'isInsidePod', 'WeightsCache.emptyDir()'],
];
const ENUMS: readonly [prop: keyof VllmPipelineGroupProps, members: Readonly<Record<string, string>>][] = [
  ['dtype', DType],
  ['compilation', Compilation],
  ['numaPolicy', NumaPolicy],
  ['namespacePolicy', NamespacePolicy],
  ['capacityType', CapacityType],
];
const REQUIRED = new Set<keyof VllmPipelineGroupProps>(['model', 'image', 'node']);

/** What the compiler has checked already, unless the caller is JavaScript. */
export function checkKinds(props: VllmPipelineGroupProps): void {
  for (const [prop, member, example] of KINDS) {
    if (props[prop] !== undefined || REQUIRED.has(prop)) {
      checkKind(prop, props[prop], member, example);
    }
  }
  for (const prop of ['extraArgs', 'extraServerArgs', 'imagePullSecrets'] as const) {
    if (props[prop] !== undefined) {
      checkTexts(prop, props[prop]);
    }
  }
  for (const prop of ['environment', 'nodeSelector', 'podLabels', 'podAnnotations'] as const) {
    if (props[prop] !== undefined) {
      checkTextMap(prop, props[prop]);
    }
  }
  if (props.layerPartition !== undefined && !Array.isArray(props.layerPartition)) {
    throw new Error('layerPartition is no list; it takes a list of whole numbers such as [13, 13]');
  }
  if (props.systemPods !== undefined) {
    if (!Array.isArray(props.systemPods)) {
      throw new Error("systemPods is no list; it takes a list such as [{ name: 'agent', cpu: Cpu.millis(100) }]");
    }
    for (const pod of props.systemPods) {
      checkKind('an entry of systemPods', pod, 'name', "{ name: 'agent', cpu: Cpu.millis(100) }");
    }
  }
  for (const [prop, members] of ENUMS) {
    if (props[prop] !== undefined) {
      checkMember(prop, props[prop], members);
    }
  }
  if (props.tolerations !== undefined && !Array.isArray(props.tolerations)) {
    throw new Error("tolerations is no list; it takes a list such as [Toleration.exists('dedicated')]");
  }
  for (const toleration of props.tolerations ?? []) {
    checkKind('an entry of tolerations', toleration, '_render', "Toleration.exists('dedicated')");
  }
}

/** What the version in the image, the model and the secrets decide together. */
export function checkEngine(props: VllmPipelineGroupProps, size: number): void {
  const { model, image, weightsCache } = props;
  const { version } = image.version;
  if (props.node.gpus > 0) {
    throw new Error(
      `node is ${props.node.name}, which has ${props.node.gpus} GPUs; a group is rendered for vLLM's CPU backend, which would leave ` +
        "them idle: take a node without GPUs ('cdk8s-vllm plan' says what the GPUs would hold)",
    );
  }
  if (size > 1 && !image.version.isAtLeast(SINCE.cpuPipeline)) {
    throw new Error(
      `vLLM ${version} cannot run a CPU pipeline over several pods: it is healthy and answers the first request ` +
        `with 500; take ${SINCE.cpuPipeline} or newer`,
    );
  }
  if (!image.version.isAtLeast(OLDEST_RELEASE)) {
    throw new Error(
      `vLLM ${version} is older than ${OLDEST_RELEASE}, the oldest release that this library was tried on`,
    );
  }
  const limit = weightsCache?.sizeLimit;
  if (limit !== undefined && bytesOf(limit) < bytesOf(model.weightsSize)) {
    throw new Error(
      `weightsCache takes at most ${quantityOf(limit)}, less than the files of ${model.name}; the pod would be evicted ` +
        'while it downloads them: leave the limit out or raise it',
    );
  }
  if (model.gated && props.huggingFaceToken === undefined && (weightsCache?.isInsidePod ?? true)) {
    throw new Error(
      `${model.name} is gated and huggingFaceToken is missing; accept the licence at ${model.licencePage} and give ` +
        `the account's token: huggingFaceToken: SecretKey.of('hf-token', 'token')`,
    );
  }
  if (props.servedModelName !== undefined && !/^[^\s-]\S*$/.test(props.servedModelName)) {
    throw new Error(`servedModelName is '${props.servedModelName}'; it takes one word, as clients will send it`);
  }
  if (props.modelRevision !== undefined && !/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(props.modelRevision)) {
    throw new Error(
      `modelRevision is '${props.modelRevision}'; it takes a branch, a tag or a commit of the repository`,
    );
  }
  if (props.stallTimeout !== undefined && props.progressLiveness === false) {
    throw new Error(
      'stallTimeout is given and progressLiveness is false, so nothing would use it; leave one of them out',
    );
  }
  if (props.dtype === DType.FLOAT16 && model.architecture.startsWith('Gemma3')) {
    throw new Error(
      `dtype is float16, which vLLM refuses for ${model.name} as numerically unstable; take DType.BFLOAT16`,
    );
  }
  checkExtraArguments('extraArgs', props.extraArgs, image.version);
  checkExtraArguments('extraServerArgs', props.extraServerArgs, image.version);
  checkEnvironment(props.environment, props.secretEnvironment);
}

/** What Kubernetes would refuse later, on a StatefulSet that nobody looks at. */
export function checkPods(props: VllmPipelineGroupProps): void {
  for (const [index, secret] of (props.imagePullSecrets ?? []).entries()) {
    checkDnsSubdomain('name in imagePullSecrets', secret);
    if (props.imagePullSecrets!.indexOf(secret) !== index) {
      throw new Error(`imagePullSecrets holds '${secret}' twice; the API server refuses that in a LeaderWorkerSet`);
    }
  }
  checkLabels('label', props.podLabels);
  checkLabels('node label', props.nodeSelector);
  for (const [key, value] of Object.entries(ownNodeLabels(props))) {
    const other = props.nodeSelector?.[key];
    if (other !== undefined && other !== value) {
      throw new Error(
        `nodeSelector sets ${key} to '${other}', and the group sets it to '${value}' by its node, zone or capacityType; ` +
          'no node has both',
      );
    }
  }
  for (const key of [...Object.keys(props.podLabels ?? {}), ...Object.keys(props.podAnnotations ?? {})]) {
    if (key.startsWith(LWS_PREFIX)) {
      throw new Error(`podLabels or podAnnotations sets '${key}'; LWS tells its pods apart by it: leave it out`);
    }
  }
  for (const own of ['app', 'role']) {
    if (props.podLabels !== undefined && Object.hasOwn(props.podLabels, own)) {
      throw new Error(
        `podLabels sets '${own}', which the group sets itself to tell its pods apart; take another label`,
      );
    }
  }
  for (const key of Object.keys(props.podAnnotations ?? {})) {
    // The API server takes capitals in the prefix of an annotation, unlike in that of a label.
    checkQualifiedName('annotation', key.toLowerCase());
  }
  if (props.zone !== undefined) {
    checkDnsLabel('zone', props.zone);
  }
}

/** Node labels that the node, the zone and the capacity type ask for. */
export function ownNodeLabels(props: VllmPipelineGroupProps): Record<string, string> {
  return {
    'kubernetes.io/arch': props.node.architecture.kubernetesLabel,
    ...(props.zone !== undefined && { 'topology.kubernetes.io/zone': props.zone }),
    ...(props.capacityType !== undefined && { 'eks.amazonaws.com/capacityType': props.capacityType }),
  };
}

/** The strictest level that the pods meet. Seccomp, privileges and host access decide; the image runs as root. */
export function podSecurityLevel(props: VllmPipelineGroupProps): PodSecurityLevel {
  return props.numaPolicy === NumaPolicy.BIND || props.weightsCache?.isOnNode
    ? PodSecurityLevel.PRIVILEGED
    : PodSecurityLevel.BASELINE;
}
