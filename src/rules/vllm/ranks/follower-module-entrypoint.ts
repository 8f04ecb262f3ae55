import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { isDataParallel, isFollower, ranksOf, once } from './engines';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, command } = rank;
    if (command.form === 'module' && isFollower(rank) && !isDataParallel(rank)) {
      yield {
        object: group.object,
        path: command.path,
        what: 'a rank above 0 is started by the module vllm.entrypoints.openai.api_server',
      };
    }
  }
}

export const followerModuleEntrypoint: Rule = {
  id: 'vllm/follower-module-entrypoint',
  severity: 'error',
  title: 'a rank above 0 is started by the module of the API server',
  why: 'the module takes --headless and ignores it, so a server starts where a follower should join',
  fix: 'start it by `vllm serve … --headless`',
  source: 'vllm/entrypoints/openai/api_server.py; vllm-project/vllm#36875',
  get bad() {
    return edit(GPU_GROUP, [
      `            command: [vllm, serve]
            args:
              - Qwen/Qwen3-235B-A22B
`,
      `            command: [python3, -m, vllm.entrypoints.openai.api_server]
            args:
              - --model=Qwen/Qwen3-235B-A22B
`,
    ]);
  },
  good: GPU_GROUP,
  check: once(check),
};
