import { lab } from './harness/given';
import { kubectl } from './harness/kubectl';
import type { KubernetesObject } from '../../src/manifest/object';
import { until } from './wait';

export interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly restartCount: number }[];
  };
}

/** Applies objects as `kubectl apply --server-side` does. */
export async function apply(objects: readonly (KubernetesObject | object)[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  // A request of a kind that has just been defined may come too early.
  await kubectl(lab(), ['apply', '--server-side', '-f', '-'], JSON.stringify(list));
}

export async function podsOf(namespace: string, selector: string): Promise<readonly Pod[]> {
  const text = await kubectl(lab(), ['get', 'pods', '-n', namespace, '-l', selector, '-o', 'json']);
  const { items } = JSON.parse(text) as { items: readonly Pod[] };
  return [...items].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
}

export function isReady({ metadata, status }: Pod): boolean {
  const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status;
  return ready === 'True' && metadata.deletionTimestamp === undefined;
}

/** As many pods, all ready, none on its way out; in the order of their names. */
export async function readyPods(
  namespace: string,
  selector: string,
  count: number,
  isWanted: (pod: Pod) => boolean = () => true,
): Promise<readonly Pod[]> {
  return await until(
    `${count} ready pods with ${selector}`,
    async () => {
      const pods = await podsOf(namespace, selector);
      return pods.length === count && pods.every((pod) => isReady(pod) && isWanted(pod)) && pods;
    },
    async () => await story(namespace),
  );
}

/** What there is to say of a namespace that does not do what it should: pods, events, last words of every container. */
export async function story(namespace: string): Promise<string> {
  const asked = [
    ['get', 'pods', '-n', namespace, '-o', 'wide'],
    ['get', 'events', '-n', namespace, '--sort-by=.lastTimestamp'],
  ];
  const pods = await podsOf(namespace, '');
  const logs = pods.map(({ metadata: { name } }) => ['logs', '-n', namespace, name, '--tail=25']);
  const parts: string[] = [];
  for (const args of [...asked, ...logs]) {
    parts.push(`--- kubectl ${args.join(' ')}\n${await kubectl(lab(), args).catch(String)}`);
  }
  return parts.join('\n');
}

export async function addressOf(namespace: string, service: string): Promise<string> {
  const path = '{.spec.clusterIP}:{.spec.ports[0].port}';
  return `http://${await kubectl(lab(), ['get', 'service', '-n', namespace, service, '-o', `jsonpath=${path}`])}`;
}

/** Waits until nothing is left of a namespace. */
export async function removeNamespace(namespace: string): Promise<void> {
  await kubectl(lab(), ['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=300s']);
}
