import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { isDataParallel, isHeadless, type Rank, ranksOf, once } from './engines';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, settings, command } = rank;
    if (isHeadlessLeader(rank)) {
      yield {
        object: group.object,
        path: settings.headless.value === true ? settings.headless.path : command.flag('--api-server-count')!.path,
        what:
          settings.headless.value === true
            ? '--headless is given to rank 0, which is to serve HTTP'
            : '--api-server-count is 0 on rank 0, which is to serve HTTP',
      };
    }
  }
}

/** Whether rank 0, which serves HTTP, is told not to. */
function isHeadlessLeader(rank: Rank): boolean {
  const { pod, settings, command } = rank;
  return (
    command.form === 'serve' &&
    pod.role !== 'worker' &&
    isHeadless(rank) === true &&
    settings.nodeRank.value === 0 &&
    !isDataParallel(rank)
  );
}

/** Probes that ask the process, so that the missing server is all that is wrong. */
const OWN_PROBES = (): string =>
  edit(GPU_GROUP, ['{ httpGet: { path: /health, port: http }', '{ exec: { command: [pgrep, -f, vllm] }']);

export const headlessLeader: Rule = {
  id: 'vllm/headless-leader',
  severity: 'error',
  title: 'rank 0 is started without its server',
  why: 'nothing answers requests: it waits for the head of a data-parallel engine that does not exist',
  fix: 'leave --headless to the workers',
  source: 'vllm/entrypoints/cli/serve.py',
  get bad() {
    return edit(OWN_PROBES(), ['              - --port=8000\n', '              - --headless\n']);
  },
  get good() {
    return OWN_PROBES();
  },
  check: once(check),
};
