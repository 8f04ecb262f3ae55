import { bytesOf } from '../common/numbers';
import { checkEnvironmentName } from '../common/names';
import { LWS_VARIABLES } from '../engine/lws';
import { SINCE } from '../engine/releases';
import { ENVIRONMENT, type EnvironmentName } from '../engine/settings';
import { type GroupSettings, isWholeGibibytes, type Role } from './rank-arguments';
import type { SecretKey } from './secret-key';

/** One entry of a container's env. */
export interface EnvironmentEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

function variable(name: EnvironmentName, value: string | number): EnvironmentEntry {
  return { name, value: String(value) };
}

function fromSecret(name: EnvironmentName, secret: SecretKey | undefined): EnvironmentEntry[] {
  return secret === undefined
    ? []
    : [{ name, valueFrom: { secretKeyRef: { name: secret.secretName, key: secret.key } } }];
}

/** Environment of a rank: what all ranks share, then what the server needs, then what the user adds. */
export function rankEnvironment(settings: GroupSettings, role: Role): EnvironmentEntry[] {
  const { props, plan } = settings;
  const kvBytes = bytesOf(plan.kvCacheMemory);
  return [
    ...fromSecret('HF_TOKEN', props.huggingFaceToken),
    ...(role === 'leader' ? fromSecret('VLLM_API_KEY', props.apiKey) : []),
    ...(isWholeGibibytes(kvBytes) ? [variable('VLLM_CPU_KVCACHE_SPACE', kvBytes / 1024 ** 3)] : []),
    { name: 'VLLM_HOST_IP' satisfies EnvironmentName, valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ...threads(settings),
    ...(props.layerPartition === undefined ? [] : [variable('VLLM_PP_LAYER_PARTITION', plan.layersPerStage.join(','))]),
    variable('VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS', plan.stepTimeout.toSeconds()),
    ...(role === 'leader'
      ? [
          variable('VLLM_ENGINE_READY_TIMEOUT_S', plan.startupBudget.toSeconds()),
          variable('VLLM_HTTP_TIMEOUT_KEEP_ALIVE', settings.keepAliveSeconds),
        ]
      : []),
    ...Object.entries(props.environment ?? {}).map(([name, value]) => ({ name, value })),
  ];
}

function threads({ props, plan }: GroupSettings): EnvironmentEntry[] {
  if (!props.image.version.isAtLeast(SINCE.unboundThreads)) {
    return [variable('VLLM_CPU_OMP_THREADS_BIND', plan.threads === 1 ? '0' : `0-${plan.threads - 1}`)];
  }
  return [variable('VLLM_CPU_OMP_THREADS_BIND', 'nobind'), variable('OMP_NUM_THREADS', plan.threads)];
}

/** Checks the variables that the user adds. The API server refuses a LeaderWorkerSet that sets one twice. */
export function checkEnvironment(environment: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(environment)) {
    checkEnvironmentName('name in environment', name);
    if (Object.hasOwn(ENVIRONMENT, name)) {
      const { prop } = ENVIRONMENT[name as EnvironmentName];
      throw new Error(
        `environment sets ${name}, which the group sets itself; ` +
          (prop === undefined ? 'leave it out' : `use the prop '${prop}'`),
      );
    }
    if (LWS_VARIABLES.includes(name)) {
      throw new Error(`environment sets ${name}, which LWS injects; it would drop this entry without a word`);
    }
    if (/^\$[A-Za-z_{]/.test(value)) {
      throw new Error(
        `environment sets ${name} to '${value}'; no shell expands it and Kubernetes knows only $(NAME): ` +
          'give the value itself, or for a secret the prop that takes a SecretKey',
      );
    }
  }
}
