import { type App, Chart, Duration, Size, Testing } from 'cdk8s';
import {
  ClusterTarget,
  Cpu,
  LeaderService,
  Model,
  NodeShape,
  SecretKey,
  VllmImage,
  VllmPipelineGroup,
} from 'cdk8s-vllm';
import { GemmaTwoNodes, type GemmaTwoNodesProps } from '../../examples/gemma-two-nodes/chart';
import type { KubernetesObject } from '../../src/manifest/object';
import { INSTANCE_TYPE } from './harness/lab';

/** What the machine of a test forces: two processors for everything, little memory, and what they are. */
export const LAB_PROPS: GemmaTwoNodesProps = {
  node: NodeShape.of(INSTANCE_TYPE),
  cpu: Cpu.millis(1500),
  kvCacheMemory: Size.gibibytes(1),
};

/** The reference bundle as the library renders it, for the nodes of the lab. */
export function referenceBundle(props: GemmaTwoNodesProps = LAB_PROPS): KubernetesObject[] {
  const app: App = Testing.app();
  ClusterTarget.eks('1.36', { lws: '0.9.0' }).applyTo(app);
  return Testing.synth(new GemmaTwoNodes(app, 'vllm-gemma', props)) as KubernetesObject[];
}

/** A group of the same name whose leader drains, and which may be evicted. */
export function drainingGroup(): KubernetesObject[] {
  const app: App = Testing.app();
  ClusterTarget.eks('1.36', { lws: '0.9.0' }).applyTo(app);
  const chart = new Chart(app, 'draining', { namespace: 'vllm', disableResourceNameHashes: true });
  const group = new VllmPipelineGroup(chart, 'vllm-gemma', {
    ...LAB_PROPS,
    model: Model.of('google/gemma-3-1b-it'),
    image: VllmImage.cpu('0.31.0'),
    node: NodeShape.of(INSTANCE_TYPE),
    pipelineParallelSize: 2,
    maxModelLen: 4096,
    huggingFaceToken: SecretKey.of('hf-token', 'token'),
    apiKey: SecretKey.of('vllm-api-key', 'key'),
    drainTimeout: Duration.seconds(30),
    disruptionMaxUnavailable: 1,
  });
  new LeaderService(chart, 'vllm-leader', { group });
  return Testing.synth(chart) as KubernetesObject[];
}
