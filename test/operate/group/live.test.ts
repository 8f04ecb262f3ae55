import { describe, expect, test } from 'vitest';
import { groupsOf, isWhole } from '../../../src/operate/group/live';
import { whyNotReady } from '../../../src/operate/group/pod-state';
import { pod } from './pods';

const shape = (groups: ReturnType<typeof groupsOf>) =>
  groups.map(({ kind, name, size, pods, missing }) => [
    `${kind} ${name} ${size}`,
    ...pods.map(({ rank, name: own }) => `${rank} ${own}`),
    ...missing.map((rank) => `${rank} missing`),
  ]);

describe('which pods belong together', () => {
  test('those of a LeaderWorkerSet by its labels, each group by itself', () => {
    const pods = [pod({ rank: 1 }), pod({ rank: 0 }), pod({ rank: 0, group: 1 }), pod({ rank: 1, group: 1 })];
    expect(shape(groupsOf(pods))).toEqual([
      ['LeaderWorkerSet g 2', '0 g-0', '1 g-0-1'],
      ['LeaderWorkerSet g 2', '0 g-1', '1 g-1-1'],
    ]);
  });

  test('a rank without a pod is missing', () => {
    const [group] = groupsOf([pod({ rank: 0, size: 3 }), pod({ rank: 2, size: 3 })]);
    expect(shape([group!])).toEqual([['LeaderWorkerSet g 3', '0 g-0', '2 g-0-2', '1 missing']]);
    expect(isWhole(group!)).toBe(false);
  });

  test('one that is going, or has ended, belongs to none', () => {
    const going = pod({ rank: 1, metadata: { deletionTimestamp: '2026-11-30T01:00:00Z' } });
    const done = pod({ name: 'job', size: 0, status: { phase: 'Succeeded' } });
    expect(shape(groupsOf([pod(), going, done]))).toEqual([['LeaderWorkerSet g 2', '0 g-0', '1 missing']]);
  });

  test('a pod of a Deployment is one group, and of that name', () => {
    const hash = { 'pod-template-hash': '5d4f8' };
    const pods = ['gemma-5d4f8-a', 'gemma-5d4f8-b'].map((name) =>
      pod({ name, size: 0, labels: hash, owner: { kind: 'ReplicaSet', name: 'gemma-5d4f8' } }),
    );
    expect(shape(groupsOf(pods))).toEqual([
      ['Deployment gemma 1', '0 gemma-5d4f8-a'],
      ['Deployment gemma 1', '0 gemma-5d4f8-b'],
    ]);
  });

  test('ranks without LWS by the place where they meet', () => {
    const pods = [0, 1].map((rank) =>
      pod({
        name: `gemma-${rank}`,
        size: 0,
        args: [
          '--nnodes=2',
          '--master-addr=gemma-0.gemma',
          ...(rank === 0 ? ['--node-rank=0'] : ['--node-rank=1', '--headless']),
        ],
        owner: { kind: 'StatefulSet', name: 'gemma' },
      }),
    );
    expect(shape(groupsOf([...pods].reverse()))).toEqual([['StatefulSet gemma 2', '0 gemma-0', '1 gemma-1']]);
  });

  test('what runs something else is none', () => {
    const other = pod({ size: 0, spec: { containers: [{ name: 'web', image: 'nginx' }] } });
    const ofLws = pod({ spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1.0' }] } });
    expect(groupsOf([other, ofLws])).toEqual([]);
  });

  test('a sidecar is not the container that runs vLLM', () => {
    const containers = [
      { name: 'proxy', image: 'envoy:1' },
      { name: 'engine', image: 'vllm/vllm-openai-cpu:v0.31.0', args: ['m'] },
    ];
    expect(groupsOf([pod({ size: 0, spec: { nodeName: 'n', containers } })])[0]?.pods[0]?.container).toBe('engine');
  });
});

describe('why a pod is not ready', () => {
  const unready = [{ type: 'Ready', status: 'False' }];
  test.each<[object, string]>([
    [{ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }, ''],
    [{ phase: 'Running', conditions: unready }, 'runs, and is not ready yet'],
    [
      {
        phase: 'Pending',
        conditions: [
          { type: 'PodScheduled', status: 'False', message: '0/2 nodes are available: 2 Insufficient cpu.' },
        ],
      },
      'has no node: 0/2 nodes are available: 2 Insufficient cpu.',
    ],
    [
      {
        phase: 'Pending',
        containerStatuses: [
          {
            name: 'vllm',
            state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "vllm-api-key" not found' } },
          },
        ],
      },
      'vllm waits: CreateContainerConfigError: secret "vllm-api-key" not found',
    ],
    [
      {
        phase: 'Running',
        conditions: unready,
        containerStatuses: [
          {
            name: 'vllm',
            state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } },
            lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
          },
        ],
      },
      'vllm waits: CrashLoopBackOff: back-off 10s; it ended with 137 (OOMKilled)',
    ],
    [
      { phase: 'Pending', containerStatuses: [{ name: 'vllm', state: { waiting: { reason: 'ContainerCreating' } } }] },
      'is pending',
    ],
    [
      {
        phase: 'Pending',
        initContainerStatuses: [{ name: 'fetch', state: { terminated: { exitCode: 1, reason: 'Error' } } }],
      },
      'init container fetch ended with 1 (Error)',
    ],
    [{ phase: 'Failed', reason: 'Evicted', message: 'low on memory' }, 'has ended (Evicted: low on memory)'],
    [{}, 'is without a status'],
  ])('%j', (status, said) => {
    expect(whyNotReady(pod({ status }))).toBe(said);
  });
});
