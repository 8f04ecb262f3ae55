import type { ACCESS_POLICIES, AMI_TYPES } from './schema';

export type AmiType = keyof typeof AMI_TYPES;
export type AccessPolicyName = (typeof ACCESS_POLICIES)[number];

/** What stands in a cluster.yaml, with its defaults. docs/cluster.schema.json says what each key means. */
export interface ClusterFile {
  readonly name: string;
  readonly region: string;
  readonly kubernetesVersion: string;
  readonly roleArn: string;
  readonly authenticationMode: 'API' | 'API_AND_CONFIG_MAP';
  readonly creatorIsAdmin: boolean;
  readonly deletionProtection: boolean;
  readonly logging: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly network: {
    /** Subnet ids by zone. */
    readonly subnets: Readonly<Record<string, string>>;
    readonly nodeSubnets: Readonly<Record<string, string>>;
    readonly securityGroups: readonly string[];
    readonly endpoint: {
      readonly private: boolean;
      readonly public: boolean;
      readonly publicCidrs?: readonly string[];
    };
  };
  readonly nodeGroup: NodeGroupFile;
  readonly addOns: readonly AddOnFile[];
  readonly podIdentities: readonly PodIdentityFile[];
  readonly accessEntries: readonly AccessEntryFile[];
}

export interface NodeGroupFile {
  readonly name: string;
  readonly roleArn: string;
  readonly zone: string;
  readonly moreZones: readonly string[];
  readonly instanceType: string;
  readonly amiType: AmiType;
  readonly capacityType: 'ON_DEMAND' | 'SPOT';
  readonly nodes: number;
  /** GiB; none with a launch template of one's own. */
  readonly diskSize?: number;
  readonly launchTemplate?: { readonly id: string; readonly version: string };
  readonly labels: Readonly<Record<string, string>>;
}

export interface AddOnFile {
  readonly name: string;
  readonly version?: string;
  readonly configuration?: string;
}

export interface PodIdentityFile {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly roleArn: string;
}

export interface AccessEntryFile {
  readonly principalArn: string;
  readonly groups: readonly string[];
  readonly policies: readonly { readonly name: AccessPolicyName; readonly namespaces?: readonly string[] }[];
}
