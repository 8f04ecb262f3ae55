import type { Rule } from '../rule';
import { devMode } from './dev-mode';
import { hostAccess } from './host-access';
import { inlineSecret } from './inline-secret';
import { metricsPublished } from './metrics-published';
import { publicPlainHttp } from './public-plain-http';
import { publicWithoutKey } from './public-without-key';
import { remoteCodeUnpinned } from './remote-code-unpinned';
import { unguardedPaths } from './unguarded-paths';

export const SECURITY_RULES: readonly Rule[] = [
  devMode,
  hostAccess,
  inlineSecret,
  metricsPublished,
  publicPlainHttp,
  publicWithoutKey,
  remoteCodeUnpinned,
  unguardedPaths,
];
