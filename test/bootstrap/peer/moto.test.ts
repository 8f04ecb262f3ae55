import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import {
  CreateSubnetCommand,
  CreateVpcCommand,
  DescribeImagesCommand,
  DescribeNetworkInterfacesCommand,
  EC2Client,
  ModifyVpcAttributeCommand,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { AttachRolePolicyCommand, CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { destroyCluster } from '../../../src/bootstrap';
import type { ClusterFile } from '../../../src/bootstrap/file/types';
import { readClusterFile } from '../../../src/bootstrap/file/cluster-file';
import { instanceTypeChecks } from '../../../src/bootstrap/preflight/instance-type';
import { roleChecks } from '../../../src/bootstrap/preflight/roles';
import { subnetChecks } from '../../../src/bootstrap/preflight/subnets';
import { planned } from '../../../src/bootstrap/plan';
import { resourcesOf } from '../../../src/bootstrap/resources/all';
import { openSession, type SessionOptions } from '../../../src/bootstrap/session';
import { runSteps } from '../../../src/bootstrap/steps';
import { secretsIn } from './secrets';
import { CREDENTIALS, exampleText, jumpingClock } from './world';

const MOTO = inject('moto');
if (MOTO === '' && process.env.CI === 'true') {
  throw new Error('moto is not installed');
}
if (MOTO === '') {
  console.warn('SKIPPED: moto is not installed, and could not be');
}

let server: ChildProcess;
let options: SessionOptions;
let ec2: EC2Client;
let file: ClusterFile;
const lines: string[] = [];

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/** moto, with a VPC and the roles that the file of the example names. */
beforeAll(async () => {
  if (MOTO === '') {
    return;
  }
  const port = await freePort();
  server = spawn(MOTO, ['-H', '127.0.0.1', '-p', String(port)], {
    stdio: 'ignore',
    env: { ...process.env, MOTO_IAM_LOAD_MANAGED_POLICIES: 'true' },
  });
  const endpoint = `http://127.0.0.1:${port}`;
  for (
    let i = 0;
    !(await fetch(endpoint).then(
      () => true,
      () => false,
    ));
    i++
  ) {
    if (i === 600) {
      throw new Error('moto does not answer');
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const config = { region: 'us-east-1', endpoint, credentials: CREDENTIALS };
  ec2 = new EC2Client(config);
  const iam = new IAMClient(config);
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  await ec2.send(new ModifyVpcAttributeCommand({ VpcId: Vpc!.VpcId, EnableDnsHostnames: { Value: true } }));
  const subnets = await Promise.all(
    ['a', 'b'].map(async (zone, i) => {
      const { Subnet } = await ec2.send(
        new CreateSubnetCommand({
          VpcId: Vpc!.VpcId,
          CidrBlock: `10.0.${i}.0/24`,
          AvailabilityZone: `us-east-1${zone}`,
        }),
      );
      return Subnet!.SubnetId!;
    }),
  );
  for (const [RoleName, Service, policies] of [
    ['eks-cluster', 'eks.amazonaws.com', ['AmazonEKSClusterPolicy']],
    [
      'eks-node',
      'ec2.amazonaws.com',
      ['AmazonEKSWorkerNodePolicy', 'AmazonEC2ContainerRegistryPullOnly', 'AmazonEKS_CNI_Policy'],
    ],
  ] as const) {
    const Statement = [{ Effect: 'Allow', Principal: { Service }, Action: 'sts:AssumeRole' }];
    await iam.send(
      new CreateRoleCommand({
        RoleName,
        AssumeRolePolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement }),
      }),
    );
    for (const policy of policies) {
      await iam.send(new AttachRolePolicyCommand({ RoleName, PolicyArn: `arn:aws:iam::aws:policy/${policy}` }));
    }
  }
  // moto has its own account, and no add-ons, associations and access entries.
  const text = exampleText()
    .replaceAll('111122223333', '123456789012')
    .replace('subnet-0a1b2c3d4e5f60001', subnets[0]!)
    .replace('subnet-0a1b2c3d4e5f60002', subnets[1]!);
  file = { ...readClusterFile(text), addOns: [], podIdentities: [], accessEntries: [] };
  options = {
    clock: jumpingClock(),
    print: (line) => void lines.push(line),
    connection: { endpoint, credentials: CREDENTIALS },
  };
});
afterAll(() => {
  server?.kill();
});

describe.skipIf(MOTO === '')('moto, which others wrote', () => {
  test('what is looked at first finds nothing amiss', async () => {
    const { run } = await openSession(file, { ...options, dryRun: true });
    const checks = [...(await subnetChecks(run)), ...(await roleChecks(run)), ...(await instanceTypeChecks(run))];
    expect(checks.filter(({ level }) => level !== 'ok')).toEqual([
      expect.objectContaining({
        level: 'warning',
        message: expect.stringContaining('kubernetes.io/role/internal-elb=1') as string,
      }),
    ]);
  });

  test('cluster, template and node group are made, and made once', async () => {
    const { run } = await openSession(file, options);
    expect((await planned(resourcesOf(run), run)).map(({ action }) => action)).toEqual([
      'create',
      'create',
      'create',
      'create',
    ]);
    const steps = await runSteps(resourcesOf(run), run);
    expect(steps.map((step) => [step.id, step.ended === 'done' ? step.outcome.did : JSON.stringify(step)])).toEqual([
      ['cluster vllm-research', 'created'],
      ['launch template vllm-research-llm-arm', 'created'],
      ['node group llm-arm', 'created'],
      ['tags of the nodes', 'nothing'],
    ]);
    const again = await runSteps(resourcesOf(run), run);
    expect(again.map((step) => step.ended === 'done' && step.outcome.did)).toEqual([
      'nothing',
      'nothing',
      'nothing',
      'nothing',
    ]);
    // What moto forgets of the cluster shows as a difference, and nothing else does.
    const drift = again.flatMap((step) => (step.ended === 'done' ? step.outcome.drift.map(({ what }) => what) : []));
    expect(drift).toEqual(['authenticationMode']);
    expect(secretsIn(lines.join('\n'))).toEqual([]);
  });

  test('live instances, volumes and network interfaces get the tags', async () => {
    const { Images } = await ec2.send(
      new DescribeImagesCommand({ Filters: [{ Name: 'architecture', Values: ['arm64', 'x86_64'] }] }),
    );
    const Tags = [
      { Key: 'eks:cluster-name', Value: file.name },
      { Key: 'eks:nodegroup-name', Value: file.nodeGroup.name },
    ];
    await ec2.send(
      new RunInstancesCommand({
        ImageId: Images![0]!.ImageId,
        MinCount: 2,
        MaxCount: 2,
        SubnetId: file.network.subnets['us-east-1a'],
        TagSpecifications: [{ ResourceType: 'instance', Tags }],
      }),
    );
    const { run } = await openSession(file, options);
    const steps = await runSteps(resourcesOf(run), run);
    expect(steps.at(-1)).toMatchObject({ outcome: { did: 'changed', drift: [] } });
    const { NetworkInterfaces } = await ec2.send(
      new DescribeNetworkInterfacesCommand({ Filters: [{ Name: 'tag:owner', Values: ['ml-platform'] }] }),
    );
    expect(NetworkInterfaces).toHaveLength(2);
  });

  test('destroy takes it away', async () => {
    const report = await destroyCluster(file, { ...options, confirmed: true });
    expect(report).toMatchObject({
      blockers: [],
      failed: [],
      deleted: ['node group llm-arm', 'launch template vllm-research-llm-arm', 'cluster vllm-research'],
    });
    const { run } = await openSession(file, { ...options, dryRun: true });
    expect((await planned(resourcesOf(run), run)).every(({ action }) => action === 'create')).toBe(true);
  });
});
