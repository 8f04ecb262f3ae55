import { didYouMean } from '../../common/nearest';
import { LWS_NAME_LABEL } from '../../engine/lws';
import { type KubernetesObject, readGroups } from '../../manifest';
import { ClusterFailure, isFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';
import { isAbout, warningsOf } from './events';
import { groupsOf, leaderOf, type LiveGroup } from './live';

/** The groups that run vLLM in the namespace. */
export async function liveGroups(kubectl: Kubectl): Promise<readonly LiveGroup[]> {
  return groupsOf(await kubectl.list<KubernetesObject>(kubectl.path('pods')));
}

/**
 * The group that is meant.
 * @param name name of the LeaderWorkerSet, Deployment, StatefulSet or Pod, or of the leader's pod where there are several groups
 */
export async function findGroup(kubectl: Kubectl, name?: string): Promise<LiveGroup> {
  const groups = await liveGroups(kubectl);
  if (groups.length === 0) {
    throw await noGroup(kubectl);
  }
  const meant = name === undefined ? groups : groups.filter((group) => nameOf(group) === name || group.name === name);
  const exact = meant.find((group) => nameOf(group) === name);
  if (meant.length === 1 || exact !== undefined) {
    return exact ?? meant[0]!;
  }
  const names = groups.map(nameOf);
  if (meant.length === 0) {
    throw new ClusterFailure(
      'no-group',
      `no group of the namespace ${kubectl.namespace} is called '${name}'` +
        (didYouMean(name!, names) || `; there is ${names.join(', ')}`),
    );
  }
  throw new ClusterFailure(
    'which-group',
    `which one? The namespace ${kubectl.namespace} has ${meant.length} groups that run vLLM: ` +
      `--group takes one of ${meant.map(nameOf).join(', ')}`,
  );
}

/** What a group goes by: the pod that leads it, since a LeaderWorkerSet has several. */
export function nameOf(group: LiveGroup): string {
  return leaderOf(group)?.name ?? group.pods[0]!.name;
}

/** Why there is none, as far as it can be seen. */
async function noGroup(kubectl: Kubectl): Promise<ClusterFailure> {
  const { namespace } = kubectl;
  const known = await allowed(() => kubectl.find(`/api/v1/namespaces/${encodeURIComponent(namespace)}`));
  if (known === 'there is none') {
    const all = await allowed(() => kubectl.list<KubernetesObject>('/api/v1/namespaces'));
    const names = typeof all === 'object' ? all.map(({ metadata }) => metadata.name) : [];
    return new ClusterFailure(
      'no-namespace',
      `there is no namespace '${namespace}'${didYouMean(namespace, names) || listed('; there is ', names)}`,
    );
  }
  const sets = await allowed(() =>
    kubectl.list<KubernetesObject>(kubectl.path('leaderworkersets', 'leaderworkerset.x-k8s.io/v1')),
  );
  const waiting = typeof sets === 'object' ? readGroups(kindOf(sets)).groups : [];
  if (waiting.length > 0) {
    const names = waiting.map(({ name }) => name);
    const warnings = (await warningsOf(kubectl)).filter((event) => names.some((name) => isAbout(event, name)));
    const last = warnings.at(-1);
    return new ClusterFailure(
      'no-group',
      `LeaderWorkerSet ${names.join(', ')} of the namespace ${namespace} has no pods` +
        (last === undefined
          ? ', and no event tells why; is the controller of LWS running?'
          : `: ${last.kind} ${last.name}: ${last.reason}: ${last.message}`),
    );
  }
  const unseen = known === 'forbidden' ? ' (whether it exists, you may not see)' : '';
  return new ClusterFailure(
    'no-group',
    `no pod of the namespace ${namespace} runs vLLM${unseen}${listed('; there are groups in ', await elsewhere(kubectl))}` +
      `; --namespace names another${kubectl.context === undefined ? '' : `, --context another cluster (this is ${kubectl.context})`}`,
  );
}

/** Other namespaces that have a LeaderWorkerSet's pods, where the person may see them. */
async function elsewhere(kubectl: Kubectl): Promise<string[]> {
  const found = await allowed(() =>
    kubectl.list<KubernetesObject>(`/api/v1/pods?labelSelector=${encodeURIComponent(LWS_NAME_LABEL)}`),
  );
  return typeof found === 'object'
    ? [...new Set(found.map(({ metadata }) => metadata.namespace ?? ''))].filter((name) => name !== '')
    : [];
}

/** For what is asked to help, and need not be allowed. */
async function allowed<T>(ask: () => Promise<T | undefined>): Promise<T | 'there is none' | 'forbidden'> {
  try {
    return (await ask()) ?? 'there is none';
  } catch (error) {
    if (isFailure(error, 'forbidden')) {
      return 'forbidden';
    }
    if (isFailure(error, 'not-found')) {
      return 'there is none';
    }
    throw error;
  }
}

/** A list as the API server gives it leaves kind and version of its items out. */
function kindOf(items: readonly KubernetesObject[]): KubernetesObject[] {
  return items.map((item) => ({ ...item, apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet' }));
}

function listed(before: string, names: readonly string[]): string {
  const more = names.length - 10;
  return names.length === 0 ? '' : `${before}${names.slice(0, 10).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
