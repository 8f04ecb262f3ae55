import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { platformOf, ranksOf, once } from './engines';

function* check(input: RuleInput): Iterable<Report> {
  for (const { group, settings, engine } of ranksOf(input)) {
    const { nnodes, executor, dataParallelBackend } = settings;
    // The CPU platform refuses Ray with or without --nnodes.
    if (nnodes.value === undefined || nnodes.value <= 1 || platformOf(engine) === 'cpu') {
      continue;
    }
    for (const [name, setting] of [
      ['--distributed-executor-backend', executor],
      ['--data-parallel-backend', dataParallelBackend],
    ] as const) {
      if (setting.isGiven && setting.value === 'ray') {
        yield {
          object: group.object,
          path: setting.path,
          what: `${name} is ray and --nnodes is ${nnodes.value}`,
        };
      }
    }
  }
}

export const rayWithNnodes: Rule = {
  id: 'vllm/ray-with-nnodes',
  severity: 'error',
  title: 'Ray is asked for together with --nnodes',
  why: 'vLLM refuses to start: with --nnodes the ranks meet by themselves, Ray finds its nodes on its own',
  fix: 'take mp, or leave out --nnodes, --node-rank and --master-addr and start a Ray cluster',
  source: 'vllm/config/parallel.py; run on 0.32.0',
  get bad() {
    return edit(
      GPU_GROUP,
      ['--distributed-executor-backend=mp', '--distributed-executor-backend=ray'],
      ['vllm/vllm-openai:v0.31.0', 'vllm/vllm-openai:v0.16.0'],
    );
  },
  good: GPU_GROUP,
  check: once(check),
};
