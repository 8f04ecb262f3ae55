import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { ranksOf, once } from './engines';

function* check(input: RuleInput): Iterable<Report> {
  for (const { group, settings, command } of ranksOf(input)) {
    const flag = command.flag('--api-server-count');
    const count = command.number('--api-server-count');
    if (
      command.form === 'serve' &&
      settings.headless.value === true &&
      flag !== undefined &&
      count !== undefined &&
      count > 0
    ) {
      yield {
        object: group.object,
        path: flag.path,
        what: `--api-server-count is ${count} next to --headless`,
      };
    }
  }
}

export const headlessApiServers: Rule = {
  id: 'vllm/headless-api-servers',
  severity: 'error',
  title: 'API servers are asked for next to --headless',
  why: 'vLLM refuses to start: no API server runs there',
  fix: 'leave --api-server-count to the leader',
  source: 'vllm/entrypoints/cli/serve.py; run on 0.32.0',
  get bad() {
    return edit(GPU_GROUP, [
      '              - --headless\n',
      '              - --headless\n              - --api-server-count=2\n',
    ]);
  },
  good: GPU_GROUP,
  check: once(check),
};
