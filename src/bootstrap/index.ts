/**
 * `cdk8s-vllm/bootstrap`: makes an EKS cluster for vLLM from a cluster.yaml, and looks after it. What `cdk8s-vllm bootstrap`
 * runs. Loads the AWS SDK when it is used, and never with `cdk8s-vllm` itself.
 */
export { applyCluster, planCluster, tagNodes } from './apply';
export type { ApplyReport, BootstrapPlan } from './apply';
export type { ConnectOptions, Credentials } from './aws/connect';
export { CallError } from './aws/errors';
export type { ErrorKind } from './aws/errors';
export { redact } from './aws/redact';
export type { CallName } from './aws/types';
export { elapsed, SYSTEM_CLOCK } from './clock';
export type { Clock } from './clock';
export type { Outcome } from './converge';
export { destroyCluster } from './destroy';
export type { DestroyReport } from './destroy';
export { ClusterFileError, readClusterFile } from './file/cluster-file';
export type { FileProblem } from './file/cluster-file';
export { CLUSTER_SCHEMA } from './file/schema';
export type { Schema } from './file/schema';
export type * from './file/types';
export { KubeconfigError, mergeKubeconfig } from './kubeconfig';
export type { KubeconfigEntry } from './kubeconfig';
export { clusterEntry } from './kubeconfig-entry';
export { KubernetesError } from './kubernetes/api';
export type { KubernetesApi } from './kubernetes/api';
export { CHARTS } from '../common/charts';
export { nextSteps } from './next';
export type { NextStep } from './next';
export type { Check, Level, PlannedAction, PlannedItem } from './plan';
export type { Surroundings } from './preflight/reach';
export type { Difference, Remedy } from './resource';
export type { SessionOptions } from './session';
export type { StepResult } from './steps';
export { StepError } from './wait';
export { verifyCluster } from './verify';
export type { Verified, VerifyReport } from './verify';
