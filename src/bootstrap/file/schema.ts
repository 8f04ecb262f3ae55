/** The part of JSON Schema (draft 2020-12) that the cluster file needs; `validate.ts` knows these words and no others. */
export interface Schema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Schema;
  /** What the keys of a map look like. */
  readonly propertyNames?: Schema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  /** What `pattern` allows, in words: an error says this and not the pattern. */
  readonly 'x-allowed'?: string;
}

const ROLE_ARN: Schema = {
  type: 'string',
  pattern: '^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9_+=,.@/-]{1,512}$',
  'x-allowed': "the ARN of an IAM role, as 'arn:aws:iam::<account>:role/<name>'",
};
const ZONE: Schema = {
  type: 'string',
  pattern: '^[a-z]{2,4}(-[a-z]+)+-[0-9]+[a-z]$',
  'x-allowed': "an Availability Zone, as 'us-east-1a'",
};
const SUBNETS: Schema = {
  type: 'object',
  propertyNames: ZONE,
  additionalProperties: {
    type: 'string',
    pattern: '^subnet-[0-9a-f]{8,17}$',
    'x-allowed': "the id of a subnet, as 'subnet-0123456789abcdef0'",
  },
};
const KUBERNETES_NAME: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 63,
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
  'x-allowed': 'lower-case letters, digits and hyphens, a letter or digit first and last',
};
const CIDR: Schema = {
  type: 'string',
  pattern: '^[0-9]{1,3}(\\.[0-9]{1,3}){3}/[0-9]{1,2}$',
  'x-allowed': "a range of IPv4 addresses, as '203.0.113.7/32'",
};

/** Names of AMI types by architecture: the AL2023 images that vLLM on CPU or NVIDIA GPUs runs on. */
export const AMI_TYPES = {
  AL2023_ARM_64_STANDARD: 'arm64',
  AL2023_x86_64_STANDARD: 'amd64',
  AL2023_ARM_64_NVIDIA: 'arm64',
  AL2023_x86_64_NVIDIA: 'amd64',
} as const;

/** The access policies that EKS comes with, without the ARN before their names. */
export const ACCESS_POLICIES = [
  'AmazonEKSClusterAdminPolicy',
  'AmazonEKSAdminPolicy',
  'AmazonEKSAdminViewPolicy',
  'AmazonEKSEditPolicy',
  'AmazonEKSViewPolicy',
] as const;

/**
 * The form of cluster.yaml. It is published as docs/cluster.schema.json, and is what the file is checked with: an editor and
 * the program say the same. Bounds are those of the EKS and EC2 APIs.
 */
export const CLUSTER_SCHEMA: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'cluster.yaml',
  description: 'An EKS cluster for vLLM, as `cdk8s-vllm bootstrap` makes it.',
  type: 'object',
  additionalProperties: false,
  required: ['name', 'region', 'kubernetesVersion', 'roleArn', 'network', 'nodeGroup', 'tags'],
  properties: {
    name: {
      description: 'Name of the cluster.',
      type: 'string',
      minLength: 1,
      maxLength: 100,
      pattern: '^[0-9A-Za-z][A-Za-z0-9_-]*$',
      'x-allowed': 'letters, digits, hyphens and underscores, a letter or digit first',
      examples: ['vllm-research'],
    },
    region: {
      description: 'AWS region. The one of the environment is not asked.',
      type: 'string',
      pattern: '^[a-z]{2,4}(-[a-z]+)+-[0-9]+$',
      'x-allowed': "a region, as 'us-east-1'",
    },
    kubernetesVersion: {
      description: 'Kubernetes version, in quotes: YAML takes 1.30 for the number 1.3.',
      type: 'string',
      pattern: '^1\\.[0-9]{2}$',
      'x-allowed': "a version in quotes, as '1.36'",
      examples: ['1.36'],
    },
    roleArn: { ...ROLE_ARN, description: 'Role of the control plane. It trusts eks.amazonaws.com.' },
    authenticationMode: {
      description: 'Who lets people in: API is access entries alone; the ConfigMap aws-auth is the old way.',
      type: 'string',
      enum: ['API', 'API_AND_CONFIG_MAP'],
      default: 'API',
    },
    creatorIsAdmin: {
      description:
        'Whether who creates the cluster becomes its administrator (`bootstrapClusterCreatorAdminPermissions`). It cannot be changed later.',
      type: 'boolean',
      default: true,
    },
    deletionProtection: {
      description: 'Whether EKS refuses to delete the cluster. `destroy` stops at it.',
      type: 'boolean',
      default: false,
    },
    logging: {
      description: 'Logs of the control plane that go to CloudWatch, which bills them.',
      type: 'array',
      uniqueItems: true,
      items: { type: 'string', enum: ['api', 'audit', 'authenticator', 'controllerManager', 'scheduler'] },
      default: [],
    },
    tags: {
      description:
        'Tags of everything that is made: cluster, node group, launch template, add-ons, and the instances, volumes and network interfaces of the nodes. Give what your account expects, such as an owner and an end date. At most 40: AWS takes 50, and EKS and this program add some.',
      type: 'object',
      minProperties: 1,
      maxProperties: 40,
      propertyNames: {
        type: 'string',
        minLength: 1,
        maxLength: 128,
        pattern: '^(?![aA][wW][sS]:|kubernetes\\.io/|cdk8s-vllm/|eks:|__proto__$)[\\p{L}\\p{Z}\\p{N}_.:/=+@-]+$',
        'x-allowed':
          'letters, digits, spaces and _ . : / = + @ -, not one that begins with aws:, eks:, kubernetes.io/ or cdk8s-vllm/',
      },
      additionalProperties: {
        type: 'string',
        maxLength: 256,
        pattern: '^[\\p{L}\\p{Z}\\p{N}_.:/=+@-]*$',
        'x-allowed': 'letters, digits, spaces and _ . : / = + @ -; a date or a number in quotes',
      },
      examples: [{ owner: 'ml-platform', 'end-date': '2027-01-31' }],
    },
    network: {
      description: 'Where the cluster stands.',
      type: 'object',
      additionalProperties: false,
      required: ['subnets'],
      properties: {
        subnets: {
          ...SUBNETS,
          description: 'Subnets of the control plane by their zone: two zones or more, in one VPC.',
          minProperties: 2,
          maxProperties: 16,
        },
        nodeSubnets: {
          ...SUBNETS,
          description: 'Subnets of the nodes by their zone, where they are others than those of the control plane.',
          minProperties: 1,
        },
        securityGroups: {
          description: 'Further security groups of the control plane.',
          type: 'array',
          uniqueItems: true,
          maxItems: 4,
          items: {
            type: 'string',
            pattern: '^sg-[0-9a-f]{8,17}$',
            'x-allowed': "the id of a security group, as 'sg-0123456789abcdef0'",
          },
          default: [],
        },
        endpoint: {
          description: 'Where the API of the cluster is reached.',
          type: 'object',
          additionalProperties: false,
          properties: {
            private: { description: 'From inside of the VPC.', type: 'boolean', default: true },
            public: { description: 'From the Internet.', type: 'boolean', default: false },
            publicCidrs: {
              description: 'The addresses that the public endpoint answers to; 0.0.0.0/0 unless given.',
              type: 'array',
              minItems: 1,
              maxItems: 40,
              uniqueItems: true,
              items: CIDR,
            },
          },
        },
      },
    },
    nodeGroup: {
      description: 'The managed node group.',
      type: 'object',
      additionalProperties: false,
      required: ['name', 'roleArn', 'zone', 'instanceType', 'nodes'],
      properties: {
        name: {
          description: 'Name of the node group.',
          type: 'string',
          minLength: 1,
          maxLength: 63,
          pattern: '^[0-9A-Za-z][A-Za-z0-9_-]*$',
          'x-allowed': 'letters, digits, hyphens and underscores, a letter or digit first',
        },
        roleArn: { ...ROLE_ARN, description: 'Role of the nodes. It trusts ec2.amazonaws.com.' },
        zone: { ...ZONE, description: 'The zone of all nodes.' },
        moreZones: {
          description:
            'Further zones. The hop between the nodes is on the way of every token, and traffic between zones is billed: leave it out unless you know better.',
          type: 'array',
          uniqueItems: true,
          items: ZONE,
          default: [],
        },
        instanceType: {
          description: 'EC2 instance type.',
          type: 'string',
          pattern: '^[a-z][a-z0-9-]*\\.[a-z0-9-]+$',
          'x-allowed': "an EC2 instance type, as 'm7g.2xlarge'",
        },
        amiType: {
          description: 'Image of the nodes; the AL2023 one of the processor of the instance type unless given.',
          type: 'string',
          enum: Object.keys(AMI_TYPES),
        },
        capacityType: {
          description: 'SPOT is interrupted, which restarts the whole group of pods.',
          type: 'string',
          enum: ['ON_DEMAND', 'SPOT'],
          default: 'ON_DEMAND',
        },
        nodes: {
          description: 'Number of nodes: smallest, largest and desired.',
          type: 'integer',
          minimum: 1,
          maximum: 100,
        },
        diskSize: {
          description:
            'Root volume of a node, GiB (gp3, encrypted). The images of vLLM have several GB, and the weights are kept beside them.',
          type: 'integer',
          minimum: 20,
          maximum: 16384,
          default: 100,
        },
        launchTemplate: {
          description:
            'A launch template of your own, in place of the one that is made. Disk, metadata options and tags of the nodes are then its matter.',
          type: 'object',
          additionalProperties: false,
          required: ['id', 'version'],
          properties: {
            id: {
              type: 'string',
              pattern: '^lt-[0-9a-f]{8,17}$',
              'x-allowed': "the id of a launch template, as 'lt-0123456789abcdef0'",
            },
            version: { type: 'string', pattern: '^[1-9][0-9]*$', 'x-allowed': "a number in quotes, as '3'" },
          },
        },
        labels: {
          description: 'Labels of the nodes.',
          type: 'object',
          maxProperties: 50,
          propertyNames: {
            type: 'string',
            minLength: 1,
            maxLength: 63,
            pattern: '^([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$',
            'x-allowed': 'letters, digits, hyphens, underscores and dots behind an optional prefix and a slash',
          },
          additionalProperties: {
            type: 'string',
            minLength: 1,
            maxLength: 63,
            pattern: '^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$',
            'x-allowed': 'letters, digits, hyphens, underscores and dots; a number or a true in quotes',
          },
        },
      },
    },
    addOns: {
      description: 'Add-ons of EKS, made when the nodes are there.',
      type: 'array',
      default: [{ name: 'eks-pod-identity-agent' }, { name: 'metrics-server' }],
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: {
          name: {
            ...KUBERNETES_NAME,
            description: 'Name of the add-on, as `aws eks describe-addon-versions` lists it.',
          },
          version: {
            description: 'Version; the default one for the Kubernetes version unless given.',
            type: 'string',
            pattern: '^v[0-9]+\\.[0-9]+\\.[0-9]+-eksbuild\\.[0-9]+$',
            'x-allowed': "a version, as 'v1.3.10-eksbuild.2'",
          },
          configuration: {
            description: 'Its settings, as one text of JSON or YAML (`configurationValues`).',
            type: 'string',
            minLength: 1,
          },
        },
      },
    },
    podIdentities: {
      description: 'Which service account gets the credentials of which role.',
      type: 'array',
      default: [],
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['namespace', 'serviceAccount', 'roleArn'],
        properties: {
          namespace: KUBERNETES_NAME,
          serviceAccount: {
            type: 'string',
            minLength: 1,
            maxLength: 253,
            pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
            'x-allowed': 'lower-case letters, digits, hyphens and dots, a letter or digit first and last',
          },
          roleArn: {
            ...ROLE_ARN,
            description: 'It trusts pods.eks.amazonaws.com with sts:AssumeRole and sts:TagSession.',
          },
        },
      },
    },
    accessEntries: {
      description: 'Who else may use the cluster.',
      type: 'array',
      default: [],
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['principalArn', 'policies'],
        properties: {
          principalArn: {
            description: 'The IAM role or user; not the ARN of a session of it.',
            type: 'string',
            pattern: '^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/[A-Za-z0-9_+=,.@/-]{1,512}$',
            'x-allowed':
              "the ARN of an IAM role or user, as 'arn:aws:iam::<account>:role/<name>'; of a session arn:aws:sts::…:assumed-role/ take the role",
          },
          groups: {
            description: 'Kubernetes groups of it.',
            type: 'array',
            uniqueItems: true,
            items: {
              type: 'string',
              minLength: 1,
              pattern: '^(?!system:)[^\\s]+$',
              'x-allowed': 'a group without spaces that does not begin with system:',
            },
            default: [],
          },
          policies: {
            description: 'Access policies of EKS.',
            type: 'array',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['name'],
              properties: {
                name: { type: 'string', enum: ACCESS_POLICIES },
                namespaces: {
                  description: 'The namespaces that it holds in; the whole cluster unless given.',
                  type: 'array',
                  uniqueItems: true,
                  minItems: 1,
                  items: KUBERNETES_NAME,
                },
              },
            },
          },
        },
      },
    },
  },
};
