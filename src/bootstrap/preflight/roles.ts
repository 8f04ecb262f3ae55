import { CallError } from '../aws/errors';
import { allPages } from '../aws/send';
import { type Check, notChecked } from '../plan';
import { roleName } from '../resources/cluster';
import type { Run } from '../run';

/** What a role is for, whom it has to trust with what, and the policies of AWS that it is expected to have. */
interface Use {
  readonly what: string;
  readonly arn: string;
  readonly service: string;
  readonly actions: readonly string[];
  /** One of each list. */
  readonly policies: readonly (readonly string[])[];
}

/** The roles of the cluster, the nodes and the service accounts. They are read and never changed. */
export async function roleChecks(run: Run): Promise<Check[]> {
  const { file } = run;
  const uses: Use[] = [
    {
      what: 'role of the cluster',
      arn: file.roleArn,
      service: 'eks.amazonaws.com',
      actions: ['sts:AssumeRole'],
      policies: [['AmazonEKSClusterPolicy']],
    },
    {
      what: 'role of the nodes',
      arn: file.nodeGroup.roleArn,
      service: 'ec2.amazonaws.com',
      actions: ['sts:AssumeRole'],
      policies: [
        ['AmazonEKSWorkerNodePolicy', 'AmazonEKSWorkerNodeMinimalPolicy'],
        ['AmazonEC2ContainerRegistryPullOnly', 'AmazonEC2ContainerRegistryReadOnly'],
        ['AmazonEKS_CNI_Policy'],
      ],
    },
    ...file.podIdentities.map(({ namespace, serviceAccount, roleArn }) => ({
      what: `role of ${namespace}/${serviceAccount}`,
      arn: roleArn,
      service: 'pods.eks.amazonaws.com',
      // TagSession as well: EKS tags every session with cluster, namespace and service account.
      actions: ['sts:AssumeRole', 'sts:TagSession'],
      policies: [],
    })),
  ];
  return (await Promise.all(uses.map((use) => checkRole(run, use)))).flat();
}

async function checkRole({ send }: Run, { what, arn, service, actions, policies }: Use): Promise<Check[]> {
  const path = roleName(arn)!;
  const RoleName = path.slice(path.lastIndexOf('/') + 1);
  const about = what;
  try {
    const { Role } = await send('iam.GetRole', { RoleName });
    if (Role?.Arn !== arn) {
      return [
        {
          level: 'error',
          about,
          message: `role ${RoleName} of this account is another one than the file names; compare account and path`,
        },
      ];
    }
    const missing = untrusted(decodeURIComponent(Role.AssumeRolePolicyDocument ?? '{}'), service, actions);
    if (missing.length > 0) {
      return [
        {
          level: 'error',
          about,
          message: `the trust policy of ${RoleName} does not let ${service} do ${missing.join(' and ')}; add a statement with Principal {"Service": "${service}"} and Action ${JSON.stringify(actions)}`,
        },
      ];
    }
    if (policies.length === 0) {
      return [{ level: 'ok', about, message: `${RoleName} trusts ${service}` }];
    }
    const pages = await allPages(send, 'iam.ListAttachedRolePolicies', { RoleName });
    const attached = pages
      .flatMap(({ AttachedPolicies = [] }) => AttachedPolicies)
      .map(({ PolicyName }) => PolicyName!);
    const lacking = policies.filter((names) => !names.some((name) => attached.includes(name))).map(([name]) => name!);
    return lacking.length === 0
      ? [{ level: 'ok', about, message: `${RoleName} trusts ${service}` }]
      : [
          {
            level: 'warning',
            about,
            message: `${RoleName} does not have ${lacking.join(', ')}; unless a policy of its own gives these rights, attach them`,
          },
        ];
  } catch (error) {
    if (error instanceof CallError && error.kind === 'absent') {
      return [{ level: 'error', about, message: `there is no role ${RoleName}` }];
    }
    if (error instanceof CallError && error.kind === 'denied') {
      return [notChecked(about, error)];
    }
    throw error;
  }
}

interface Statement {
  readonly Effect?: string;
  readonly Principal?: { readonly Service?: string | readonly string[] };
  readonly Action?: string | readonly string[];
}

/** The actions that a trust policy does not let a service do. */
export function untrusted(document: string, service: string, actions: readonly string[]): string[] {
  let parsed: { Statement?: Statement | Statement[] };
  try {
    parsed = JSON.parse(document) as typeof parsed;
  } catch {
    return [...actions];
  }
  const allowed = [parsed.Statement ?? []]
    .flat()
    .filter(({ Effect, Principal }) => Effect === 'Allow' && [Principal?.Service ?? []].flat().includes(service))
    .flatMap(({ Action }) => [Action ?? []].flat())
    .map((action) => action.toLowerCase());
  return actions.filter((action) => !['*', 'sts:*', action.toLowerCase()].some((name) => allowed.includes(name)));
}
