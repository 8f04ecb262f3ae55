import type { App } from 'cdk8s';
import { Size, Testing } from 'cdk8s';
import { ClusterTarget, Cpu, NodeShape } from 'cdk8s-vllm';
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
