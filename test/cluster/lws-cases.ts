/**
 * LeaderWorkerSets as LWS takes and refuses them, with the boundaries from both sides: three columns of fields, and what the refusal
 * says; without it the set is taken. Each runs against the rules and against the API server with LWS' webhooks, and both have to
 * agree with the table.
 */
export interface LwsCase {
  readonly what: string;
  /** Fields by their path below `spec`; `name` and `annotations` are those of the metadata. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly refused?: RegExp;
}

const rollout = (maxUnavailable: unknown, maxSurge: unknown = 0, replicas: unknown = 3) => ({
  replicas,
  'rolloutStrategy.rollingUpdateConfiguration': { maxUnavailable, maxSurge },
});
const partition = (value: unknown) => ({ 'rolloutStrategy.rollingUpdateConfiguration': { partition: value } });
const size = (value: unknown) => ({ 'leaderWorkerTemplate.size': value });
const template = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [`leaderWorkerTemplate.${key}`, value]));
const subGroups = (groupSize: number, subGroupSize: unknown, subGroupPolicyType?: string) =>
  template({ size: groupSize, subGroupPolicy: { subGroupSize, ...(subGroupPolicyType && { subGroupPolicyType }) } });
const container = (more: object) => ({ name: 'agent', image: 'registry.example/agent:1.0', ...more });
const pod = (more: object, ...containers: object[]) =>
  template({ workerTemplate: { spec: { containers: containers.length > 0 ? containers : [container({})], ...more } } });
const TOPOLOGY = 'leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology';

const DNS = /a DNS-1035 label must consist of/;
const PERCENT = /a valid percent string must be a numeric string followed by an ending '%'/;
const NEGATIVE = /must be greater than or equal to 0/;
const BOTH_ZERO = /must not be 0 when `maxSurge` is 0/;
const DIVISIBLE = /size or size - 1 must be divisible by subGroupSize/;
const WITHOUT_LEADER = /size-1 must be divisible by subGroupSize when using LeaderExcluded/;
const PANIC = /panic: runtime error/;
const PRODUCT = /the product of replicas and worker replicas must not exceed 2147483647/;
const DUPLICATE = /duplicate entries for key/;
const NO_INT32 = /cannot unmarshal number .* of type int32/;
const UNSUPPORTED = /Unsupported value: /;

export const LWS_CASES: readonly LwsCase[] = [
  // Name: a Service gets it.
  { what: 'nothing but what is needed', given: {} },
  { what: 'a name of one letter', given: { name: 'a' } },
  { what: 'a name with digits and hyphens', given: { name: 'a-1--b2' } },
  { what: 'a name that begins with a digit', given: { name: '1a' }, refused: DNS },
  { what: 'a name with a dot', given: { name: 'a.b' }, refused: DNS },
  { what: 'a name that ends with a hyphen', given: { name: 'a-' }, refused: /a lowercase RFC 1123|DNS-1035/ },
  { what: 'a name with a capital', given: { name: 'aB' }, refused: /a lowercase RFC 1123|DNS-1035/ },

  // Numbers of groups and pods.
  { what: 'no group', given: { replicas: 0 } },
  { what: 'more groups than LWS takes since 0.10', given: { replicas: 1_000_001 } },
  { what: 'one group less than none', given: { replicas: -1 }, refused: /should be a non-negative integer/ },
  {
    what: 'a number of groups in words',
    given: { replicas: 'two' },
    refused: /expected numeric|must be of type integer/,
  },
  { what: 'half a group', given: { replicas: 1.5 }, refused: NO_INT32 },
  { what: 'more groups than 32 bits hold', given: { replicas: 2 ** 31 }, refused: NO_INT32 },
  { what: 'groups of one pod', given: size(1) },
  { what: 'groups of no pod', given: size(0), refused: /size must be equal or greater than 1/ },
  { what: 'groups of less than no pod', given: size(-1), refused: /size must be equal or greater than 1/ },
  { what: 'as many pods as 32 bits hold', given: size(2 ** 31 - 1) },
  { what: 'one pod more than that', given: size(2 ** 31), refused: NO_INT32 },
  { what: 'groups times pods at the edge', given: { ...size(65_535), replicas: 32_768 } },
  { what: 'groups times pods just above it', given: { ...size(65_536), replicas: 32_768 }, refused: PRODUCT },

  // Rollout.
  { what: 'a whole number of unavailable groups', given: rollout(1) },
  { what: 'more unavailable groups than there are', given: rollout(4) },
  { what: 'all of them, in percent', given: rollout('100%') },
  { what: 'more than all of them', given: rollout('101%'), refused: /must not be greater than 100%/ },
  { what: 'less than none of them', given: rollout(-1), refused: NEGATIVE },
  { what: 'a percentage below none', given: rollout('-1%'), refused: PERCENT },
  { what: 'a number as a text', given: rollout('1'), refused: PERCENT },
  { what: 'a percentage with a fraction', given: rollout('33.5%'), refused: PERCENT },
  { what: 'a percentage that comes to one group', given: rollout('34%') },
  { what: 'a percentage that rounds down to none', given: rollout('33%'), refused: BOTH_ZERO },
  { what: 'a percentage that rounds down to none, and a surge', given: rollout('33%', 1) },
  { what: 'none unavailable and no surge', given: rollout(0), refused: BOTH_ZERO },
  { what: 'none unavailable and a surge', given: rollout(0, 1) },
  { what: 'none unavailable and a surge in percent, which is rounded up', given: rollout(0, '1%') },
  { what: 'none unavailable and a surge of no percent', given: rollout('0%', '0%'), refused: BOTH_ZERO },
  { what: 'none unavailable and no surge, of no groups', given: rollout(0, 0, 0) },
  { what: 'a larger surge than there are groups', given: rollout(1, 9) },
  { what: 'a surge of all, in percent', given: rollout(1, '100%') },
  { what: 'a surge of more than all', given: rollout(1, '101%'), refused: /must not be greater than 100%/ },
  { what: 'a surge below none', given: rollout(1, -1), refused: NEGATIVE },
  { what: 'a surge in words', given: rollout(1, 'one'), refused: PERCENT },
  { what: 'a partition at the first group', given: partition(0) },
  { what: 'a partition past the last group', given: partition(5) },
  { what: 'a partition below the first group', given: partition(-1), refused: NEGATIVE },
  { what: 'the only kind of rollout', given: { 'rolloutStrategy.type': 'RollingUpdate' } },
  { what: 'another kind of rollout', given: { 'rolloutStrategy.type': 'Recreate' }, refused: UNSUPPORTED },

  // Subgroups.
  { what: 'subgroups that divide the group', given: subGroups(4, 2) },
  { what: 'subgroups that divide the workers', given: subGroups(5, 2) },
  { what: 'subgroups that divide neither', given: subGroups(6, 4), refused: DIVISIBLE },
  { what: 'a subgroup of the whole group', given: subGroups(3, 3) },
  {
    what: 'a subgroup larger than the group',
    given: subGroups(3, 4),
    refused: /subGroupSize cannot be larger than size/,
  },
  {
    what: 'a subgroup larger than a group of one',
    given: subGroups(1, 2),
    refused: /subGroupSize cannot be larger than size/,
  },
  { what: 'subgroups of one pod', given: subGroups(3, 1) },
  { what: 'subgroups of no pod', given: subGroups(3, 0), refused: PANIC },
  {
    what: 'subgroups of less than no pod',
    given: subGroups(3, -1),
    refused: /subGroupSize must be equal or greater than 1/,
  },
  { what: 'subgroups with the leader', given: subGroups(4, 2, 'LeaderWorker') },
  { what: 'subgroups without the leader that divide the workers', given: subGroups(5, 2, 'LeaderExcluded') },
  {
    what: 'subgroups without the leader that divide the group',
    given: subGroups(4, 2, 'LeaderExcluded'),
    refused: WITHOUT_LEADER,
  },
  { what: 'subgroups of an unknown kind', given: subGroups(4, 2, 'WorkerOnly'), refused: UNSUPPORTED },
  { what: 'a subgroup policy that is empty', given: template({ size: 4, subGroupPolicy: {} }), refused: PANIC },
  {
    what: 'a subgroup policy with a kind alone',
    given: template({ size: 4, subGroupPolicy: { subGroupPolicyType: 'LeaderWorker' } }),
    refused: PANIC,
  },
  {
    what: 'a topology for subgroups that there are',
    given: { ...subGroups(4, 2), annotations: { [TOPOLOGY]: 'zone' } },
  },
  {
    what: 'a topology for subgroups that there are not',
    given: { annotations: { [TOPOLOGY]: 'zone' } },
    refused: /cannot have subgroup-exclusive-topology without subGroupSize set/,
  },

  // Policies.
  ...['RecreateGroupOnPodRestart', 'RecreateGroupAfterStart', 'None', 'Default'].map((word) => ({
    what: `restart policy ${word}`,
    given: template({ restartPolicy: word }),
  })),
  { what: 'a restart policy of pods', given: template({ restartPolicy: 'Never' }), refused: UNSUPPORTED },
  { what: 'start with the leader', given: { startupPolicy: 'LeaderCreated' } },
  { what: 'start after the leader', given: { startupPolicy: 'LeaderReady' } },
  { what: 'start at some other time', given: { startupPolicy: 'leaderReady' }, refused: UNSUPPORTED },
  { what: 'one subdomain', given: { 'networkConfig.subdomainPolicy': 'Shared' } },
  { what: 'a subdomain for each group', given: { 'networkConfig.subdomainPolicy': 'UniquePerReplica' } },
  {
    what: 'a subdomain for each pod',
    given: { 'networkConfig.subdomainPolicy': 'UniquePerPod' },
    refused: UNSUPPORTED,
  },

  // Templates, as far as the CRD looks at them.
  {
    what: 'no template for workers',
    given: template({ leaderTemplate: { spec: { containers: [container({})] } }, workerTemplate: undefined }),
    refused: /workerTemplate\.spec\.containers in body must be of type array/,
  },
  { what: 'two variables', given: pod({}, container({ env: [{ name: 'A' }, { name: 'B' }] })) },
  { what: 'a variable twice', given: pod({}, container({ env: [{ name: 'A' }, { name: 'A' }] })), refused: DUPLICATE },
  {
    what: 'one port by two protocols',
    given: pod({}, container({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }] })),
  },
  {
    what: 'one port twice',
    given: pod({}, container({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }] })),
    refused: DUPLICATE,
  },
  {
    what: 'two mounts at one path',
    given: pod(
      { volumes: [{ name: 'a', emptyDir: {} }] },
      container({
        volumeMounts: [
          { name: 'a', mountPath: '/a' },
          { name: 'a', mountPath: '/a' },
        ],
      }),
    ),
    refused: DUPLICATE,
  },
  {
    what: 'two volumes of one name',
    given: pod({
      volumes: [
        { name: 'a', emptyDir: {} },
        { name: 'a', emptyDir: {} },
      ],
    }),
    refused: DUPLICATE,
  },
  { what: 'two containers of one name', given: pod({}, container({}), container({})), refused: DUPLICATE },
  {
    what: 'a secret for pulls twice',
    given: pod({ imagePullSecrets: [{ name: 'a' }, { name: 'a' }] }),
    refused: DUPLICATE,
  },

  // What no LWS looks at: a template that can never run is taken.
  {
    what: 'a port name that is too long',
    given: pod({}, container({ ports: [{ name: 'sixteen-letters-', containerPort: 80 }] })),
  },
  {
    what: 'a request over its limit',
    given: pod({}, container({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } })),
  },
  { what: 'pods that do not restart', given: pod({ restartPolicy: 'Never' }) },
  { what: 'a variable of LWS', given: pod({}, container({ env: [{ name: 'LWS_GROUP_SIZE', value: '9' }] })) },
];
