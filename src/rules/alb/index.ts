import type { Rule } from '../rule';
import { backendProtocol } from './backend-protocol';
import { buildFails } from './build-fails';
import { healthcheckPath } from './healthcheck-path';
import { idleTimeout } from './idle-timeout';
import { instanceTarget } from './instance-target';
import { keepAliveBelowIdle } from './keep-alive-below-idle';
import { missingService } from './missing-service';
import { openToEveryone } from './open-to-everyone';
import { refusedByAws } from './refused-by-aws';
import { ruleNeverMatches } from './rule-never-matches';
import { unknownAnnotation } from './unknown-annotation';

export const ALB_RULES: readonly Rule[] = [
  backendProtocol,
  buildFails,
  healthcheckPath,
  idleTimeout,
  instanceTarget,
  keepAliveBelowIdle,
  missingService,
  openToEveryone,
  refusedByAws,
  ruleNeverMatches,
  unknownAnnotation,
];
