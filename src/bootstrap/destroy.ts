import { allPages, unlessAbsent } from './aws/send';
import { OWNER_TAG } from './desired';
import type { ClusterFile } from './file/types';
import type { Resource } from './resource';
import type { Run } from './run';
import { resourcesOf } from './resources/all';
import { clusterId } from './resources/cluster';
import { NODE_TAGS } from './resources/node-tags';
import { openSession, type SessionOptions } from './session';
import { messageOf } from './steps';
import { gone } from './wait';

/** What `destroy` found and did. */
export interface DestroyReport {
  readonly cluster: string;
  /** What carries our tag, in the order in which it goes. */
  readonly ours: readonly string[];
  /** What is there and is not ours; nothing of it is touched. */
  readonly others: readonly string[];
  /** What keeps it from beginning, with what to do. */
  readonly blockers: readonly string[];
  readonly deleted: readonly string[];
  readonly failed: readonly { readonly id: string; readonly message: string }[];
  /** What the cluster left behind, which is not ours to delete. */
  readonly left: readonly string[];
}

/** Tag that the load balancer controller gives to its security groups. */
const BALANCER_TAG = 'elbv2.k8s.aws/cluster';

/**
 * Deletes what carries our ownership tag, in the order that AWS needs. Names what is in the way before it deletes anything.
 * @param confirmed without it, and in a dry run, nothing is deleted
 */
export async function destroyCluster(
  file: ClusterFile,
  options: SessionOptions & { readonly confirmed?: boolean } = {},
): Promise<DestroyReport> {
  const mayDelete = options.confirmed === true && options.dryRun !== true;
  const { run } = await openSession(file, { ...options, dryRun: !mayDelete });
  const present = await look(run);
  const ours = inOrder(
    file,
    present.filter(({ isOurs }) => isOurs).map(({ resource }) => resource),
  );
  const others = present.filter(({ isOurs }) => !isOurs).map(({ resource }) => resource.id);
  const clusterIsOurs = ours.some(({ id }) => id === clusterId(file));
  const blockers = await blockersOf(run, ours.length > 0, clusterIsOurs);
  const report = {
    cluster: file.name,
    ours: ours.map(({ id }) => id),
    others,
    blockers,
    deleted: [],
    failed: [],
    left: [],
  };
  if (!mayDelete || blockers.length > 0) {
    return report;
  }
  const { deleted, failed } = await removeAll(run, ours);
  return { ...report, deleted, failed, left: clusterIsOurs && failed.length === 0 ? await leftOvers(run) : [] };
}

async function look(run: Run): Promise<{ resource: Resource<unknown>; observed: unknown; isOurs: boolean }[]> {
  const found = [];
  for (const resource of resourcesOf(run).filter(({ id }) => id !== NODE_TAGS)) {
    const observed = await resource.observe();
    if (observed !== undefined) {
      resource.remember?.(observed);
      found.push({ resource, observed, isOurs: resource.isOurs(observed) });
    }
  }
  return found;
}

/** What depends on others goes before them: add-ons, associations, nodes, their template, the cluster. */
function inOrder(file: ClusterFile, resources: readonly Resource<unknown>[]): Resource<unknown>[] {
  const all = [...resources].reverse();
  const last = all.filter(({ id }) => id === clusterId(file));
  return [...all.filter((each) => !last.includes(each)), ...last];
}

async function blockersOf(
  { file, send, known }: Run,
  hasSomething: boolean,
  clusterIsOurs: boolean,
): Promise<string[]> {
  if (!hasSomething || known.cluster === undefined) {
    return [];
  }
  const clusterName = file.name;
  const found: string[] = [];
  const balancers = (
    await allPages(send, 'ec2.DescribeSecurityGroups', {
      Filters: [{ Name: `tag:${BALANCER_TAG}`, Values: [clusterName] }],
    })
  ).flatMap(({ SecurityGroups = [] }) => SecurityGroups);
  if (balancers.length > 0) {
    const groups = balancers.map(({ GroupId }) => GroupId!);
    const used = (
      await allPages(send, 'ec2.DescribeNetworkInterfaces', { Filters: [{ Name: 'group-id', Values: groups }] })
    )
      .flatMap(({ NetworkInterfaces = [] }) => NetworkInterfaces)
      .filter(({ Description = '' }) => /^ELB /.test(Description));
    const names = [...new Set(used.map(({ Description }) => Description!.replace(/^ELB /, '')))];
    found.push(
      `load balancers of the AWS Load Balancer Controller: ${[...names, ...groups].join(', ')}; delete their Ingresses and Services while the controller runs: kubectl delete ingress --all --all-namespaces`,
    );
  }
  if (clusterIsOurs) {
    const groups = (await unlessAbsent(allPages(send, 'eks.ListNodegroups', { clusterName }))) ?? [];
    const profiles = (await unlessAbsent(allPages(send, 'eks.ListFargateProfiles', { clusterName }))) ?? [];
    const foreign = [
      ...groups.flatMap(({ nodegroups = [] }) => nodegroups).map((name) => `node group ${name}`),
      ...profiles
        .flatMap(({ fargateProfileNames = [] }) => fargateProfileNames)
        .map((name) => `Fargate profile ${name}`),
    ].filter((name) => name !== `node group ${file.nodeGroup.name}`);
    if (foreign.length > 0) {
      found.push(`in the cluster and not of this file: ${foreign.join(', ')}; delete them first`);
    }
    if (known.nodeGroup !== undefined && known.nodeGroup.tags?.[OWNER_TAG] !== clusterName) {
      found.push(`node group ${file.nodeGroup.name} was not made by this program; delete it first`);
    }
    if (known.cluster.deletionProtection) {
      found.push('the cluster has deletionProtection; set it to false in the file, and apply');
    }
  }
  return found;
}

async function removeAll(
  run: Run,
  ours: readonly Resource<unknown>[],
): Promise<{ deleted: string[]; failed: { id: string; message: string }[] }> {
  const deleted: string[] = [];
  const failed: { id: string; message: string }[] = [];
  for (const resource of ours) {
    const { id } = resource;
    try {
      const observed = await resource.observe();
      if (observed !== undefined) {
        run.say(id, 'deleting');
        if (resource.state(observed) !== 'deleting') {
          await resource.remove(observed);
        }
        await gone(resource, run);
      }
      run.say(id, 'gone');
      deleted.push(id);
    } catch (error) {
      failed.push({ id, message: messageOf(error) });
      // What comes after needs this one gone.
      break;
    }
  }
  return { deleted, failed };
}

/**
 * Network interfaces that the CNI of the cluster forgot, which keep subnets and security groups from being deleted; and logs,
 * which CloudWatch goes on to bill.
 */
async function leftOvers({ file, send }: Run): Promise<string[]> {
  const pages = await allPages(send, 'ec2.DescribeNetworkInterfaces', {
    Filters: [
      { Name: 'tag:cluster.k8s.amazonaws.com/name', Values: [file.name] },
      { Name: 'status', Values: ['available'] },
    ],
  });
  const interfaces = pages
    .flatMap(({ NetworkInterfaces = [] }) => NetworkInterfaces)
    .map(
      ({ NetworkInterfaceId }) =>
        `network interface ${NetworkInterfaceId}: aws ec2 delete-network-interface --network-interface-id ${NetworkInterfaceId} --region ${file.region}`,
    );
  const group = `/aws/eks/${file.name}/cluster`;
  const logs = `logs of the control plane: aws logs delete-log-group --log-group-name ${group} --region ${file.region}`;
  return [...interfaces, ...(file.logging.length > 0 ? [logs] : [])];
}
