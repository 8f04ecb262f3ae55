import { randomBytes } from 'node:crypto';
import type { KubernetesObject } from '../../../src/manifest/object';
import { client } from './given';
import { fakeNode, type NodeOptions } from './nodes';
import { until } from './wait';

const POOL = 'test.cdk8s-vllm/pool';
const CLUSTER_SCOPED = new Set(['Namespace', 'Node', 'IngressClass', 'IngressClassParams']);

/** A namespace of a test's own, whose pods run on nodes of its own and nowhere else. */
export class Place {
  private readonly nodes: string[] = [];

  private constructor(public readonly namespace: string) {}

  public static async make(labels: Readonly<Record<string, string>> = {}): Promise<Place> {
    const place = new Place(`t-${randomBytes(4).toString('hex')}`);
    const annotations = { 'scheduler.alpha.kubernetes.io/node-selector': `${POOL}=${place.namespace}` };
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: place.namespace, labels, annotations } };
    // By another manager: a bundle that has a Namespace of its own would take the annotation away.
    await client().applyAll([namespace], { fieldManager: 'test-place' });
    await until(`the service account of ${place.namespace}`, async () => {
      return (await client().get(`${place.core}/serviceaccounts/default`)).status === 200;
    });
    return place;
  }

  /** Path of the namespace in the core API. */
  public get core(): string {
    return `/api/v1/namespaces/${this.namespace}`;
  }

  /** Path of the namespace in another API: `apps/v1`. */
  public api(groupVersion: string): string {
    return `/apis/${groupVersion}/namespaces/${this.namespace}`;
  }

  /** Adds nodes and waits until pods can be bound to them. */
  public async addNodes(count: number, options: NodeOptions = {}): Promise<readonly string[]> {
    const labels = { ...options.labels, [POOL]: this.namespace };
    const names = Array.from({ length: count }, (_, i) => `${this.namespace}-${this.nodes.length + i + 1}`);
    this.nodes.push(...names);
    await client().applyAll(names.map((name) => fakeNode(name, { ...options, labels })));
    for (const name of names) {
      await until(`node ${name}`, async () => {
        const { body } = await client().get<Node>(`/api/v1/nodes/${name}`);
        const isReady = body.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
        return isReady === true && (body.spec.taints ?? []).length === 0;
      });
    }
    return names;
  }

  /** The same objects in this namespace. */
  public move(objects: readonly KubernetesObject[]): KubernetesObject[] {
    return objects.map((object) => ({
      ...object,
      metadata: CLUSTER_SCOPED.has(object.kind)
        ? { ...object.metadata, ...(object.kind === 'Namespace' && { name: this.namespace }) }
        : { ...object.metadata, namespace: this.namespace },
    }));
  }

  /** Gives everything back. The end of the namespace is nothing to wait for. */
  public async leave(): Promise<void> {
    await client().delete(`/api/v1/namespaces/${this.namespace}`);
    await Promise.all(this.nodes.map((name) => client().delete(`/api/v1/nodes/${name}`)));
  }
}

interface Node {
  readonly spec: { readonly taints?: readonly unknown[] };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}
