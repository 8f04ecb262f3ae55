import { parseCpuMillis, parseMemory } from './quantity';
import type { KubernetesApi } from './api';

/** A node as the checks need it. */
export interface KubernetesNode {
  readonly name: string;
  readonly isReady: boolean;
  readonly zone: string | undefined;
  /** Thousandths of a core. */
  readonly cpuMillis: number;
  /** Bytes. */
  readonly memory: number;
  readonly pods: number;
}

interface NodeObject {
  metadata?: { name?: string; labels?: Record<string, string> };
  status?: { allocatable?: Record<string, string>; conditions?: { type?: string; status?: string }[] };
}

/** The nodes of a node group of EKS. */
export async function nodesOf(api: KubernetesApi, nodeGroup: string): Promise<KubernetesNode[]> {
  const selector = encodeURIComponent(`eks.amazonaws.com/nodegroup=${nodeGroup}`);
  const { items = [] } = (await api('GET', `/api/v1/nodes?labelSelector=${selector}`)) as { items?: NodeObject[] };
  return items.map(({ metadata, status }) => ({
    name: metadata?.name ?? '?',
    isReady: status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false,
    zone: metadata?.labels?.['topology.kubernetes.io/zone'],
    cpuMillis: parseCpuMillis(status?.allocatable?.cpu ?? '0'),
    memory: parseMemory(status?.allocatable?.memory ?? '0'),
    pods: Number(status?.allocatable?.pods ?? 0),
  }));
}

/** Something that a person who deploys has to be allowed. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

/** Whether we are let do something in all namespaces: `kubectl auth can-i`. */
export async function canI(api: KubernetesApi, { verb, group, resource }: Right): Promise<boolean> {
  const review = (await api('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb, group, resource } },
  })) as { status?: { allowed?: boolean } };
  return review.status?.allowed === true;
}
