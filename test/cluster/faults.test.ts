import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { edit } from '../../src/rules/examples';
import { objectsOf } from '../rules/manifests';
import { describeOnCluster } from './harness/given';
import { faultsOf } from './verdict';

const text = readFileSync(join(__dirname, '../../dist/vllm-gemma.k8s.yaml'), 'utf8');

interface Fault {
  readonly what: string;
  readonly change: readonly [from: string, to: string];
  /** In whose words it is named: those of a rule, of the API server, of what became of it. */
  readonly named: readonly RegExp[];
}

const FAULTS: readonly Fault[] = [
  {
    what: 'three pods for two ranks',
    change: ['    size: 2\n', '    size: 3\n'],
    named: [
      /LeaderWorkerSet\/vllm-gemma .*\(vllm\/nnodes-group-size\)$/,
      /Pod\/vllm-gemma-0-\d: 0\/\d+ nodes are available/,
    ],
  },
  {
    what: 'a misspelt field',
    change: ['startupPolicy: LeaderCreated', 'startupPolcy: LeaderCreated'],
    named: [/^LeaderWorkerSet\/vllm-gemma: .*\.spec\.startupPolcy: field not declared in schema/],
  },
  {
    what: 'a Service with the name of the LeaderWorkerSet',
    change: ['name: vllm-leader\n', 'name: vllm-gemma\n'],
    named: [
      /Service\/vllm-gemma .*\(lws\/service-name-collision\)$/,
      /Service\/vllm-gemma: not the headless one of LWS/,
    ],
  },
  {
    what: 'a CPU limit below the request',
    change: ['limits:\n                cpu: "6"', 'limits:\n                cpu: "5"'],
    named: [
      /LeaderWorkerSet\/vllm-gemma .*\(k8s\/request-over-limit\)$/,
      /leaderTemplate: .*must be less than or equal to cpu limit of 5/,
      /workerTemplate: .*must be less than or equal to cpu limit of 5/,
      /FailedCreate: .*must be less than or equal to cpu limit of 5/,
    ],
  },
  {
    what: 'an API version that there is not',
    change: ['leaderworkerset.x-k8s.io/v1\n', 'leaderworkerset.x-k8s.io/v1beta1\n'],
    named: [
      /^LeaderWorkerSet\/vllm-gemma: the API server knows no LeaderWorkerSet of leaderworkerset.x-k8s.io\/v1beta1/,
    ],
  },
  {
    what: 'an API version that was there once',
    change: ['policy/v1\n', 'policy/v1beta1\n'],
    named: [/^PodDisruptionBudget\/vllm-gemma: the API server knows no PodDisruptionBudget of policy\/v1beta1/],
  },
  {
    what: 'a variable twice',
    change: ['- name: OMP_NUM_THREADS', '- name: VLLM_CPU_KVCACHE_SPACE'],
    named: [/\(lws\/duplicate-env\)$/, /^LeaderWorkerSet\/vllm-gemma: [^]*env: duplicate entries for key/],
  },
  {
    what: 'a port that there cannot be',
    change: ['containerPort: 8000', 'containerPort: 70000'],
    named: [
      /leaderTemplate: .*containerPort: Invalid value: 70000: must be between 1 and 65535/,
      /FailedCreate: .*containerPort: Invalid value: 70000/,
    ],
  },
  {
    what: 'a label with a space',
    change: ['role: leader', 'role: the leader'],
    named: [/leaderTemplate: .*Invalid value: "the leader": a valid label must/],
  },
  {
    what: 'a probe with two handlers',
    change: [
      'readinessProbe:\n              httpGet',
      'readinessProbe:\n              tcpSocket: { port: http }\n              httpGet',
    ],
    named: [/leaderTemplate: .*readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type/],
  },
  {
    what: 'a Service that selects no pod',
    change: ['  selector:\n    app: chat-app', '  selector:\n    app: chat-ap'],
    named: [/Service\/chat-app .*\(k8s\/selector-matches-nothing\)$/],
  },
  {
    what: 'a Deployment that does not select its own pods',
    change: ['matchLabels:\n      app: chat-app', 'matchLabels:\n      app: chat'],
    named: [/\(k8s\/selector-not-template\)$/, /^Deployment\/chat-app: .*`selector` does not match template `labels`/],
  },
  {
    what: 'a policy that there is not',
    change: ['RecreateGroupOnPodRestart', 'RecreateGroup'],
    named: [/\(lws\/unknown-value\)$/, /restartPolicy: Unsupported value: "RecreateGroup"/],
  },
  {
    what: 'less than no group',
    change: ['  replicas: 1\n  rolloutStrategy', '  replicas: -1\n  rolloutStrategy'],
    named: [/\(lws\/invalid-number\)$/, /replicas: Invalid value: -1/],
  },
  {
    what: 'a budget in two ways',
    change: ['  maxUnavailable: 0\n', '  maxUnavailable: 0\n  minAvailable: 1\n'],
    named: [/^PodDisruptionBudget\/vllm-gemma: .*minAvailable and maxUnavailable cannot be both set/],
  },
  {
    what: 'a budget for leaders alone',
    change: [
      '      leaderworkerset.sigs.k8s.io/name: vllm-gemma\n  unhealthy',
      '      leaderworkerset.sigs.k8s.io/name: vllm-gemma\n      leaderworkerset.sigs.k8s.io/worker-index: "0"\n  unhealthy',
    ],
    named: [/\(lws\/pdb-leaders-only\)$/],
  },
  {
    what: 'a mount of no volume',
    change: ['mountPath: /dev/shm\n                name: shm', 'mountPath: /dev/shm\n                name: shmm'],
    named: [/leaderTemplate: .*volumeMounts\[0\].name: Not found: "shmm"/, /workerTemplate: .*Not found: "shmm"/],
  },
  {
    what: 'a volume of two kinds',
    change: ['- emptyDir: {}\n', '- emptyDir: {}\n            hostPath: { path: /mnt }\n'],
    named: [/workerTemplate: .*may not specify more than 1 volume type/],
  },
  {
    what: 'a quantity in words',
    change: ['cpu: "6"', 'cpu: six'],
    named: [/^LeaderWorkerSet\/vllm-gemma: .*quantities must match the regular expression/],
  },
  {
    what: 'a number for a text',
    change: ['value: "5"\n', 'value: 5\n'],
    named: [/^LeaderWorkerSet\/vllm-gemma: [^]*OMP_NUM_THREADS[^]*expected string/],
  },
  {
    what: 'a text for a truth',
    change: [
      'automountServiceAccountToken: false\n        containers',
      'automountServiceAccountToken: "false"\n        containers',
    ],
    named: [/^LeaderWorkerSet\/vllm-gemma: [^]*automountServiceAccountToken: expected boolean/],
  },
  {
    what: 'an account that there is not',
    change: [
      'automountServiceAccountToken: false\n        containers',
      'serviceAccountName: nobody\n        containers',
    ],
    named: [
      /Pod\/vllm-gemma-0: .*serviceaccount "nobody" not found/,
      /^StatefulSet\/vllm-gemma FailedCreate: .*"nobody" not found/,
    ],
  },
  {
    what: 'an account of the chat page that there is not',
    change: [
      '      enableServiceLinks: false\n      securityContext',
      '      enableServiceLinks: false\n      serviceAccountName: nobody\n      securityContext',
    ],
    named: [
      /^Deployment\/chat-app Pod\/probe: .*serviceaccount "nobody" not found/,
      /^ReplicaSet\/chat-app-\w+ FailedCreate: .*"nobody" not found/,
    ],
  },
  {
    what: 'a chat page for a node that there is not',
    change: [
      '      enableServiceLinks: false\n      securityContext',
      '      enableServiceLinks: false\n      nodeSelector: { kubernetes.io/arch: riscv64 }\n      securityContext',
    ],
    named: [/^Pod\/chat-app-\S+: 0\/\d+ nodes are available/],
  },
  {
    what: 'more cores than a node has',
    change: ['cpu: "6"', 'cpu: "9"'],
    named: [/^Pod\/vllm-gemma-0: .*2 Insufficient cpu/],
  },
  {
    what: 'a claim that nobody made',
    change: [
      '- emptyDir: {}\n            name: weights',
      '- persistentVolumeClaim: { claimName: weights }\n            name: weights',
    ],
    named: [/^Pod\/vllm-gemma-0: .*persistentvolumeclaim "weights" not found/],
  },
  {
    what: 'a stricter Pod Security level than its pods meet',
    change: ['privileged', 'baseline'],
    named: [
      /workerTemplate: would violate PodSecurity "baseline:latest"/,
      /^StatefulSet\/vllm-gemma FailedCreate: .*violates PodSecurity/,
    ],
  },
  {
    what: 'a namespace whose name there cannot be',
    change: ['\n  name: vllm\n', '\n  name: vllm_x\n'],
    named: [/^Namespace\/vllm_x: .*Invalid value: "vllm_x"/],
  },
  {
    what: 'a path without its type',
    change: ['            path: /chat\n            pathType: Prefix', '            path: /chat\n'],
    named: [/^Ingress\/vllm-gemma: .*pathType must be specified/],
  },
  {
    what: 'an interval that is none',
    change: ['interval: 15s', 'interval: 15 s'],
    named: [/^PodMonitor\/vllm-gemma: .*interval: Invalid value: "15 s"/],
  },
];

describeOnCluster('a copy of the reference bundle', () => {
  test('without a fault has none', async () => {
    expect(await faultsOf(objectsOf(text))).toEqual([]);
  });

  test.each(FAULTS)('with $what is found out', async ({ change, named }) => {
    const found = await faultsOf(objectsOf(edit(text, change)));
    for (const words of named) {
      expect(found).toContainEqual(expect.stringMatching(words));
    }
  });
});

describe('a file that kubectl cannot read', () => {
  test.each([
    [
      'a field twice',
      'startupPolicy: LeaderCreated',
      'startupPolicy: LeaderCreated\n  replicas: 1',
      /keys must be unique/,
    ],
    ['a tab for spaces', '  startupPolicy:', '\tstartupPolicy:', /[Tt]abs are not allowed/],
  ])('is no bundle: %s', (_, from, to, words) => {
    expect(() => objectsOf(edit(text, [from, to]))).toThrow(words);
  });
});
