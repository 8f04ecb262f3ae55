import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { isDataParallel, isFollower, isHeadless, ranksOf, once } from './engines';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, settings, command } = rank;
    if (command.form === 'serve' && isFollower(rank) && !isDataParallel(rank) && isHeadless(rank) === false) {
      yield {
        object: group.object,
        path: settings.headless.path,
        what: `a rank above 0 of ${settings.nnodes.value} nodes is started without --headless`,
      };
    }
  }
}

export const followerNotHeadless: Rule = {
  id: 'vllm/follower-not-headless',
  severity: 'error',
  title: 'a rank above 0 is started as a full server',
  why: 'it sets up an API server of its own, which ends with "collective_rpc should not be called on follower node" or waits for ever',
  fix: 'add --headless to the workers',
  source: 'v1/executor/multiproc_executor.py; vllm-project/vllm#33910',
  get bad() {
    return edit(GPU_GROUP, ['              - --headless\n', '']);
  },
  good: GPU_GROUP,
  check: once(check),
};
