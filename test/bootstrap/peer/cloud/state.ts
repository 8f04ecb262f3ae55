import { AwsError } from '../wire/encode';

export type Tags = Record<string, string>;
export type Issue = { code: string; message: string; resourceIds: string[] };

/** Something that AWS works on: each look at it brings it one step further, as time would. */
export interface Moving {
  status: string;
  /** Looks until it goes to `next`. */
  looks: number;
  /** The next status, or `gone`. */
  next: string;
  issues: Issue[];
}

/** A change that EKS is at; it has its effect after some looks. */
export interface UpdateState {
  type: string;
  looks: number;
  effect: () => void;
  nodegroupName?: string;
  addonName?: string;
  fails?: string;
}

export interface ClusterState extends Moving {
  name: string;
  version: string;
  roleArn: string;
  vpc: {
    subnetIds: string[];
    securityGroupIds: string[];
    endpointPublicAccess: boolean;
    endpointPrivateAccess: boolean;
    publicAccessCidrs: string[];
  };
  access: { authenticationMode: string; bootstrapClusterCreatorAdminPermissions: boolean };
  logging: { types: string[]; enabled: boolean }[];
  deletionProtection: boolean;
  tags: Tags;
  updates: Map<string, UpdateState>;
}

export interface NodeGroupState extends Moving {
  name: string;
  nodeRole: string;
  subnets: string[];
  instanceTypes: string[];
  amiType: string;
  capacityType: string;
  scaling: { minSize: number; maxSize: number; desiredSize: number };
  labels: Record<string, string>;
  template: { id: string; version: string };
  tags: Tags;
}

export interface AddOnState extends Moving {
  name: string;
  version: string;
  configuration?: string;
  tags: Tags;
}

export interface TemplateState {
  id: string;
  name: string;
  versions: Record<string, unknown>[];
  tags: Tags;
}

/** An instance, a volume or a network interface. */
export interface PartState {
  id: string;
  kind: 'instance' | 'volume' | 'interface';
  instance: string;
  subnet: string;
  tags: Tags;
}

export interface RoleState {
  arn: string;
  trust: object;
  policies: string[];
  /** Calls that do not know the role yet. */
  unknownFor: number;
}

/** How the account behaves; what a test changes of it. */
export interface Manners {
  /** Looks until something that was made is there. */
  looks: number;
  /** Looks that do not see what was just made. */
  lag: number;
  nodeGroup: 'works' | 'CREATE_FAILED' | 'DEGRADED' | 'heals';
  addOns: 'work' | 'CREATE_FAILED' | 'DEGRADED';
  cluster: 'works' | 'FAILED';
}

export const ACCOUNT = '111122223333';
export const REGION = 'us-east-1';

/** An account of AWS in memory: what is there, and what was said with which token. */
export class Account {
  public readonly manners: Manners = { looks: 3, lag: 0, nodeGroup: 'works', addOns: 'work', cluster: 'works' };
  public readonly subnets = new Map<string, { zone: string; zoneId: string; vpc: string; free: number; tags: Tags }>([
    [
      'subnet-0a1b2c3d4e5f60001',
      {
        zone: 'us-east-1a',
        zoneId: 'use1-az1',
        vpc: 'vpc-0123456789abcdef0',
        free: 4000,
        tags: { 'kubernetes.io/role/internal-elb': '1' },
      },
    ],
    [
      'subnet-0a1b2c3d4e5f60002',
      {
        zone: 'us-east-1b',
        zoneId: 'use1-az2',
        vpc: 'vpc-0123456789abcdef0',
        free: 4000,
        tags: { 'kubernetes.io/role/internal-elb': '1' },
      },
    ],
  ]);
  /** Where the API of the cluster is, and who signed for it. */
  public endpoint = { url: 'https://127.0.0.1:9', authority: Buffer.from('no certificate').toString('base64') };
  public readonly dns = { enableDnsSupport: true, enableDnsHostnames: true };
  public readonly roles = new Map<string, RoleState>([
    ['eks-cluster', role('eks-cluster', 'eks.amazonaws.com', ['sts:AssumeRole'], ['AmazonEKSClusterPolicy'])],
    [
      'eks-node',
      role(
        'eks-node',
        'ec2.amazonaws.com',
        ['sts:AssumeRole'],
        ['AmazonEKSWorkerNodePolicy', 'AmazonEC2ContainerRegistryPullOnly', 'AmazonEKS_CNI_Policy'],
      ),
    ],
    [
      'aws-load-balancer-controller',
      role('aws-load-balancer-controller', 'pods.eks.amazonaws.com', ['sts:AssumeRole', 'sts:TagSession'], []),
    ],
  ]);
  public readonly offered = new Set(['us-east-1a', 'us-east-1b']);
  public readonly versions = new Map([
    ['1.36', { status: 'STANDARD_SUPPORT', end: new Date('2027-08-02') }],
    ['1.35', { status: 'STANDARD_SUPPORT', end: new Date('2027-03-27') }],
    ['1.32', { status: 'EXTENDED_SUPPORT', end: new Date('2026-03-23') }],
    ['1.29', { status: 'UNSUPPORTED', end: new Date('2025-03-23') }],
  ]);
  public readonly addOnVersions: Readonly<Record<string, readonly string[]>> = {
    'eks-pod-identity-agent': ['v1.4.0-eksbuild.1', 'v1.3.10-eksbuild.2'],
    'metrics-server': ['v0.8.1-eksbuild.1', 'v0.8.0-eksbuild.6'],
  };
  public readonly clusters = new Map<string, ClusterState>();
  public readonly nodeGroups = new Map<string, NodeGroupState>();
  public readonly addOns = new Map<string, AddOnState>();
  public readonly associations = new Map<
    string,
    { id: string; namespace: string; serviceAccount: string; roleArn: string; tags: Tags; lag: number }
  >();
  public readonly entries = new Map<
    string,
    {
      arn: string;
      type: string;
      groups: string[];
      policies: Map<string, { type: string; namespaces: string[] }>;
      tags: Tags;
      lag: number;
    }
  >();
  public readonly templates = new Map<string, TemplateState & { lag: number }>();
  public readonly parts = new Map<string, PartState>();
  public readonly balancers: { group: string; cluster: string; interfaces: string[] }[] = [];
  private readonly said = new Map<string, { wish: string; answer: unknown }>();
  private count = 0;

  /** Another account with the same in it; nothing may be under way. */
  public copy(): Account {
    const other = new Account();
    for (const [key, value] of Object.entries(this)) {
      (other as unknown as Record<string, unknown>)[key] = structuredClone(value);
    }
    return other;
  }

  public id(prefix: string): string {
    return `${prefix}-${(++this.count).toString(16).padStart(17, '0')}`;
  }

  /**
   * Answers a creation once for each token: again with the same wish, with an error for another one. A token outlives what it
   * made, as those of AWS do for a day.
   */
  public once<T>(operation: string, token: string | undefined, input: object, make: () => T, mismatch: string): T {
    const key = `${operation} ${token}`;
    const wish = JSON.stringify(input);
    const before = this.said.get(key);
    if (token === undefined) {
      throw new AwsError('InvalidParameterException', `${operation} without a client token`);
    }
    if (before !== undefined) {
      if (before.wish !== wish) {
        throw new AwsError(
          mismatch,
          'The request uses the same client token as a previous, but non-identical request.',
        );
      }
      return before.answer as T;
    }
    const answer = make();
    this.said.set(key, { wish, answer });
    return answer;
  }

  /** One look at something that AWS works on. */
  public look<T extends Moving>(store: Map<string, T>, key: string): T | undefined {
    const found = store.get(key);
    if (found === undefined) {
      return undefined;
    }
    if (found.looks > 0 && --found.looks === 0) {
      if (found.next === 'gone') {
        store.delete(key);
        return undefined;
      }
      found.status = found.next;
    }
    return found;
  }

  /** What there is at the end, without ids: what two runs have to agree in. */
  public summary(): object {
    const sorted = <T>(list: Iterable<T>): T[] =>
      [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return {
      clusters: sorted(
        [...this.clusters.values()].map(({ name, status, version, roleArn, vpc, access, logging, tags }) => ({
          name,
          status,
          version,
          roleArn,
          vpc,
          access,
          logging,
          tags,
        })),
      ),
      nodeGroups: sorted(
        [...this.nodeGroups.values()].map(
          ({ name, status, subnets, instanceTypes, amiType, capacityType, scaling, labels, template, tags }) => ({
            name,
            status,
            subnets,
            instanceTypes,
            amiType,
            capacityType,
            scaling,
            labels,
            tags,
            template: `version ${template.version} of ${this.templates.get(template.id)?.name}`,
          }),
        ),
      ),
      addOns: sorted(
        [...this.addOns.values()].map(({ name, status, version, tags }) => ({ name, status, version, tags })),
      ),
      associations: sorted(
        [...this.associations.values()].map(({ namespace, serviceAccount, roleArn, tags }) => ({
          namespace,
          serviceAccount,
          roleArn,
          tags,
        })),
      ),
      entries: sorted(
        [...this.entries.values()].map(({ arn, type, groups, policies, tags }) => ({
          arn,
          type,
          groups,
          policies: [...policies.entries()],
          tags,
        })),
      ),
      templates: sorted([...this.templates.values()].map(({ name, versions, tags }) => ({ name, versions, tags }))),
      parts: sorted([...this.parts.values()].map(({ kind, subnet, tags }) => ({ kind, subnet, tags }))),
    };
  }
}

export function role(
  name: string,
  service: string,
  actions: readonly string[],
  policies: readonly string[],
): RoleState {
  return {
    arn: `arn:aws:iam::${ACCOUNT}:role/${name}`,
    trust: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: service }, Action: actions }],
    },
    policies: [...policies],
    unknownFor: 0,
  };
}
