import { afterEach, describe, expect, test } from 'vitest';
import {
  applyCluster,
  type ApplyReport,
  destroyCluster,
  planCluster,
  tagNodes,
  verifyCluster,
} from '../../../src/bootstrap';
import { endNodes, startNode } from './cloud/nodes';
import { Account, role } from './cloud/state';
import { withCluster } from './scenarios';
import { secretsIn } from './secrets';
import { exampleFile, HAS_MODELS, world, type World } from './world';

const file = exampleFile();
let current: World;
afterEach(async () => {
  expect(current.peer.violations).toEqual([]);
  await current.peer.close();
});

function failures({ steps }: ApplyReport): string {
  return steps
    .map((step) =>
      step.ended === 'failed' ? step.message : step.ended === 'not-begun' ? `${step.id} after ${step.after}` : '',
    )
    .filter((text) => text !== '')
    .join('\n');
}

function changingCalls({ peer }: World): string[] {
  return peer.calls.map(({ name }) => name).filter((name) => !/\.(Describe|List|Get)/.test(name));
}

describe.skipIf(!HAS_MODELS)('what AWS makes of it', () => {
  test('a cluster that FAILED is named with its issue; --replace makes it again', async () => {
    const account = new Account();
    account.manners.cluster = 'FAILED';
    current = await world({ account });
    const report = await applyCluster(file, current.options);
    expect(failures(report)).toContain(
      'cluster vllm-research is CREATING, and will not get further\n    ResourceLimitExceeded: too many clusters; a quota',
    );
    expect(failures(report)).toContain('add-on metrics-server after cluster vllm-research');
    account.manners.cluster = 'works';
    expect(failures(await applyCluster(file, current.options))).toContain(
      'apply --replace deletes it and makes it again',
    );
    expect(await applyCluster(file, { ...current.options, replace: true })).toMatchObject({ succeeded: true });
  });

  test.each(['CREATE_FAILED', 'DEGRADED'] as const)(
    'a node group that is %s is named with its issue and a hint',
    async (state) => {
      const account = new Account();
      account.manners.nodeGroup = state;
      current = await world({ account });
      const report = await applyCluster(file, current.options);
      expect(failures(report)).toMatch(new RegExp(`node group llm-arm is ${state}`));
      expect(failures(report)).toContain(
        state === 'CREATE_FAILED' ? 'NodeCreationFailure: Instances failed to join' : 'try another zone or type',
      );
      expect(failures(report)).toContain('add-on metrics-server after node group llm-arm');
      // The rest goes on.
      expect(account.associations.size).toBe(1);
      expect(secretsIn(JSON.stringify(report) + current.lines.join('\n'))).toEqual([]);
      account.manners.nodeGroup = state === 'DEGRADED' ? 'heals' : 'works';
      const again = await applyCluster(file, { ...current.options, replace: state === 'CREATE_FAILED' });
      expect(again).toMatchObject({ succeeded: true });
      expect(account.nodeGroups.size).toBe(1);
    },
  );

  test('a node group that is DEGRADED for a while is waited for, and its issue is printed', async () => {
    const account = new Account();
    account.manners.nodeGroup = 'heals';
    current = await world({ account });
    expect(await applyCluster(file, current.options)).toMatchObject({ succeeded: true });
    expect(current.lines.join('\n')).toContain('AsgInstanceLaunchFailures');
  });

  test.each(['CREATE_FAILED', 'DEGRADED'] as const)('an add-on that is %s', async (state) => {
    const account = new Account();
    account.manners.addOns = state;
    current = await world({ account });
    const report = await applyCluster(file, current.options);
    expect(failures(report)).toContain(`add-on metrics-server is ${state}`);
    expect(failures(report)).toContain('InsufficientNumberOfReplicas');
    account.manners.addOns = 'work';
    expect(await applyCluster(file, { ...current.options, replace: true })).toMatchObject({ succeeded: true });
  });

  test('what was just made is not seen at first', async () => {
    const account = new Account();
    account.manners.lag = 2;
    current = await world({ account });
    expect(await applyCluster(file, current.options)).toMatchObject({ succeeded: true });
    expect(account.templates.size).toBe(1);
    expect(account.associations.size).toBe(1);
  });

  test('a role that was just made is not known to EKS at first', async () => {
    const account = new Account();
    account.roles.get('eks-cluster')!.unknownFor = 2;
    account.roles.get('eks-node')!.unknownFor = 2;
    account.roles.get('aws-load-balancer-controller')!.unknownFor = 2;
    current = await world({ account });
    expect(await applyCluster(file, current.options)).toMatchObject({ succeeded: true });
  });

  test('made again within the day that AWS remembers tokens for', async () => {
    const account = await withCluster();
    const before = account.summary();
    current = await world({ account });
    expect(await destroyCluster(file, { ...current.options, confirmed: true })).toMatchObject({ failed: [], left: [] });
    expect(account.summary()).toEqual(new Account().summary());
    expect(await applyCluster(file, current.options)).toMatchObject({ succeeded: true });
    expect(account.summary()).toEqual(before);
  });

  test('add-ons that were made before there were nodes heal with them', async () => {
    const account = await withCluster();
    account.nodeGroups.clear();
    endNodes(account, 'llm-arm');
    account.addOns.get('metrics-server')!.status = 'DEGRADED';
    current = await world({ account });
    expect(await applyCluster(file, current.options)).toMatchObject({ succeeded: true });
    expect(account.addOns.get('metrics-server')!.status).toBe('ACTIVE');
  });
});

describe.skipIf(!HAS_MODELS)('others at the same time', () => {
  test('two runs at once make one cluster', async () => {
    const made = await withCluster();
    current = await world();
    const reports = await Promise.all([applyCluster(file, current.options), applyCluster(file, current.options)]);
    expect(reports.map(({ succeeded }) => succeeded)).toEqual([true, true]);
    expect(current.account.summary()).toEqual(made.summary());
  });

  test('what somebody makes between the look and the call is used, and stays theirs', async () => {
    const account = new Account();
    const roleArn = account.roles.get('aws-load-balancer-controller')!.arn;
    current = await world({
      account,
      onCall: ({ name }, when) => {
        if (name === 'eks.CreatePodIdentityAssociation' && when === 'before') {
          const [namespace, serviceAccount] = ['kube-system', 'aws-load-balancer-controller'];
          account.associations.set('a-1', {
            id: 'a-1',
            namespace,
            serviceAccount,
            roleArn,
            tags: { 'made-by': 'hand' },
            lag: 0,
          });
        }
      },
    });
    const report = await applyCluster(file, current.options);
    expect(report.succeeded).toBe(true);
    expect(report.steps.find(({ id }) => id.startsWith('pod identity'))).toMatchObject({ outcome: { isOurs: false } });
    expect([...account.associations.values()].map(({ tags }) => tags)).toEqual([{ 'made-by': 'hand' }]);
  });
});

describe.skipIf(!HAS_MODELS)('what differs', () => {
  test('of what others made nothing is changed', async () => {
    const account = await withCluster();
    const cluster = account.clusters.get('vllm-research')!;
    cluster.tags = { 'made-by': 'hand' };
    cluster.vpc.endpointPublicAccess = true;
    cluster.vpc.publicAccessCidrs = ['0.0.0.0/0'];
    current = await world({ account });
    const report = await applyCluster(file, current.options);
    expect(report.succeeded).toBe(true);
    expect(report.plan.items[0]).toMatchObject({ action: 'drift', isOurs: false });
    expect(changingCalls(current)).toEqual([]);
  });

  test('what ends nodes waits for --replace, and is shown', async () => {
    const account = await withCluster();
    current = await world({ account });
    const other = exampleFile((text) => text.replace('diskSize: 100', 'diskSize: 200'));
    const report = await applyCluster(other, current.options);
    expect(report.succeeded).toBe(true);
    expect(report.plan.items.find(({ action }) => action === 'replace')).toMatchObject({
      id: 'launch template vllm-research-llm-arm',
      differences: [
        { what: 'diskSize', found: '/dev/xvda 100 GiB gp3 encrypted', wanted: '/dev/xvda 200 GiB gp3 encrypted' },
      ],
    });
    expect(changingCalls(current)).toEqual([]);
    const instances = [...account.parts.keys()];
    expect(await applyCluster(other, { ...current.options, replace: true })).toMatchObject({ succeeded: true });
    expect([...account.parts.keys()].some((id) => instances.includes(id))).toBe(false);
    expect((await planCluster(other, current.options)).items.every(({ action }) => action === 'exists')).toBe(true);
  });

  test('another instance type makes the node group again', async () => {
    const account = await withCluster();
    current = await world({ account });
    const other = exampleFile((text) => text.replace('m7g.2xlarge', 'm7g.4xlarge'));
    expect(await applyCluster(other, { ...current.options, replace: true })).toMatchObject({ succeeded: true });
    expect(account.nodeGroups.get('llm-arm')!.instanceTypes).toEqual(['m7g.4xlarge']);
    expect(changingCalls(current).filter((name) => /Nodegroup$/.test(name))).toEqual([
      'eks.DeleteNodegroup',
      'eks.CreateNodegroup',
    ]);
  });

  test('an update that EKS gives up is named with its reason', async () => {
    const account = await withCluster();
    current = await world({
      account,
      onCall: (call, when) => {
        if (call.name === 'eks.UpdateNodegroupVersion' && when === 'after') {
          account.clusters
            .get('vllm-research')!
            .updates.forEach((update) => (update.fails = 'Reached max retries while evicting pods'));
        }
      },
    });
    const other = exampleFile((text) => text.replace('diskSize: 100', 'diskSize: 200'));
    const report = await applyCluster(other, { ...current.options, replace: true });
    expect(failures(report)).toContain('PodEvictionFailure: Reached max retries');
  });

  test('a dry run makes no call that changes anything', async () => {
    current = await world();
    const options = { ...current.options, dryRun: true };
    await applyCluster(file, options);
    await planCluster(file, options);
    await destroyCluster(file, { ...options, confirmed: true });
    await tagNodes(file, options);
    expect(changingCalls(current)).toEqual([]);
  });
});

describe.skipIf(!HAS_MODELS)('what is checked before the first change', () => {
  const cases: [string, (account: Account) => void, string, ((text: string) => string)?][] = [
    ['a version that EKS does not offer', (account) => account.versions.delete('1.36'), 'EKS does not offer 1.36'],
    [
      'a type that the zone does not have',
      (account) => account.offered.delete('us-east-1a'),
      'EC2 has no m7g.2xlarge in us-east-1a; take zone us-east-1b',
    ],
    [
      'a subnet that is not there',
      (account) => account.subnets.delete('subnet-0a1b2c3d4e5f60002'),
      "The subnet ID 'subnet-0a1b2c3d4e5f60002' does not exist",
    ],
    [
      'a subnet in another zone',
      (account) => (account.subnets.get('subnet-0a1b2c3d4e5f60002')!.zone = 'us-east-1c'),
      'is in us-east-1c, and the file has it in us-east-1b',
    ],
    [
      'a full subnet',
      (account) => (account.subnets.get('subnet-0a1b2c3d4e5f60002')!.free = 5),
      'has 5 free addresses; EKS needs 6',
    ],
    [
      'subnets of two VPCs',
      (account) => (account.subnets.get('subnet-0a1b2c3d4e5f60002')!.vpc = 'vpc-0fedcba9876543210'),
      'the subnets are in 2 VPCs',
    ],
    [
      'DNS that is off',
      (account) => (account.dns.enableDnsHostnames = false),
      'enableDnsHostnames of vpc-0123456789abcdef0 is off',
    ],
    ['a role that is not there', (account) => account.roles.delete('eks-node'), 'there is no role eks-node'],
    [
      'a role that pods may not have',
      (account) =>
        account.roles.set(
          'aws-load-balancer-controller',
          role('aws-load-balancer-controller', 'pods.eks.amazonaws.com', ['sts:AssumeRole'], []),
        ),
      'does not let pods.eks.amazonaws.com do sts:TagSession',
    ],
    [
      'an add-on that is not there',
      () => undefined,
      "there is no add-on 'metrics-servr'",
      (text) => text.replace('metrics-server', 'metrics-servr'),
    ],
  ];
  test.each(cases)('%s', async (_, spoil, message, edit) => {
    const account = new Account();
    spoil(account);
    current = await world({ account });
    const report = await applyCluster(exampleFile(edit), current.options);
    expect(report).toMatchObject({ succeeded: false, steps: [] });
    const errors = report.plan.checks.filter(({ level }) => level === 'error').map((check) => check.message);
    expect(errors.join('\n')).toContain(message);
    expect(changingCalls(current)).toEqual([]);
    expect(secretsIn(JSON.stringify(report))).toEqual([]);
  });

  test('what is warned about', async () => {
    const account = new Account();
    account.subnets.forEach((subnet) => (subnet.tags = {}));
    account.roles.get('eks-node')!.policies.pop();
    current = await world({ account });
    const odd = exampleFile((text) =>
      text
        .replace('ON_DEMAND', 'SPOT')
        .replace('zone: us-east-1a', 'zone: us-east-1a\n  moreZones: [us-east-1b]')
        .replace('owner: ml-platform', 'purpose: research')
        .replace("end-date: '2027-06-30'", "end-date: '2026-01-31'")
        .replace('public: false', 'public: true'),
    );
    const surroundings = { ...current.options.surroundings!, kubectl: () => Promise.resolve('v1.33.1') };
    const { checks, canApply } = await planCluster(odd, { ...current.options, surroundings });
    expect(canApply).toBe(true);
    const warnings = checks
      .filter(({ level }) => level === 'warning')
      .map(({ about, message }) => `${about}: ${message}`);
    expect(warnings).toEqual([
      expect.stringContaining('subnets: 0 of the subnets have the tag kubernetes.io/role/internal-elb=1'),
      expect.stringContaining('role of the nodes: eks-node does not have AmazonEKS_CNI_Policy'),
      expect.stringContaining('restarts its whole LeaderWorkerSet group'),
      expect.stringContaining('on the way of every token'),
      expect.stringContaining('no tag names an owner'),
      expect.stringContaining('end-date is 2026-01-31, which is over'),
      expect.stringContaining('answers the whole Internet'),
      'kubectl: v1.33.1 is 3 minor versions from 1.36; one is supported: take kubectl 1.36',
    ]);
  });

  test('what a check is refused with hides nothing that the others find', async () => {
    const account = new Account();
    account.roles.delete('eks-node');
    current = await world({
      account,
      fault: ({ name }) => (name === 'eks.DescribeAddonVersions' ? 'expired' : undefined),
    });
    await expect(planCluster(file, current.options)).rejects.toThrow('sign in again');
    await current.peer.close();
    current = await world({
      account,
      fault: ({ name }) => (name === 'eks.DescribeAddonVersions' ? 'foreign page' : undefined),
    });
    const { checks, canApply } = await planCluster(file, current.options);
    expect(canApply).toBe(false);
    expect(checks.filter(({ level }) => level === 'error')).toEqual([
      { level: 'error', about: 'role of the nodes', message: 'there is no role eks-node' },
      {
        level: 'error',
        about: 'add-ons',
        message:
          'eks:DescribeAddonVersions failed. The answer was not one of AWS (HTTP 404); is there a proxy in between?',
      },
    ]);
  });

  test('who asks, and where', async () => {
    current = await world();
    const { checks } = await planCluster(file, current.options);
    expect(checks[0]).toEqual({ level: 'ok', about: 'credentials', message: 'signed in as role ops, in us-east-1' });
  });

  test.each([
    [3600, '60 minutes behind'],
    [-1800, '30 minutes ahead of'],
  ])('a clock that is wrong: AWS is %d s ahead', async (ahead, words) => {
    current = await world({ ahead });
    const report = await applyCluster(file, current.options);
    expect(report.succeeded).toBe(true);
    // Each service refuses the first signature, and takes the next one.
    expect([...current.peer.refused].sort().filter((name, i, all) => all.indexOf(name) === i)).toEqual([
      'ec2',
      'eks',
      'iam',
      'sts',
    ]);
    const warnings = report.plan.checks.filter(({ level }) => level === 'warning');
    expect(warnings).toEqual([expect.objectContaining({ about: 'clock' })]);
    expect(warnings[0]!.message).toContain(words);
  });

  test('the end of support is near', async () => {
    const account = new Account();
    account.versions.get('1.36')!.end = new Date('2027-01-10');
    current = await world({ account });
    const { checks } = await planCluster(file, current.options);
    expect(checks.find(({ about }) => about === 'Kubernetes version')!.message).toContain('ends on 2027-01-10');
  });
});

describe.skipIf(!HAS_MODELS)('tag and destroy', () => {
  test('a replaced node gets its tags, on every part of it', async () => {
    const account = await withCluster();
    const state = account.summary();
    endNodes(account, 'llm-arm', 1);
    startNode(account, 'vllm-research', account.nodeGroups.get('llm-arm')!);
    current = await world({ account });
    const { items } = await planCluster(file, current.options);
    expect(items.find(({ id }) => id === 'tags of the nodes')).toMatchObject({
      action: 'change',
      differences: [{ found: '2 of 8 lack some: 2 network interfaces' }],
    });
    expect(await tagNodes(file, current.options)).toMatchObject({ succeeded: true });
    expect(changingCalls(current)).toEqual(['ec2.CreateTags']);
    expect(account.summary()).toEqual(state);
  });

  test('there is nothing to tag', async () => {
    current = await world();
    expect(await tagNodes(file, current.options)).toMatchObject({
      succeeded: false,
      steps: [{ message: 'there is no node group llm-arm in cluster vllm-research' }],
    });
  });

  test('destroy names what is in the way, and deletes nothing', async () => {
    const account = await withCluster();
    account.clusters.get('vllm-research')!.deletionProtection = true;
    account.nodeGroups.set('by-hand', {
      ...account.nodeGroups.get('llm-arm')!,
      name: 'by-hand',
      tags: { 'made-by': 'hand' },
    });
    account.balancers.push({
      group: 'sg-00000000000000cc0',
      cluster: 'vllm-research',
      interfaces: ['ELB app/k8s-vllm-gemma/1234'],
    });
    current = await world({ account });
    const { blockers, deleted } = await destroyCluster(file, { ...current.options, confirmed: true });
    expect(deleted).toEqual([]);
    expect(blockers).toEqual([
      expect.stringContaining('app/k8s-vllm-gemma/1234'),
      expect.stringContaining('node group by-hand'),
      expect.stringContaining('deletionProtection'),
    ]);
    expect(changingCalls(current)).toEqual([]);
  });

  test('destroy asks to be confirmed, and leaves alone what is not ours', async () => {
    const account = await withCluster();
    const [association] = account.associations.values();
    association!.tags = { 'made-by': 'hand' };
    current = await world({ account });
    const asked = await destroyCluster(file, current.options);
    expect(asked).toMatchObject({ deleted: [], others: ['pod identity kube-system/aws-load-balancer-controller'] });
    expect(changingCalls(current)).toEqual([]);
    const done = await destroyCluster(file, { ...current.options, confirmed: true });
    expect(done.deleted).toEqual([
      'add-on metrics-server',
      'add-on eks-pod-identity-agent',
      'node group llm-arm',
      'access entry ml-engineers',
      'launch template vllm-research-llm-arm',
      'cluster vllm-research',
    ]);
    expect(changingCalls(current)).not.toContain('eks.DeletePodIdentityAssociation');
  });

  test('tag leaves the nodes of others as they are, and says so', async () => {
    const account = await withCluster();
    account.nodeGroups.get('llm-arm')!.tags = { 'made-by': 'hand' };
    endNodes(account, 'llm-arm', 1);
    startNode(account, 'vllm-research', account.nodeGroups.get('llm-arm')!);
    current = await world({ account });
    const report = await tagNodes(file, current.options);
    expect(report.succeeded).toBe(false);
    expect(failures(report)).toBe(
      'node group llm-arm was not made by this program: it has no tag cdk8s-vllm/cluster, so its nodes stay as they are',
    );
    expect(changingCalls(current)).toEqual([]);
    const { checks } = await verifyCluster(file, current.options);
    expect(checks.find(({ about }) => about === 'tags of the nodes')!.message).toContain(
      'the node group is not ours: aws ec2 create-tags gives them',
    );
  });

  test('destroy names the logs that CloudWatch keeps', async () => {
    const account = await withCluster();
    current = await world({ account });
    const logged = exampleFile((text) => text.replace('region: us-east-1', 'region: us-east-1\nlogging: [audit]'));
    const { left } = await destroyCluster(logged, { ...current.options, confirmed: true });
    expect(left).toEqual([
      'logs of the control plane: aws logs delete-log-group --log-group-name /aws/eks/vllm-research/cluster --region us-east-1',
    ]);
  });

  test('destroy leaves a cluster of others, and takes its own things out of it', async () => {
    const account = await withCluster();
    account.clusters.get('vllm-research')!.tags = { 'made-by': 'hand' };
    current = await world({ account });
    const done = await destroyCluster(file, { ...current.options, confirmed: true });
    expect(done.failed).toEqual([]);
    expect(done.others).toEqual(['cluster vllm-research']);
    expect(account.clusters.size).toBe(1);
    expect(account.nodeGroups.size).toBe(0);
  });
});
