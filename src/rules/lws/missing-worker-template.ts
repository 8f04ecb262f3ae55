import { dig, get, listOf, textOf } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';

function* check({ set }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    const templates = get(object.spec, 'leaderWorkerTemplate');
    const containers = listOf(dig(templates, 'leaderTemplate', 'spec', 'containers'));
    // Without an image it is no manifest but a patch of one.
    const isWhole = containers.length > 0 && containers.every((each) => textOf(get(each, 'image')) !== undefined);
    if (isWhole && (get(templates, 'workerTemplate') ?? undefined) === undefined) {
      yield { object, path: 'spec.leaderWorkerTemplate', what: 'leaderWorkerTemplate has no workerTemplate' };
    }
  }
}

export const missingWorkerTemplate: Rule = {
  id: 'lws/missing-worker-template',
  severity: 'error',
  title: 'a LeaderWorkerSet without a workerTemplate',
  why: 'the API server refuses it, for a group of one pod too',
  fix: 'add workerTemplate; without a leaderTemplate it serves the leader as well',
  source: 'LeaderWorkerSet CRD',
  get bad() {
    return edit(
      CPU_GROUP.slice(0, CPU_GROUP.indexOf('    workerTemplate:')),
      ['size: 2', 'size: 1'],
      ['--nnodes=2', '--nnodes=1'],
      ['--pipeline-parallel-size=2', '--pipeline-parallel-size=1'],
    );
  },
  good: CPU_GROUP,
  check,
};
