export { Cpu } from './common/cpu';
export { Model, type ModelConfigOptions, type ModelProps } from './model/model';
export { type SystemPod } from './hardware/system-pod';
export { CpuArchitecture, NodeShape, type NodeShapeProps } from './hardware/node-shape';
export { VllmImage, type VllmImageOptions } from './engine/image';
export { VllmVersion, type VllmVersionOptions } from './engine/version';
export { GroupPlan } from './fit/group-plan';
export {
  CapacityType,
  Compilation,
  DType,
  NamespacePolicy,
  NumaPolicy,
  TaintEffect,
  Toleration,
  WeightsCache,
} from './constructs/options';
export { ClusterTarget, type ClusterTargetOptions } from './constructs/cluster-target';
export { Findings } from './constructs/findings';
export { SecretKey } from './constructs/secret-key';
export { type IVllmGroup, type VllmGroupAttributes } from './constructs/vllm-group';
export { type VllmEngineProps, type VllmPipelineGroupProps } from './constructs/vllm-engine-props';
export { VllmPipelineGroup } from './constructs/vllm-pipeline-group';
export { LeaderService, type LeaderServiceProps } from './constructs/leader-service';
export { ChatApp, type ChatAppProps } from './constructs/chat-app';
export {
  AlbAlgorithm,
  type AlbAttributes,
  AlbScheme,
  type AlbTargetGroupAttributes,
  type AlbTls,
} from './constructs/alb-options';
export { AlbIngressClass } from './constructs/alb-ingress-class';
export { AlbRoute } from './constructs/alb-route';
export { AlbIngress } from './constructs/alb-ingress';
export { type AlbIngressProps } from './constructs/alb-ingress-props';
export { VllmValidation, type VllmValidationProps } from './constructs/validation';
export { PodMonitor, type PodMonitorProps } from './constructs/pod-monitor';
