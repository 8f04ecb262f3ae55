import { LWS_LEADER_ADDRESS } from '../../engine/lws';
import { booleanOf, dig, get, listOf } from '../../manifest/json';
import type { RolePod } from '../../manifest/groups';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { eachPod } from './containers';

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { workload, pod } of eachPod(workloads)) {
    const isOnHost = booleanOf(get(pod.raw, 'hostNetwork')) === true;
    const isNodeDns = pod.dnsPolicy === 'Default' || (isOnHost && pod.dnsPolicy === 'ClusterFirst');
    // Servers of its own may know the names of the cluster.
    const isOwn = listOf(dig(pod.raw, 'dnsConfig', 'nameservers')).length > 0;
    const name = isNodeDns && !isOwn ? nameUsed(pod, workload.kind, isOnHost) : undefined;
    if (name !== undefined) {
      yield {
        object: workload.object,
        path: `${pod.path}.dnsPolicy`,
        what: `its pods use ${name}, with ${isOnHost ? 'hostNetwork and ' : ''}dnsPolicy ${pod.dnsPolicy}`,
        fix: `write dnsPolicy: ${isOnHost ? 'ClusterFirstWithHostNet' : 'ClusterFirst'}`,
      };
    }
  }
}

/** A name of the cluster that the containers of a pod go by. */
function nameUsed(pod: RolePod, kind: string, isOnHost: boolean): string | undefined {
  for (const { raw } of [...pod.initContainers, ...pod.containers]) {
    const text = JSON.stringify([get(raw, 'command'), get(raw, 'args'), get(raw, 'env')]);
    if (kind === 'LeaderWorkerSet' && text.includes(LWS_LEADER_ADDRESS)) {
      return LWS_LEADER_ADDRESS;
    }
    // Who writes Default means it; ClusterFirst is what nobody wrote.
    const found = isOnHost ? /\/\/([a-z0-9](?:[-a-z0-9]*\.)+svc\.cluster\.local)\b/.exec(text) : null;
    if (found) {
      return found[1];
    }
  }
  return undefined;
}

const HOST_GROUP = (): string =>
  edit(CPU_GROUP, [
    '        enableServiceLinks: false\n',
    '        enableServiceLinks: false\n        hostNetwork: true\n        dnsPolicy: ClusterFirstWithHostNet\n',
  ]);

export const hostNetworkDns: Rule = {
  id: 'k8s/host-network-dns',
  severity: 'error',
  title: 'pods that use names of the cluster ask the DNS of the node',
  why: 'the DNS of the node does not know them: with hostNetwork, ClusterFirst means the same as Default',
  fix: 'write dnsPolicy: ClusterFirstWithHostNet',
  source: 'dnsPolicy of the Kubernetes API',
  get bad() {
    return edit(HOST_GROUP(), ['        dnsPolicy: ClusterFirstWithHostNet\n', '']);
  },
  get good() {
    return HOST_GROUP();
  },
  check,
};
