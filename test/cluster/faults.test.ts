import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
