import type { Rule } from '../rule';
import { argsSingleString } from './args-single-string';
import { configMapTooLarge } from './config-map-too-large';
import { duplicateName } from './duplicate-name';
import { hostNetworkDns } from './host-network-dns';
import { hostPort } from './host-port';
import { ingressClassConflict } from './ingress-class-conflict';
import { overlappingBudgets } from './overlapping-budgets';
import { portName } from './port-name';
import { portNumber } from './port-number';
import { probeHandler } from './probe-handler';
import { probePortName } from './probe-port-name';
import { requestOverLimit } from './request-over-limit';
import { restartPolicy } from './restart-policy';
import { selectorMatchesNothing } from './selector-matches-nothing';
import { selectorNotTemplate } from './selector-not-template';
import { serviceTargetPort } from './service-target-port';
import { shellVariableInArgs } from './shell-variable-in-args';
import { shellVariableInEnv } from './shell-variable-in-env';
import { singleNodeVolumeShared } from './single-node-volume-shared';
import { unboundedMemoryVolume } from './unbounded-memory-volume';
import { undefinedVariable } from './undefined-variable';
import { unknownVolume } from './unknown-volume';

export const K8S_RULES: readonly Rule[] = [
  argsSingleString,
  configMapTooLarge,
  duplicateName,
  hostNetworkDns,
  hostPort,
  ingressClassConflict,
  overlappingBudgets,
  portName,
  portNumber,
  probeHandler,
  probePortName,
  requestOverLimit,
  restartPolicy,
  selectorMatchesNothing,
  selectorNotTemplate,
  serviceTargetPort,
  shellVariableInArgs,
  shellVariableInEnv,
  singleNodeVolumeShared,
  unboundedMemoryVolume,
  undefinedVariable,
  unknownVolume,
];
