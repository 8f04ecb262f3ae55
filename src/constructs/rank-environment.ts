import { checkKind } from '../common/kinds';
import { bytesOf, GIBI } from '../common/numbers';
import { checkEnvironmentName } from '../common/names';
import { LWS_VARIABLES } from '../engine/lws';
import { SINCE } from '../engine/releases';
import { ENVIRONMENT, type EnvironmentName, type RenderedVariable } from '../engine/settings';
import { type GroupSettings, isWholeGibibytes, type Role } from './rank-arguments';
import type { SecretKey } from './secret-key';

/** One entry of a container's env. */
export interface EnvironmentEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

function variable(name: RenderedVariable, value: string | number): EnvironmentEntry {
  return { name, value: String(value) };
}

function fromSecret(name: RenderedVariable, secret: SecretKey | undefined): EnvironmentEntry[] {
  return secret === undefined ? [] : [{ name, valueFrom: secret._source }];
}

/** Environment of a rank: what all ranks share, then what the server needs, then what the user adds. */
export function rankEnvironment(settings: GroupSettings, role: Role): EnvironmentEntry[] {
  const { props, plan } = settings;
  const kvBytes = bytesOf(plan.kvCacheMemory);
  return [
    ...fromSecret('HF_TOKEN', props.huggingFaceToken),
    ...(role === 'leader' ? fromSecret('VLLM_API_KEY', props.apiKey) : []),
    ...(isWholeGibibytes(kvBytes) ? [variable('VLLM_CPU_KVCACHE_SPACE', kvBytes / GIBI)] : []),
    { name: 'VLLM_HOST_IP' satisfies RenderedVariable, valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
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
    ...Object.entries(props.secretEnvironment ?? {}).map(([name, secret]) => ({ name, valueFrom: secret._source })),
  ];
}

function threads({ props, plan }: GroupSettings): EnvironmentEntry[] {
  if (!props.image.version.isAtLeast(SINCE.unboundThreads)) {
    return [variable('VLLM_CPU_OMP_THREADS_BIND', plan.threads === 1 ? '0' : `0-${plan.threads - 1}`)];
  }
  return [variable('VLLM_CPU_OMP_THREADS_BIND', 'nobind'), variable('OMP_NUM_THREADS', plan.threads)];
}

/** Names and values that give a secret away; what such a variable holds belongs into a Secret. */
const SECRET_NAME = /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|API_KEY|ACCESS_KEY|PRIVATE_KEY)$/i;
const SECRET_VALUE = /^(hf_|sk-|ghp_|AKIA)[A-Za-z0-9]/;

/** Checks the variables that the user adds. The API server refuses a LeaderWorkerSet that sets one twice. */
export function checkEnvironment(
  environment: Readonly<Record<string, string>> = {},
  secrets: Readonly<Record<string, SecretKey>> = {},
): void {
  for (const [name, secret] of Object.entries(secrets)) {
    checkName('secretEnvironment', name);
    checkKind(`secretEnvironment of ${name}`, secret, 'secretName', "SecretKey.of('my-secret', 'key')");
    if (Object.hasOwn(environment, name)) {
      throw new Error(`environment and secretEnvironment both set ${name}; it takes one`);
    }
  }
  for (const [name, value] of Object.entries(environment)) {
    checkName('environment', name);
    if (SECRET_NAME.test(name) || SECRET_VALUE.test(value)) {
      throw new Error(
        `environment sets ${name}, which looks like a secret; anyone who may list pods could read it: put it into a ` +
          `Secret, and its reference into secretEnvironment: { ${name}: SecretKey.of('my-secret', 'key') }`,
      );
    }
    if (/^\$[A-Za-z_{]/.test(value)) {
      throw new Error(
        `environment sets ${name} to '${value}'; no shell expands it and Kubernetes knows only $(NAME): ` +
          'give the value itself, or for a secret secretEnvironment',
      );
    }
  }
}

function checkName(prop: string, name: string): void {
  checkEnvironmentName(`name in ${prop}`, name);
  if (Object.hasOwn(ENVIRONMENT, name)) {
    const owner = ENVIRONMENT[name as EnvironmentName].prop;
    throw new Error(
      `${prop} sets ${name}, which the group sets itself; ` +
        (owner === undefined ? 'leave it out' : `use the prop '${owner}'`),
    );
  }
  if (LWS_VARIABLES.includes(name)) {
    throw new Error(`${prop} sets ${name}, which LWS injects; it would drop this entry without a word`);
  }
}
