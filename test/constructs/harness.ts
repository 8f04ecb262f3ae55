import { App, Chart, type ChartProps, Testing } from 'cdk8s';
import {
  ChatApp,
  LeaderService,
  Model,
  NodeShape,
  SecretKey,
  VllmImage,
  VllmPipelineGroup,
  type VllmPipelineGroupProps,
} from 'cdk8s-vllm';
import type { Construct } from 'constructs';

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: unknown;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: string[];
  readonly args: string[];
  readonly env: EnvVar[];
  readonly resources: { limits: Record<string, string>; requests: Record<string, string> };
  readonly [field: string]: unknown;
}

export interface PodSpec {
  readonly containers: [Container];
  readonly [field: string]: unknown;
}

export interface PodTemplate {
  readonly metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  readonly spec: PodSpec;
}

export interface LwsSpec {
  readonly replicas: number;
  readonly leaderWorkerTemplate: { size: number; leaderTemplate?: PodTemplate; workerTemplate: PodTemplate };
  readonly [field: string]: unknown;
}

export interface KubernetesObject<S = Record<string, unknown>> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly spec: S;
  readonly data?: Record<string, string>;
}

/** A chart as the README makes one. `new App()` writes nothing as long as `app.synth()` is not called. */
export function newChart(props: ChartProps = { namespace: 'vllm' }, app: Construct = new App(), id = 'chart'): Chart {
  return new Chart(app, id, { disableResourceNameHashes: true, ...props });
}

export function synth(chart: Chart): KubernetesObject[] {
  return Testing.synth(chart) as KubernetesObject[];
}

/** The only object of a kind in a chart, or the one of that name. */
export function find<S = Record<string, unknown>>(chart: Chart, kind: string, name?: string): KubernetesObject<S> {
  const found = synth(chart).filter((o) => o.kind === kind && (name === undefined || o.metadata.name === name));
  if (found.length !== 1) {
    throw new Error(`${found.length} objects of kind ${kind}${name === undefined ? '' : ` called ${name}`}`);
  }
  return found[0] as KubernetesObject<S>;
}

/** The fewest props of a two-node group, as the examples give them. */
export function groupProps(props: Partial<VllmPipelineGroupProps> = {}): VllmPipelineGroupProps {
  return {
    model: Model.of('google/gemma-3-1b-it'),
    image: VllmImage.cpu('0.31.0'),
    node: NodeShape.M7G_2XLARGE,
    pipelineParallelSize: 2,
    huggingFaceToken: SecretKey.of('hf-token', 'token'),
    ...props,
  };
}

export function newGroup(chart: Chart, props: Partial<VllmPipelineGroupProps> = {}, id = 'gemma'): VllmPipelineGroup {
  return new VllmPipelineGroup(chart, id, groupProps(props));
}

/** Group, Service and chat page of one chart. */
export function newChat(chart: Chart): { group: VllmPipelineGroup; api: LeaderService; chat: ChatApp } {
  const group = newGroup(chart, { apiKey: SecretKey.of('vllm-api-key', 'key') });
  const api = new LeaderService(chart, 'gemma-leader', { group });
  const chat = new ChatApp(chart, 'chat-app', { api, password: SecretKey.of('chat-password', 'password') });
  return { group, api, chat };
}

/** The two pod templates of the only group in a chart; the leader's is the worker's in a group of one pod. */
export function templates(chart: Chart): { spec: LwsSpec; leader: PodTemplate; worker: PodTemplate } {
  const { spec } = find<LwsSpec>(chart, 'LeaderWorkerSet');
  const { leaderTemplate, workerTemplate } = spec.leaderWorkerTemplate;
  return { spec, leader: leaderTemplate ?? workerTemplate, worker: workerTemplate };
}

/** Both templates of a group that is alone in its chart. */
export function render(props: Partial<VllmPipelineGroupProps> = {}): ReturnType<typeof templates> {
  const chart = newChart();
  newGroup(chart, props);
  return templates(chart);
}

/** Value of an environment variable of a template's container. */
export function env(template: PodTemplate, name: string): string | undefined {
  return template.spec.containers[0].env.find((e) => e.name === name)?.value;
}

/** Names of a template's environment variables, in order. */
export function envNames(template: PodTemplate): string[] {
  return template.spec.containers[0].env.map((e) => e.name);
}
