import { CallError } from './aws/errors';
import { MEBI } from '../common/numbers';
import { instanceTypes, nodeOf } from '../hardware/nodes';
import type { ClusterFile } from './file/types';
import { kubernetesApi, type KubernetesApi, KubernetesError } from './kubernetes/api';
import { canI, type KubernetesNode, nodesOf, type Right } from './kubernetes/nodes';
import { clusterToken } from './kubernetes/token';
import type { Resource } from './resource';
import { resourcesOf } from './resources/all';
import { nodeParts, NODE_TAGS, untagged } from './resources/node-tags';
import { OWNER_TAG, tagsOf } from './desired';
import { issueText } from './hints';
import type { Run } from './run';
import { openSession, type SessionOptions } from './session';

/** What a check of a running cluster found; `unknown` when it could not look. */
export interface Verified {
  readonly result: 'good' | 'bad' | 'unknown';
  readonly about: string;
  readonly message: string;
}

export interface VerifyReport {
  readonly cluster: string;
  readonly checks: readonly Verified[];
  /** Whether every check looked, and found it good. */
  readonly isGood: boolean;
}

/** What who deploys a group, a balancer and a chat page has to be allowed. */
const RIGHTS: readonly Right[] = [
  { verb: 'create', group: 'leaderworkerset.x-k8s.io', resource: 'leaderworkersets' },
  { verb: 'create', group: 'apps', resource: 'deployments' },
  { verb: 'create', group: 'networking.k8s.io', resource: 'ingresses' },
  { verb: 'create', group: '', resource: 'services' },
  { verb: 'create', group: '', resource: 'secrets' },
  { verb: 'create', group: '', resource: 'namespaces' },
];

/** Looks whether the cluster is as the file says, from AWS and from inside. Changes nothing. */
export async function verifyCluster(
  file: ClusterFile,
  options: SessionOptions & { readonly kubernetes?: KubernetesApi } = {},
): Promise<VerifyReport> {
  const { run, connection } = await openSession(file, { ...options, dryRun: true });
  const checks: Verified[] = [];
  for (const resource of resourcesOf(run).filter(({ id }) => id !== NODE_TAGS)) {
    checks.push(await verifyResource(resource, checks));
  }
  if (run.known.nodeGroup !== undefined) {
    checks.push(await verifyTags(run));
  }
  const cluster = run.known.cluster;
  if (cluster?.endpoint !== undefined && cluster.certificateAuthority?.data !== undefined) {
    const api =
      options.kubernetes ??
      kubernetesApi({
        endpoint: cluster.endpoint,
        certificateAuthority: cluster.certificateAuthority.data,
        token: clusterToken(await connection.credentials(), {
          cluster: file.name,
          region: file.region,
          now: run.clock.now() + connection.clockOffset(),
        }),
      });
    checks.push(...(await verifyInside(file, api)));
  }
  return { cluster: file.name, checks, isGood: checks.every(({ result }) => result === 'good') };
}

async function verifyResource(resource: Resource<unknown>, before: readonly Verified[]): Promise<Verified> {
  const { id: about } = resource;
  if (before[0]?.result === 'bad' && before[0].message === ABSENT) {
    return { result: 'unknown', about, message: 'there is no cluster to look in' };
  }
  try {
    const observed = await resource.observe();
    if (observed === undefined) {
      return { result: 'bad', about, message: ABSENT };
    }
    resource.remember?.(observed);
    const issues = resource.issues(observed).map(issueText);
    const differences = resource
      .differences(observed)
      .filter(({ what }) => what !== 'tags' || resource.isOurs(observed));
    const isReady = resource.state(observed) === 'ready' && issues.length === 0;
    const found = [
      resource.status(observed),
      ...issues,
      ...differences.map(({ what, found: is, wanted }) => `${what} is ${is}, and the file says ${wanted}`),
    ];
    return { result: isReady && differences.length === 0 ? 'good' : 'bad', about, message: found.join('; ') };
  } catch (error) {
    if (error instanceof CallError) {
      return { result: 'unknown', about, message: error.message };
    }
    throw error;
  }
}

const ABSENT = 'it is not there; apply makes it';

async function verifyTags(run: Run): Promise<Verified> {
  const about = NODE_TAGS;
  try {
    const parts = await nodeParts(run);
    const bare = untagged(parts, tagsOf(run.file));
    if (bare.length === 0) {
      return {
        result: 'good',
        about,
        message: `all ${parts.length} instances, volumes and network interfaces have them`,
      };
    }
    const list = bare.map(({ part, missing }) => `${part.kind} ${part.id} of ${part.node} lacks ${missing.join(', ')}`);
    const isOurs = run.known.nodeGroup?.tags?.[OWNER_TAG] === run.file.name;
    const remedy = isOurs
      ? '`cdk8s-vllm bootstrap tag` gives them'
      : 'the node group is not ours: aws ec2 create-tags gives them';
    return { result: 'bad', about, message: `${list.join('; ')}; ${remedy}` };
  } catch (error) {
    if (error instanceof CallError) {
      return { result: 'unknown', about, message: error.message };
    }
    throw error;
  }
}

async function verifyInside(file: ClusterFile, api: KubernetesApi): Promise<Verified[]> {
  try {
    const nodes = await nodesOf(api, file.nodeGroup.name);
    const rights = await Promise.all(RIGHTS.map(async (right) => ({ right, allowed: await canI(api, right) })));
    const denied = rights.filter(({ allowed }) => !allowed).map(({ right }) => right);
    return [
      ...judgeNodes(file, nodes),
      denied.length === 0
        ? { result: 'good', about: 'rights', message: `you may ${RIGHTS.map(rightText).join(', ')}` }
        : {
            result: 'bad',
            about: 'rights',
            message: `you may not ${denied.map(rightText).join(', ')}; add an access entry with AmazonEKSClusterAdminPolicy to the file`,
          },
    ];
  } catch (error) {
    if (error instanceof KubernetesError) {
      return [
        {
          result: 'unknown',
          about: 'inside of the cluster',
          message: `its API gave no answer (${error.message}); a private endpoint is reached from inside of the VPC alone, and 401 means that no access entry lets you in`,
        },
      ];
    }
    throw error;
  }
}

function rightText({ verb, resource }: Right): string {
  return `${verb} ${resource}`;
}

/** Nodes as the planner counts on them: all ready, in one zone, each with the room that it takes a node to have. */
export function judgeNodes({ nodeGroup }: ClusterFile, nodes: readonly KubernetesNode[]): Verified[] {
  const about = 'nodes';
  const ready = nodes.filter(({ isReady }) => isReady);
  const notReady = nodes.filter(({ isReady }) => !isReady).map(({ name }) => name);
  const checks: Verified[] = [
    ready.length >= nodeGroup.nodes
      ? { result: 'good', about, message: `${ready.length} of ${nodeGroup.nodes} ready` }
      : {
          result: 'bad',
          about,
          message: `${ready.length} of ${nodeGroup.nodes} ready${notReady.length === 0 ? '' : `; not: ${notReady.join(', ')}`}`,
        },
  ];
  const zones = [...new Set(nodes.map(({ zone = 'no zone' }) => zone))];
  const allowed = [nodeGroup.zone, ...nodeGroup.moreZones];
  const outside = zones.filter((zone) => !allowed.includes(zone));
  if (nodes.length > 0) {
    checks.push(
      outside.length === 0
        ? { result: 'good', about: 'zones', message: `nodes in ${zones.join(', ')}` }
        : {
            result: 'bad',
            about: 'zones',
            message: `nodes in ${zones.join(', ')}; the file says ${allowed.join(', ')}`,
          },
    );
  }
  if (instanceTypes().includes(nodeGroup.instanceType)) {
    const { cpuMillis, memory, pods } = nodeOf(nodeGroup.instanceType).allocatable;
    const room = (node: { cpuMillis: number; memory: number; pods: number }): string =>
      `${node.cpuMillis}m CPU, ${Math.floor(node.memory / MEBI)} MiB, ${node.pods} pods`;
    const small = nodes.filter((node) => node.cpuMillis < cpuMillis || node.memory < memory || node.pods < pods);
    const wanted = room({ cpuMillis, memory, pods });
    checks.push(
      small.length === 0
        ? {
            result: nodes.length === 0 ? 'unknown' : 'good',
            about: 'allocatable',
            message:
              nodes.length === 0
                ? 'there is no node to look at'
                : `each node has ${wanted} or more, as \`cdk8s-vllm plan\` counts`,
          }
        : {
            result: 'bad',
            about: 'allocatable',
            message: `${small.map((node) => `${node.name} has ${room(node)}`).join('; ')}; \`cdk8s-vllm plan\` counts on ${wanted}`,
          },
    );
  }
  return checks;
}
