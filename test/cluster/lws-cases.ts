/** Which rule says so, and in which words the cluster does. */
type Verdict = readonly [rule: string, words: RegExp];

/**
 * LeaderWorkerSets as LWS takes and refuses them, with the boundaries from both sides. Each runs against the rules and against the
 * API server with LWS' webhooks, and both have to agree with the table.
 */
export interface LwsCase {
  readonly what: string;
  /** Fields by their path below `spec`; `name` and `annotations` are those of the metadata. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The set itself is refused. */
  readonly refused?: Verdict;
  /** The set is taken, and its pods are refused when it is too late for anybody to see: it can never run. */
  readonly never?: Verdict;
}

const rollout = (maxUnavailable: unknown, maxSurge: unknown = 0, replicas: unknown = 3) => ({
  replicas,
  'rolloutStrategy.rollingUpdateConfiguration': { maxUnavailable, maxSurge },
});
const partition = (value: unknown) => ({ 'rolloutStrategy.rollingUpdateConfiguration': { partition: value } });
const size = (value: unknown) => ({ 'leaderWorkerTemplate.size': value });
const named = (letters: number, pods: number) => ({ name: 'a'.repeat(letters), ...size(pods) });
const template = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [`leaderWorkerTemplate.${key}`, value]));
const subGroups = (groupSize: number, subGroupSize: unknown, subGroupPolicyType?: string) =>
  template({ size: groupSize, subGroupPolicy: { subGroupSize, ...(subGroupPolicyType && { subGroupPolicyType }) } });
const container = (more: object) => ({ name: 'agent', image: 'registry.example/agent:1.0', ...more });
const pod = (more: object, ...containers: object[]) =>
  template({ workerTemplate: { spec: { containers: containers.length > 0 ? containers : [container({})], ...more } } });
const TOPOLOGY = 'leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology';

/** Several rules speak of numbers; these are the words of the API server and of the webhook. */
const number = (words: RegExp): Verdict => ['lws/invalid-number', words];
const subGroup = (words: RegExp): Verdict => ['lws/subgroup-size', words];
const DNS: Verdict = [
  'lws/invalid-name',
  /a DNS-1035 label must consist of|a lowercase RFC 1123 subdomain must consist of/,
];
const PERCENT = number(/a valid percent string must be a numeric string followed by an ending '%'/);
const OVER_ALL = number(/must not be greater than 100%/);
const NEGATIVE = number(/must be greater than or equal to 0/);
const NO_INT32 = number(/cannot unmarshal \w+( \S+)? into Go struct field .* of type int32/);
const NO_NUMBER = number(/expected numeric \(int or float\), got/);
const TOO_SMALL = number(/size must be equal or greater than 1/);
const PRODUCT = number(/the product of replicas and worker replicas must not exceed 2147483647/);
const BOTH_ZERO: Verdict = ['lws/rollout-budget-zero', /must not be 0 when `maxSurge` is 0/];
const DIVISIBLE = subGroup(/size or size - 1 must be divisible by subGroupSize/);
const WITHOUT_LEADER = subGroup(/size-1 must be divisible by subGroupSize when using LeaderExcluded/);
const OVER_SIZE = subGroup(/subGroupSize cannot be larger than size/);
const NO_SIZE: Verdict = [
  'lws/subgroup-size-missing',
  /panic: runtime error|subGroupSize in body must be of type integer/,
];
const NO_SUBGROUPS: Verdict = [
  'lws/subgroup-topology',
  /cannot have subgroup-exclusive-topology without subGroupSize set/,
];
const DUPLICATE: Verdict = ['lws/duplicate-list-key', /duplicate entries for key/];
const UNSUPPORTED: Verdict = ['lws/unknown-value', /Unsupported value: /];
const NO_WORD: Verdict = ['lws/unknown-value', /expected string, got/];
const TOO_LONG: Verdict = ['lws/name-too-long', /must be no more than 63 (characters|bytes)/];

export const LWS_CASES: readonly LwsCase[] = [
  // Name: a Service gets it.
  { what: 'nothing but what is needed', given: {} },
  { what: 'a name of one letter', given: { name: 'a' } },
  { what: 'a name with digits and hyphens', given: { name: 'a-1--b2' } },
  { what: 'a name of 52 letters, for leaders alone', given: named(52, 1) },
  { what: 'a name of 53 letters, for leaders alone', given: named(53, 1), never: TOO_LONG },
  { what: 'a name of 50 letters', given: named(50, 2) },
  { what: 'a name of 51 letters', given: named(51, 2), never: TOO_LONG },
  { what: 'a name of 50 letters and ten groups', given: { ...named(50, 2), replicas: 10 } },
  { what: 'a name of 50 letters and eleven groups', given: { ...named(50, 2), replicas: 11 }, never: TOO_LONG },
  { what: 'as long a name as LWS takes', given: named(63, 1), never: TOO_LONG },
  { what: 'a name of one letter more', given: named(64, 1), refused: TOO_LONG },
  { what: 'a name that begins with a digit', given: { name: '1a' }, refused: DNS },
  { what: 'a name with a dot', given: { name: 'a.b' }, refused: DNS },
  { what: 'a name that ends with a hyphen', given: { name: 'a-' }, refused: DNS },
  { what: 'a name with a capital', given: { name: 'aB' }, refused: DNS },

  // Numbers of groups and pods.
  { what: 'no group', given: { replicas: 0 } },
  { what: 'more groups than LWS takes since 0.10', given: { replicas: 1_000_001 } },
  { what: 'one group less than none', given: { replicas: -1 }, refused: number(/should be a non-negative integer/) },
  {
    what: 'a number of groups in words',
    given: { replicas: 'two' },
    refused: NO_NUMBER,
  },
  { what: 'half a group', given: { replicas: 1.5 }, refused: NO_INT32 },
  { what: 'more groups than 32 bits hold', given: { replicas: 2 ** 31 }, refused: NO_INT32 },
  { what: 'no word about the number of groups', given: { replicas: null } },
  { what: 'a truth for a number of groups', given: { replicas: true }, refused: NO_NUMBER },
  { what: 'a number of pods as a text', given: size('2'), refused: NO_NUMBER },
  { what: 'half a pod', given: size(1.5), refused: NO_INT32 },
  { what: 'groups of one pod', given: size(1) },
  { what: 'groups of no pod', given: size(0), refused: TOO_SMALL },
  { what: 'groups of less than no pod', given: size(-1), refused: TOO_SMALL },
  { what: 'as many pods as 32 bits hold', given: size(2 ** 31 - 1) },
  { what: 'one pod more than that', given: size(2 ** 31), refused: NO_INT32 },
  { what: 'groups times pods at the edge', given: { ...size(65_535), replicas: 32_768 } },
  { what: 'two groups of as many pods as fit', given: { ...size(2 ** 30 - 1), replicas: 2 } },
  { what: 'two groups of one pod more', given: { ...size(2 ** 30), replicas: 2 }, refused: PRODUCT },
  { what: 'no group of as many pods as 32 bits hold', given: { ...size(2 ** 31 - 1), replicas: 0 } },
  { what: 'groups times pods just above it', given: { ...size(65_536), replicas: 32_768 }, refused: PRODUCT },

  // Rollout.
  { what: 'a whole number of unavailable groups', given: rollout(1) },
  { what: 'more unavailable groups than there are', given: rollout(4) },
  { what: 'all of them, in percent', given: rollout('100%') },
  { what: 'more than all of them', given: rollout('101%'), refused: OVER_ALL },
  { what: 'less than none of them', given: rollout(-1), refused: NEGATIVE },
  { what: 'a percentage below none', given: rollout('-1%'), refused: PERCENT },
  { what: 'a number as a text', given: rollout('1'), refused: PERCENT },
  { what: 'a percentage with a fraction', given: rollout('33.5%'), refused: PERCENT },
  { what: 'a percentage with a sign', given: rollout('+1%'), refused: PERCENT },
  { what: 'a percentage with a space', given: rollout('50 %'), refused: PERCENT },
  { what: 'a percentage in scientific notation', given: rollout('1e1%'), refused: PERCENT },
  { what: 'a percentage without digits', given: rollout('%'), refused: PERCENT },
  { what: 'an empty text', given: rollout(''), refused: PERCENT },
  { what: 'a percentage of more digits than a number has', given: rollout('99999999999999999999%'), refused: OVER_ALL },
  { what: 'all of them, with a zero in front', given: rollout('0100%') },
  { what: 'none of them, in many zeros', given: rollout('0000%'), refused: BOTH_ZERO },
  { what: 'half a group unavailable', given: rollout(1.5), refused: NO_INT32 },
  { what: 'a truth for unavailable groups', given: rollout(true), refused: NO_INT32 },
  { what: 'a list of unavailable groups', given: rollout([1]), refused: NO_INT32 },
  { what: 'as many unavailable groups as 32 bits hold', given: rollout(2 ** 31 - 1) },
  { what: 'one unavailable group more than that', given: rollout(2 ** 31), refused: NO_INT32 },
  { what: 'no word about unavailable groups', given: rollout(null) },
  { what: 'one in a hundred', given: rollout('1%', 0, 100) },
  { what: 'one in a hundred, of one less', given: rollout('1%', 0, 99), refused: BOTH_ZERO },
  { what: 'nearly all of one', given: rollout('99%', 0, 1), refused: BOTH_ZERO },
  { what: 'none unavailable, of the one group that is the default', given: rollout(0, 0, null), refused: BOTH_ZERO },
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
  { what: 'a surge of more than all', given: rollout(1, '101%'), refused: OVER_ALL },
  { what: 'a surge below none', given: rollout(1, -1), refused: NEGATIVE },
  { what: 'a surge in words', given: rollout(1, 'one'), refused: PERCENT },
  { what: 'a surge of as many as 32 bits hold', given: rollout(1, 2 ** 31 - 1) },
  { what: 'a surge of one more', given: rollout(1, 2 ** 31), refused: NO_INT32 },
  { what: 'a partition of half a group', given: partition(1.5), refused: NO_INT32 },
  { what: 'a partition as a text', given: partition('1'), refused: NO_NUMBER },
  { what: 'the last partition of 32 bits', given: partition(2 ** 31 - 1) },
  { what: 'one partition more', given: partition(2 ** 31), refused: NO_INT32 },
  { what: 'a partition at the first group', given: partition(0) },
  { what: 'a partition past the last group', given: partition(5) },
  { what: 'a partition below the first group', given: partition(-1), refused: NEGATIVE },
  { what: 'the only kind of rollout', given: { 'rolloutStrategy.type': 'RollingUpdate' } },
  { what: 'an empty word for the kind of rollout', given: { 'rolloutStrategy.type': '' } },
  { what: 'a rollout without a word', given: { rolloutStrategy: {} } },
  { what: 'another kind of rollout', given: { 'rolloutStrategy.type': 'Recreate' }, refused: UNSUPPORTED },

  // Subgroups.
  { what: 'subgroups that divide the group', given: subGroups(4, 2) },
  { what: 'subgroups that divide the workers', given: subGroups(5, 2) },
  { what: 'subgroups that divide neither', given: subGroups(6, 4), refused: DIVISIBLE },
  { what: 'a subgroup of the whole group', given: subGroups(3, 3) },
  {
    what: 'a subgroup larger than the group',
    given: subGroups(3, 4),
    refused: OVER_SIZE,
  },
  {
    what: 'a subgroup larger than a group of one',
    given: subGroups(1, 2),
    refused: OVER_SIZE,
  },
  { what: 'subgroups of one pod', given: subGroups(3, 1) },
  { what: 'subgroups of no pod', given: subGroups(3, 0), refused: subGroup(/panic: runtime error/) },
  {
    what: 'subgroups of less than no pod',
    given: subGroups(3, -1),
    refused: subGroup(/subGroupSize must be equal or greater than 1/),
  },
  { what: 'subgroups of half a pod', given: subGroups(3, 1.5), refused: subGroup(/of type int32/) },
  { what: 'subgroups of a text', given: subGroups(3, '1'), refused: subGroup(/expected numeric/) },
  {
    what: 'subgroups of more pods than 32 bits hold',
    given: subGroups(3, 2 ** 31),
    refused: subGroup(/of type int32/),
  },
  { what: 'subgroups of no said size', given: subGroups(3, null), refused: NO_SIZE },
  { what: 'a subgroup of a group of one', given: subGroups(1, 1) },
  { what: 'a subgroup of the one worker', given: subGroups(2, 1, 'LeaderExcluded') },
  {
    what: 'a subgroup of leader and worker, without the leader',
    given: subGroups(2, 2, 'LeaderExcluded'),
    refused: WITHOUT_LEADER,
  },
  {
    what: 'subgroups of an empty kind',
    given: template({ size: 4, subGroupPolicy: { subGroupSize: 2, subGroupPolicyType: '' } }),
    refused: UNSUPPORTED,
  },
  { what: 'subgroups with the leader', given: subGroups(4, 2, 'LeaderWorker') },
  { what: 'subgroups without the leader that divide the workers', given: subGroups(5, 2, 'LeaderExcluded') },
  {
    what: 'subgroups without the leader that divide the group',
    given: subGroups(4, 2, 'LeaderExcluded'),
    refused: WITHOUT_LEADER,
  },
  { what: 'subgroups of an unknown kind', given: subGroups(4, 2, 'WorkerOnly'), refused: UNSUPPORTED },
  { what: 'a subgroup policy that is empty', given: template({ size: 4, subGroupPolicy: {} }), refused: NO_SIZE },
  {
    what: 'a subgroup policy with a kind alone',
    given: template({ size: 4, subGroupPolicy: { subGroupPolicyType: 'LeaderWorker' } }),
    refused: NO_SIZE,
  },
  {
    what: 'a topology for subgroups that there are',
    given: { ...subGroups(4, 2), annotations: { [TOPOLOGY]: 'zone' } },
  },
  {
    what: 'a topology for subgroups that there are not',
    given: { annotations: { [TOPOLOGY]: 'zone' } },
    refused: NO_SUBGROUPS,
  },

  // Policies.
  ...['RecreateGroupOnPodRestart', 'RecreateGroupAfterStart', 'None', 'Default'].map((word) => ({
    what: `restart policy ${word}`,
    given: template({ restartPolicy: word }),
  })),
  { what: 'an empty restart policy', given: template({ restartPolicy: '' }) },
  { what: 'a number for a restart policy', given: template({ restartPolicy: 7 }), refused: NO_WORD },
  { what: 'a restart policy of pods', given: template({ restartPolicy: 'Never' }), refused: UNSUPPORTED },
  { what: 'start with the leader', given: { startupPolicy: 'LeaderCreated' } },
  { what: 'start after the leader', given: { startupPolicy: 'LeaderReady' } },
  { what: 'start at some other time', given: { startupPolicy: 'leaderReady' }, refused: UNSUPPORTED },
  { what: 'an empty start', given: { startupPolicy: '' }, refused: UNSUPPORTED },
  { what: 'a number for the start', given: { startupPolicy: 1 }, refused: NO_WORD },
  { what: 'no word about the subdomain', given: { networkConfig: {} } },
  { what: 'an empty subdomain', given: { 'networkConfig.subdomainPolicy': '' }, refused: UNSUPPORTED },
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
    refused: ['lws/missing-worker-template', /workerTemplate\.spec\.containers in body must be of type array/],
  },
  { what: 'two variables', given: pod({}, container({ env: [{ name: 'A' }, { name: 'B' }] })) },
  {
    what: 'a variable twice',
    given: pod({}, container({ env: [{ name: 'A' }, { name: 'A' }] })),
    refused: ['lws/duplicate-env', /duplicate entries for key/],
  },
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

  {
    what: 'volumes that are kept',
    given: template({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: '' } }),
  },

  // What no LWS looks at: a template that can never run is taken.
  {
    what: 'a port name of 15 letters',
    given: pod({}, container({ ports: [{ name: 'fifteen-letters', containerPort: 80 }] })),
  },
  {
    what: 'a port name of 16 letters',
    given: pod({}, container({ ports: [{ name: 'sixteen-letters1', containerPort: 80 }] })),
    never: ['k8s/port-name', /must be no more than 15 (characters|bytes)/],
  },
  {
    what: 'a request at its limit',
    given: pod({}, container({ resources: { requests: { cpu: '1000m' }, limits: { cpu: '1' } } })),
  },
  {
    what: 'a request just over its limit',
    given: pod({}, container({ resources: { requests: { cpu: '1001m' }, limits: { cpu: '1' } } })),
    never: ['k8s/request-over-limit', /"1001m": must be less than or equal to cpu limit of 1/],
  },
  {
    what: 'memory over its limit',
    given: pod({}, container({ resources: { requests: { memory: '1Gi' }, limits: { memory: '1G' } } })),
    never: ['k8s/request-over-limit', /"1Gi": must be less than or equal to memory limit of 1G/],
  },
  { what: 'pods that always restart', given: pod({ restartPolicy: 'Always' }) },
  ...['Never', 'OnFailure'].map((restartPolicy) => ({
    what: `pods that restart ${restartPolicy}`,
    given: pod({ restartPolicy }),
    never: ['k8s/restart-policy', /restartPolicy: Unsupported value: .*supported values: "Always"/] as const,
  })),
  {
    what: 'volumes that are kept or not by an unknown word',
    given: template({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Keep' } }),
    never: ['lws/unknown-value', /whenDeleted: Unsupported value: "Keep": supported values: "Retain", "Delete"/],
  },
  { what: 'a variable of LWS', given: pod({}, container({ env: [{ name: 'LWS_GROUP_SIZE', value: '9' }] })) },
];
