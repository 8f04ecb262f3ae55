import { get, listOf, textOf } from '../../manifest/json';
import type { Report, Rule, RuleInput } from '../rule';
import { containersOf } from './pods';

const GROUP = (env: string): string => `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: gemma, namespace: vllm }
spec:
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      spec:
        containers:
          - name: agent
            image: registry.example/agent:1.0
            env:
${env}`;

function* check({ set }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    for (const { path, index, container } of containersOf(object)) {
      const names = new Set<string>();
      for (const entry of listOf(get(container, 'env'))) {
        const name = textOf(get(entry, 'name'));
        if (name === undefined) {
          continue;
        }
        if (names.has(name)) {
          yield {
            object,
            path: `${path}.env`,
            what: `env '${name}' is set twice in container '${textOf(get(container, 'name')) ?? index}'`,
          };
        }
        names.add(name);
      }
    }
  }
}

/** The LeaderWorkerSet CRD holds env as a map by name, so the API server rejects what a Deployment would accept. */
export const duplicateEnv: Rule = {
  id: 'lws/duplicate-env',
  severity: 'error',
  title: 'an environment variable is set twice in a LeaderWorkerSet',
  why: 'the API server refuses the LeaderWorkerSet, which keeps env as a map by name',
  fix: 'set it once',
  source: 'x-kubernetes-list-map-keys of the LeaderWorkerSet CRD; refused by a real API server',
  get bad() {
    return GROUP(`              - { name: MODE, value: fast }
              - { name: MODE, value: slow }
`);
  },
  get good() {
    return GROUP(`              - { name: MODE, value: fast }
`);
  },
  check,
};
