import type { ClusterFile } from '../file/types';
import type { Check } from '../plan';

const END = /^(end|expir|until|ttl|delete|terminat)|(end|expiry|expiration|deletion)[-_ ]?date$/i;
const OWNER = /owner|contact|team|creator/i;
const DAY = 24 * 60 * 60 * 1000;

/** What is allowed and rarely meant. */
export function choiceChecks({ nodeGroup, tags, network, addOns, podIdentities }: ClusterFile, now: number): Check[] {
  const checks: Check[] = [];
  const warn = (about: string, message: string): void => void checks.push({ level: 'warning', about, message });
  if (nodeGroup.capacityType === 'SPOT') {
    warn(
      'capacity',
      'SPOT: EC2 takes such nodes back with two minutes of notice. One node that goes restarts its whole LeaderWorkerSet group, which then loads the model again; On-Demand is what the reference deployment was measured with',
    );
  }
  if (nodeGroup.moreZones.length > 0) {
    warn(
      'zones',
      `nodes in ${[nodeGroup.zone, ...nodeGroup.moreZones].join(', ')}: the hop between the ranks of a pipeline is on the way of every token, between zones it takes several times as long, and the traffic is billed`,
    );
  } else {
    checks.push({
      level: 'note',
      about: 'zones',
      message: `all nodes in ${nodeGroup.zone}: when it fails, no node can be replaced`,
    });
  }
  const keys = Object.keys(tags);
  if (!keys.some((key) => OWNER.test(key))) {
    warn('tags', 'no tag names an owner; clean-up jobs of an account end what they know no owner of');
  }
  const end = keys.find((key) => END.test(key));
  if (end === undefined) {
    warn('tags', 'no tag gives an end date; a clean-up job may stop the nodes, and Auto Scaling then replaces them');
  } else {
    const date = Date.parse(tags[end]!);
    if (date + DAY < now) {
      warn('tags', `${end} is ${tags[end]}, which is over; a clean-up job may stop the nodes`);
    }
  }
  if (network.endpoint.public && (network.endpoint.publicCidrs ?? ['0.0.0.0/0']).includes('0.0.0.0/0')) {
    warn('endpoint', 'the API of the cluster answers the whole Internet; give network.endpoint.publicCidrs');
  }
  if (podIdentities.length > 0 && !addOns.some(({ name }) => name === 'eks-pod-identity-agent')) {
    warn(
      'add-ons',
      'podIdentities without the add-on eks-pod-identity-agent; pods get no credentials unless nodes have it otherwise',
    );
  }
  return checks;
}
