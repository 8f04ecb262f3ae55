import { seqsInForce } from './defaults';
import { kvCacheCapacity, kvCacheLayout } from './kv-cache';
import { peakOf } from './memory';
import type { BatchedTokensChoice } from './plan-types';
import { rankMemory, type Settled, startOf } from './settle';
import { batchSeconds } from './speed';

/** The article's long prompt. */
const LONG_PROMPT = 3500;
const CHOICES = [128, 256, 512, 1024, 2048];

/** Tokens of the long prompt that the choices are compared by. */
export function longPrompt({ settings }: Settled): number {
  return Math.max(1, Math.min(LONG_PROMPT, settings.maxModelLen - 1));
}

/** What each number of batched tokens does to the streams, to memory, to the cache and to the start. */
export function batchedTokensChoices(settled: Settled): BatchedTokensChoice[] {
  const { settings, defaults } = settled;
  const numbers = new Set([...CHOICES, settings.maxNumBatchedTokens, defaults.maxNumBatchedTokens]);
  return [...numbers].sort((a, b) => a - b).map((tokens) => choice(settled, tokens));
}

function choice(settled: Settled, tokens: number): BatchedTokensChoice {
  const { input, settings, kv, speedInput, backend, ranks } = settled;
  const maxNumSeqs = seqsInForce(input.maxNumSeqs, settled.defaults, tokens);
  const prompt = longPrompt(settled);
  const concurrency =
    kv === undefined
      ? null
      : kvCacheCapacity(
          kvCacheLayout({
            ...kv.input,
            inFlightTokens: (kv.input.inFlightTokens / settings.maxNumBatchedTokens) * tokens,
          }),
          settings.maxModelLen,
          settings.kvCacheMemoryBytes,
        ).concurrency;
  const sizes = { backend, kvCache: settings.kvCacheMemoryBytes, maxNumSeqs, maxNumBatchedTokens: tokens };
  return {
    maxNumBatchedTokens: tokens,
    marks: [
      ...(tokens === settings.maxNumBatchedTokens && settings.planned.includes('maxNumBatchedTokens')
        ? ['planned' as const]
        : []),
      ...(tokens === input.maxNumBatchedTokens ? ['given' as const] : []),
      ...(tokens === settled.defaults.maxNumBatchedTokens ? ['vllm-default' as const] : []),
    ],
    // Nobody else gets a token while a chunk of the prompt is in a step.
    freezeSeconds: batchSeconds(speedInput, Math.min(tokens, prompt)),
    firstTokenSeconds: firstToken(settled, prompt, tokens),
    concurrency,
    peakBytes: Math.round(Math.max(0, ...ranks.map((rank) => peakOf(rankMemory(input, rank, sizes))))),
    startupCpuSeconds: Math.max(
      0,
      ...ranks.map((rank) => startOf(rank, speedInput, { maxNumSeqs, maxNumBatchedTokens: tokens }).cpu),
    ),
  };
}

/** The first chunk of a prompt goes through the stages in turn; the others follow it, with all stages at work. */
function firstToken({ speedInput }: Settled, prompt: number, tokens: number): number {
  const first = Math.min(prompt, tokens);
  return batchSeconds(speedInput, first) + batchSeconds(speedInput, prompt - first) / speedInput.pipelineParallelSize;
}
