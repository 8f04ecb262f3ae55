import type { Rule } from '../rule';
import { autoscalerTarget } from './autoscaler-target';
import { controllerTooOld } from './controller-too-old';
import { duplicateEnv } from './duplicate-env';
import { duplicateListKey } from './duplicate-list-key';
import { invalidName } from './invalid-name';
import { invalidNumber } from './invalid-number';
import { leaderReadyDeadlock } from './leader-ready-deadlock';
import { missingWorkerTemplate } from './missing-worker-template';
import { nameLabelElsewhere } from './name-label-elsewhere';
import { nameTooLong } from './name-too-long';
import { noGroupRestart } from './no-group-restart';
import { pdbLeadersOnly } from './pdb-leaders-only';
import { reservedVariable } from './reserved-variable';
import { restartPolicyDefault } from './restart-policy-default';
import { rolloutBudgetZero } from './rollout-budget-zero';
import { serviceNameCollision } from './service-name-collision';
import { serviceSelectsWorkers } from './service-selects-workers';
import { statefulSetNameCollision } from './statefulset-name-collision';
import { subgroupSize } from './subgroup-size';
import { subgroupSizeMissing } from './subgroup-size-missing';
import { subgroupTopology } from './subgroup-topology';
import { surgeOnlyTooOld } from './surge-only-too-old';
import { unknownAnnotation } from './unknown-annotation';
import { unknownValue } from './unknown-value';
import { volumeClaimDropped } from './volume-claim-dropped';

export const LWS_RULES: readonly Rule[] = [
  autoscalerTarget,
  controllerTooOld,
  duplicateEnv,
  duplicateListKey,
  invalidName,
  invalidNumber,
  leaderReadyDeadlock,
  missingWorkerTemplate,
  nameLabelElsewhere,
  nameTooLong,
  noGroupRestart,
  pdbLeadersOnly,
  reservedVariable,
  restartPolicyDefault,
  rolloutBudgetZero,
  serviceNameCollision,
  serviceSelectsWorkers,
  statefulSetNameCollision,
  subgroupSize,
  subgroupSizeMissing,
  subgroupTopology,
  surgeOnlyTooOld,
  unknownAnnotation,
  unknownValue,
  volumeClaimDropped,
];
