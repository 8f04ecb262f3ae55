import { Chart, Duration, Size } from 'cdk8s';
import {
  AlbIngress,
  AlbRoute,
  CapacityType,
  ChatApp,
  type Cpu,
  Findings,
  LeaderService,
  Model,
  NodeShape,
  NumaPolicy,
  PodMonitor,
  SecretKey,
  VllmImage,
  VllmPipelineGroup,
} from 'cdk8s-vllm';
import type { Construct } from 'constructs';

/** What may differ from one cluster to another. */
export interface GemmaTwoNodesProps {
  /** @default NodeShape.M7G_2XLARGE */
  readonly node?: NodeShape;
  /** @default - planned from the node */
  readonly cpu?: Cpu;
  /** @default Size.gibibytes(4) */
  readonly kvCacheMemory?: Size;
}

/** Gemma 3 1B, split over two Graviton nodes, behind one internal balancer with a chat page. */
export class GemmaTwoNodes extends Chart {
  public constructor(scope: Construct, id: string, props: GemmaTwoNodesProps = {}) {
    super(scope, id, { namespace: 'vllm', disableResourceNameHashes: true });

    const group = new VllmPipelineGroup(this, 'vllm-gemma', {
      model: Model.of('google/gemma-3-1b-it'),
      image: VllmImage.cpu('0.31.0'),
      node: props.node ?? NodeShape.M7G_2XLARGE,
      cpu: props.cpu,
      pipelineParallelSize: 2,
      maxModelLen: 4096,
      kvCacheMemory: props.kvCacheMemory ?? Size.gibibytes(4),
      numaPolicy: NumaPolicy.BIND,
      capacityType: CapacityType.ON_DEMAND,
      huggingFaceToken: SecretKey.of('hf-token', 'token'),
      apiKey: SecretKey.of('vllm-api-key', 'key'),
    });
    Findings.accept(
      group,
      'fit/split-not-needed',
      'the split is what this deployment shows; one node would hold the model',
    );

    const api = new LeaderService(this, 'vllm-leader', { group });
    const chat = new ChatApp(this, 'chat-app', { api, password: SecretKey.of('chat-password', 'password') });
    new AlbIngress(this, 'ingress', {
      name: 'vllm-gemma',
      routes: [AlbRoute.chat(chat), AlbRoute.api(api)],
      idleTimeout: Duration.minutes(5),
    });
    new PodMonitor(this, 'monitor', { name: 'vllm-gemma', group, labels: { release: 'kube-prometheus-stack' } });
  }
}
