import { Chart, Size } from 'cdk8s';
import { LeaderService, Model, NodeShape, PodMonitor, SecretKey, VllmImage, VllmPipelineGroup } from 'cdk8s-vllm';
import type { Construct } from 'constructs';

/** Gemma 3 1B whole in one pod, two copies: what to run when the model fits on a node. */
export class GemmaOnePod extends Chart {
  public constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'vllm', disableResourceNameHashes: true });

    const group = new VllmPipelineGroup(this, 'gemma', {
      model: Model.of('google/gemma-3-1b-it'),
      image: VllmImage.cpu('0.31.0'),
      node: NodeShape.M7G_2XLARGE,
      replicas: 2,
      kvCacheMemory: Size.gibibytes(4),
      huggingFaceToken: SecretKey.of('hf-token', 'token'),
      apiKey: SecretKey.of('vllm-api-key', 'key'),
    });
    new LeaderService(this, 'gemma-api', { group });
    new PodMonitor(this, 'gemma-monitor', { group, labels: { release: 'kube-prometheus-stack' } });
  }
}
