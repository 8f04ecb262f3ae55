import type { Rule } from '../../rule';
import { arm64Quantization } from './arm64-quantization';
import { batchedTokensBelowSeqs } from './batched-tokens-below-seqs';
import { contextTooLong } from './context-too-long';
import { cpuBatchedTokensDefault } from './cpu-batched-tokens-default';
import { cpuBlockSize } from './cpu-block-size';
import { cpuCacheSizeUnset } from './cpu-cache-size-unset';
import { cpuFloat16 } from './cpu-float16';
import { cpuKvCacheDtype } from './cpu-kv-cache-dtype';
import { cpuMemoryRequest } from './cpu-memory-request';
import { cpuMemoryUtilization } from './cpu-memory-utilization';
import { cpuThreadBinding } from './cpu-thread-binding';
import { cpuThreadLists } from './cpu-thread-lists';
import { cpuThreadsOverLimit } from './cpu-threads-over-limit';
import { cpuWeightFormat } from './cpu-weight-format';
import { flagValue } from './flag-value';
import { gemma3Float16 } from './gemma3-float16';
import { guardedProbePath } from './guarded-probe-path';
import { imageArchMismatch } from './image-arch-mismatch';
import { imageNotPinned } from './image-not-pinned';
import { kvCacheTooSmall } from './kv-cache-too-small';
import { kvHeadsNotDivisible } from './kv-heads-not-divisible';
import { kvSizeSetTwice } from './kv-size-set-twice';
import { kvSpaceInteger } from './kv-space-integer';
import { ldPreloadReplaced } from './ld-preload-replaced';
import { livenessKillsLoading } from './liveness-kills-loading';
import { memoryBelowNeed } from './memory-below-need';
import { noReadinessProbe } from './no-readiness-probe';
import { noStartupProbe } from './no-startup-probe';
import { nobindTooOld } from './nobind-too-old';
import { notRead } from './not-read';
import { podOverNode } from './pod-over-node';
import { probeOnFollower } from './probe-on-follower';
import { probePath } from './probe-path';
import { probePort } from './probe-port';
import { probeScheme } from './probe-scheme';
import { readyTimeout } from './ready-timeout';
import { shmNotMemory } from './shm-not-memory';
import { shmOverMemoryLimit } from './shm-over-memory-limit';
import { shmTooSmall } from './shm-too-small';
import { shutdownTimeout } from './shutdown-timeout';
import { strayArgument } from './stray-argument';
import { unknownFlag } from './unknown-flag';

export const ENGINE_RULES: readonly Rule[] = [
  arm64Quantization,
  batchedTokensBelowSeqs,
  contextTooLong,
  cpuBatchedTokensDefault,
  cpuBlockSize,
  cpuCacheSizeUnset,
  cpuFloat16,
  cpuKvCacheDtype,
  cpuMemoryRequest,
  cpuMemoryUtilization,
  cpuThreadBinding,
  cpuThreadLists,
  cpuThreadsOverLimit,
  cpuWeightFormat,
  flagValue,
  gemma3Float16,
  guardedProbePath,
  imageArchMismatch,
  imageNotPinned,
  kvCacheTooSmall,
  kvHeadsNotDivisible,
  kvSizeSetTwice,
  kvSpaceInteger,
  ldPreloadReplaced,
  livenessKillsLoading,
  memoryBelowNeed,
  noReadinessProbe,
  noStartupProbe,
  nobindTooOld,
  notRead,
  podOverNode,
  probeOnFollower,
  probePath,
  probePort,
  probeScheme,
  readyTimeout,
  shmNotMemory,
  shmOverMemoryLimit,
  shmTooSmall,
  shutdownTimeout,
  strayArgument,
  unknownFlag,
];
