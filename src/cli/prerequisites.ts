import {
  BALANCER_CONTROLLER,
  balancerControllerStep,
  type ChartStep,
  lwsStep,
  prometheusCommands,
} from '../common/charts';
import type { KubernetesObject } from '../rules/finding';

/** Versions of the controllers that the commands install. */
export interface ControllerVersions {
  readonly lws?: string;
  readonly albController?: string;
}

/** A step to take before the first apply. */
type Step = ChartStep;

/** A key of a Secret, and the environment variable that it fills. */
interface SecretUse {
  readonly namespace: string;
  readonly secret: string;
  readonly key: string;
  readonly variable: string;
}

/** Values that a person brings; all others are made up on the spot. */
const BROUGHT: Readonly<Record<string, string>> = { HF_TOKEN: '"${HF_TOKEN:?}"' };
const MADE_UP = '"$(openssl rand -hex 24)"';

/** What has to exist before the bundle is applied, in the order in which to make it. */
export function prerequisites(
  objects: readonly KubernetesObject[],
  gatedModels: readonly { name: string; licencePage: string }[],
  versions: ControllerVersions,
): Step[] {
  const kinds = new Set(objects.map((object) => object.kind));
  const secrets = secretUses(objects);
  return [
    ...gatedModels.map(({ name, licencePage }) => ({
      title: `Accept the licence of ${name} in a browser, with the account of the token (a token alone does not open it)`,
      commands: [licencePage],
    })),
    ...(kinds.has('LeaderWorkerSet') ? [lwsStep(versions.lws)] : []),
    ...(kinds.has('Ingress') ? albController(versions.albController) : []),
    ...(kinds.has('PodMonitor') ? [prometheusOperator(objects)] : []),
    ...namespaceAndSecrets(objects, secrets),
    ...pullSecrets(objects),
    ...claims(objects),
  ];
}

function albController(version?: string): Step[] {
  const cluster = '"${CLUSTER:?}"';
  return [
    {
      title:
        'A role for the AWS Load Balancer Controller, by EKS Pod Identity; a cluster of `cdk8s-vllm bootstrap` has it. ' +
        'CONTROLLER_ROLE_ARN trusts pods.eks.amazonaws.com and has the policy of the controller, ' +
        'and the cluster has the add-on eks-pod-identity-agent: https://docs.aws.amazon.com/eks/latest/userguide/lbc-helm.html',
      commands: [
        `aws eks create-pod-identity-association --cluster-name ${cluster} \\`,
        `  --namespace kube-system --service-account ${BALANCER_CONTROLLER} \\`,
        '  --role-arn "${CONTROLLER_ROLE_ARN:?}"',
      ],
    },
    balancerControllerStep({
      cluster,
      region: '"${AWS_REGION:?}"',
      vpc: '"${VPC_ID:?}"',
      namespace: 'kube-system',
      ...(version !== undefined && { version }),
    }),
  ];
}

function prometheusOperator(objects: readonly KubernetesObject[]): Step {
  const release = objects.find((object) => object.kind === 'PodMonitor')?.metadata.labels?.release;
  return {
    title: 'Prometheus Operator, which brings the kind PodMonitor',
    commands: prometheusCommands(release ?? 'prometheus'),
  };
}

function namespaceAndSecrets(objects: readonly KubernetesObject[], uses: readonly SecretUse[]): Step[] {
  if (uses.length === 0) {
    return [];
  }
  const namespaces = [...new Set(uses.map((use) => use.namespace))];
  const owned = new Set(objects.filter((object) => object.kind === 'Namespace').map((object) => object.metadata.name));
  const bySecret = groupBySecret(uses);
  return [
    {
      title: 'Secrets, before the pods that read them; keys and passwords are generated here',
      commands: [
        ...namespaces.filter((name) => owned.has(name)).map((name) => `kubectl create namespace ${name}`),
        ...[...bySecret.values()].flatMap((group) => [
          `kubectl -n ${group[0]!.namespace} create secret generic ${group[0]!.secret} \\`,
          ...group.map(
            ({ key, variable }, index) =>
              `  --from-literal=${key}=${BROUGHT[variable] ?? MADE_UP}${index < group.length - 1 ? ' \\' : ''}`,
          ),
        ]),
      ],
    },
  ];
}

function groupBySecret(uses: readonly SecretUse[]): Map<string, SecretUse[]> {
  const groups = new Map<string, SecretUse[]>();
  for (const use of uses) {
    const id = `${use.namespace}/${use.secret}`;
    const group = groups.get(id) ?? groups.set(id, []).get(id)!;
    if (!group.some(({ key }) => key === use.key)) {
      group.push(use);
    }
  }
  return groups;
}

/** Walks whole objects: a Secret may be read in any container of any kind of workload. */
function secretUses(objects: readonly KubernetesObject[]): SecretUse[] {
  const uses: SecretUse[] = [];
  const visit = (value: unknown, namespace: string, variable: string): void => {
    if (typeof value !== 'object' || value === null) {
      return;
    }
    const { name, valueFrom, secretKeyRef } = value as {
      name?: unknown;
      valueFrom?: unknown;
      secretKeyRef?: { name: string; key: string };
    };
    if (secretKeyRef) {
      uses.push({ namespace, secret: secretKeyRef.name, key: secretKeyRef.key, variable });
    }
    for (const child of Object.values(value)) {
      visit(child, namespace, valueFrom !== undefined && typeof name === 'string' ? name : variable);
    }
  };
  for (const object of objects) {
    visit(object, object.metadata.namespace ?? 'default', '');
  }
  return uses;
}

/** Collects `namespace/name` of what pods refer to, wherever it stands in an object. */
function references(
  objects: readonly KubernetesObject[],
  find: (node: Readonly<Record<string, unknown>>) => string[],
): [namespace: string, name: string][] {
  const found = new Map<string, [string, string]>();
  const visit = (value: unknown, namespace: string): void => {
    if (typeof value === 'object' && value !== null) {
      for (const name of find(value as Record<string, unknown>)) {
        found.set(`${namespace}/${name}`, [namespace, name]);
      }
      Object.values(value).forEach((child) => visit(child, namespace));
    }
  };
  objects.forEach((object) => visit(object, object.metadata.namespace ?? 'default'));
  return [...found.values()];
}

function pullSecrets(objects: readonly KubernetesObject[]): Step[] {
  const secrets = references(objects, ({ imagePullSecrets }) =>
    Array.isArray(imagePullSecrets) ? imagePullSecrets.map(({ name }: { name: string }) => name) : [],
  );
  return secrets.length === 0
    ? []
    : [
        {
          title: 'Secrets with the credentials of the image registry',
          commands: secrets.flatMap(([namespace, name]) => [
            `kubectl -n ${namespace} create secret docker-registry ${name} \\`,
            '  --docker-server="${REGISTRY:?}" --docker-username="${REGISTRY_USER:?}" \\',
            '  --docker-password="${REGISTRY_PASSWORD:?}"',
          ]),
        },
      ];
}

function claims(objects: readonly KubernetesObject[]): Step[] {
  const claims = references(objects, ({ persistentVolumeClaim }) => {
    const { claimName } = (persistentVolumeClaim ?? {}) as { claimName?: string };
    return claimName === undefined ? [] : [claimName];
  });
  return claims.length === 0
    ? []
    : [
        {
          title: 'PersistentVolumeClaims that pods on several nodes can mount at once (ReadWriteMany: EFS, FSx)',
          commands: claims.map(([namespace, name]) => `kubectl -n ${namespace} get pvc ${name}`),
        },
      ];
}
