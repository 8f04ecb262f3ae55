import { describe, expect, test } from 'vitest';
import type { PlanDocument } from '../../src/cli/plan/document';
import type { Explanation } from '../../src/fit/explanation';
import { plan, planned, REFERENCE } from './plan-runner';

/** The value of an arithmetic expression; it may hold nothing but numbers, signs, brackets and six functions. */
function evaluate(expression: string): number {
  const rest = expression.replace(/\b(min|max|ceil|floor|round)\(/g, '(').replace(/\b\d+(\.\d+)?(e[+-]?\d+)?\b/g, '');
  expect(rest, expression).toMatch(/^[-+*/(), ]*$/);
  const code = expression.replace(/\b(min|max|ceil|floor|round)\(/g, 'Math.$1(');
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call
  return new Function(`return ${code};`)() as number;
}

/** What the plan says of what an explanation is about. */
function valueOf(document: PlanDocument, { title }: Explanation): number | undefined {
  const { kvCache, speed, startup, settings, wire, disk, nodes, ranks } = document;
  const chosen = document.batchedTokens.find(
    ({ maxNumBatchedTokens }) => maxNumBatchedTokens === settings.maxNumBatchedTokens,
  );
  const rank = ranks[Number(/rank (\d+)/.exec(title)?.[1] ?? -1)];
  const fixed: Readonly<Record<string, number | undefined>> = {
    'KV cache: groups of layers': kvCache?.groups,
    'KV cache: blocks of one request of full length': kvCache?.blocksPerRequest,
    'KV cache: smallest that vLLM accepts': kvCache?.minimumBytes,
    'KV cache: blocks': kvCache?.blocks,
    'KV cache: requests of full length at once': kvCache?.concurrency,
    'KV cache: tokens': kvCache?.tokens,
    'decode of one user': speed.decodeTokensPerSecond.estimate,
    'prefill of one user': speed.prefillTokensPerSecond.estimate,
    'a step with a full batch': speed.fullBatchSeconds,
    download: startup.downloadSeconds,
    'start-up budget': settings.startupBudgetSeconds,
    'step timeout': settings.stepTimeoutSeconds,
    'between stages, for a prompt token': wire?.bytesPerPromptToken,
    'between stages, for a generated token': wire?.bytesPerGeneratedToken,
    'CPU of a pod': settings.cpuMillis,
    'threads of a rank': settings.threads,
    'shared memory of a pod': settings.sharedMemoryBytes,
    'stall timeout': settings.stallTimeoutSeconds,
    'freeze of other answers while a long prompt is read': chosen?.freezeSeconds,
    'first token of a long prompt': chosen?.firstTokenSeconds,
    'disk of a pod': settings.ephemeralStorageBytes,
    'root volume': disk.rootVolumeBytes,
    'CPU that the kubelet leaves to pods': nodes.allocatable.cpuMillis,
    'memory that the kubelet leaves to pods': nodes.allocatable.memoryBytes,
    'CPU for a rank': nodes.free.cpuMillis,
    'memory for a rank': nodes.free.memoryBytes,
  };
  if (title in fixed) {
    return fixed[title];
  }
  if (title.startsWith('from the files at hand')) {
    return startup.loadSeconds;
  }
  if (title.startsWith('start of rank')) {
    return rank?.startupCpuSeconds;
  }
  if (title.startsWith('KV cache: bytes of a block on rank')) {
    return rank?.kvCacheBytesPerBlock ?? undefined;
  }
  const part = {
    runtime: 'runtime',
    layers: 'layers',
    'embedding and head': 'embeddings',
    towers: 'towers',
    "sampler's warm-up": 'sampler',
    slack: 'slack',
    'highest point': 'peak',
    limit: 'limit',
  }[/^memory of rank \d+: (.+)$/.exec(title)?.[1] ?? ''] as keyof NonNullable<typeof rank>['memory'] | undefined;
  return part === undefined ? undefined : rank?.memory[part];
}

const COMMANDS = [
  REFERENCE,
  'google/gemma-3-1b-it --node m7g.2xlarge',
  'google/gemma-3-1b-it --node m7g.2xlarge -pp 4 --max-num-batched-tokens 8192 --max-model-len auto',
  'google/gemma-3-1b-it --node m7g.2xlarge -pp 2 --layer-partition 14,12 --dtype float32',
  'google/gemma-3-1b-it --node m7g.2xlarge -pp 2 --disable-hybrid-kv-cache-manager --memory 8Gi --threads 2',
  'google/gemma-3-27b-it --node r7g.4xlarge -pp 3 --kv-cache-memory-bytes 3G',
  'google/gemma-3-1b-it --node m7i.2xlarge -pp 2 -tp 2 --kv-cache-dtype fp8',
  'google/gemma-3-27b-it --node m7g.large --system-cpu 200m',
  'meta-llama/Llama-3.1-405B-Instruct --node p5.48xlarge --nodes 2',
  'meta-llama/Llama-4-Scout-17B-16E-Instruct --node p5.48xlarge',
  'deepseek-ai/DeepSeek-R1 --node p5.48xlarge --nodes 2',
  'deepseek-ai/DeepSeek-V2-Lite-Chat --node m7i.8xlarge',
  'google/gemma-4-31B-it --node p5.48xlarge',
  'google/gemma-4-31B-it --node r7i.8xlarge --nodes 2 --disable-hybrid-kv-cache-manager',
  'google/gemma-3n-E2B-it --node m7i.4xlarge',
  'Qwen/Qwen3-30B-A3B-FP8 --node m7i.8xlarge',
  'Qwen/Qwen2.5-7B-Instruct-AWQ --node m7i.4xlarge --nodes 2',
  'openai/gpt-oss-20b --node g6.12xlarge',
  'Qwen/Qwen3-Next-80B-A3B-Instruct --node p5.48xlarge',
  'google/gemma-3-1b-it --node m7g.2xlarge --vllm 0.28.0',
];

describe('--explain', () => {
  test.each(COMMANDS)('every number of %s comes out of its formula', async (command) => {
    const document = await planned(`${command} --explain`);
    const explanation = document.explanation!;
    expect(explanation.length).toBeGreaterThan(10);
    const unknown: string[] = [];
    for (const each of explanation) {
      // Parts are rounded before they are added up, so that a sum may be off by as many bytes as it has parts.
      const tolerance = each.title.endsWith('highest point') ? 4 : 1e-9 * Math.abs(each.result);
      const message = `${each.title}: ${each.numbers}`;
      expect(Math.abs(evaluate(each.numbers) - each.result), message).toBeLessThanOrEqual(tolerance);
      const value = valueOf(document, each);
      if (value === undefined) {
        unknown.push(each.title);
      } else {
        expect(each.result, each.title).toBe(value);
      }
    }
    // What the plan does not hold itself; everything else is a number of the plan.
    const page = 'KV cache: bytes of one block in one layer (page)';
    expect(unknown).toEqual(document.kvCache === null ? [] : [page]);
  });

  test('the table has them as well', async () => {
    const { out } = await plan(`${REFERENCE} --explain`);
    expect(out).toContain('How the numbers come about\n');
    expect(out).toContain('= 2 * max(1, floor(1 / 1)) * 256 * 2 * 128');
    expect((await plan(REFERENCE)).out).not.toContain('How the numbers');
  });
});
