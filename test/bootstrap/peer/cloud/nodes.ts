import { map } from './ec2';
import type { Account, NodeGroupState } from './state';

/** Tags that EKS and the CNI give by themselves. */
function systemTags(cluster: string, group: string): Record<string, string> {
  return { 'eks:cluster-name': cluster, 'eks:nodegroup-name': group, [`kubernetes.io/cluster/${cluster}`]: 'owned' };
}

/** Starts an instance as Auto Scaling does from EKS' copy of the template: the tags of network interfaces are lost in it. */
export function startNode(account: Account, cluster: string, group: NodeGroupState): void {
  const subnet = group.subnets[0]!;
  const data = account.templates.get(group.template.id)!.versions[Number(group.template.version) - 1]!;
  const specified = (type: string): Record<string, string> =>
    map(
      ((data.TagSpecifications ?? []) as { ResourceType: string; Tags: { Key: string; Value: string }[] }[]).find(
        ({ ResourceType }) => ResourceType === type,
      )?.Tags,
    );
  const instance = account.id('i');
  account.parts.set(instance, {
    id: instance,
    kind: 'instance',
    instance,
    subnet,
    tags: { ...systemTags(cluster, group.name), ...specified('instance') },
  });
  const volume = account.id('vol');
  account.parts.set(volume, { id: volume, kind: 'volume', instance, subnet, tags: specified('volume') });
  for (let i = 0; i < 2; i++) {
    const id = account.id('eni');
    const tags: Record<string, string> = i === 0 ? {} : { 'cluster.k8s.amazonaws.com/name': cluster };
    account.parts.set(id, { id, kind: 'interface', instance, subnet, tags });
  }
}

/** Ends the nodes of a group, all or so many. */
export function endNodes(account: Account, group: string, count = Infinity): void {
  const ids = [...account.parts.values()]
    .filter(({ kind, tags }) => kind === 'instance' && tags['eks:nodegroup-name'] === group)
    .slice(0, count)
    .map(({ id }) => id);
  for (const part of [...account.parts.values()]) {
    if (ids.includes(part.instance)) {
      account.parts.delete(part.id);
    }
  }
}
