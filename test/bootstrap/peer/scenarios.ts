import {
  applyCluster,
  CallError,
  destroyCluster,
  type SessionOptions,
  StepError,
  tagNodes,
} from '../../../src/bootstrap';
import { endNodes, startNode } from './cloud/nodes';
import { Account } from './cloud/state';
import { exampleFile, exampleText, world, type World } from './world';

/** Something that a person runs, and the account that it begins with. */
export interface Scenario {
  readonly name: string;
  /** The account that the scenario begins with; another one each time. */
  readonly before: () => Promise<Account>;
  /** The run itself; whether it came to its end. */
  readonly run: (options: SessionOptions) => Promise<{ succeeded: boolean; report: unknown }>;
}

const file = exampleFile();
/** The same cluster with much of it changed, what only `--replace` does among it. */
export const changedText = exampleText()
  .replace('diskSize: 100', 'diskSize: 150\n  labels: { role: llm }')
  .replace('nodes: 2', 'nodes: 3')
  .replace('owner: ml-platform', 'owner: research\n  cost-center: "42"')
  .replace('name: metrics-server', 'name: metrics-server\n    version: v0.8.1-eksbuild.1')
  .replace(
    'roleArn: arn:aws:iam::111122223333:role/eks-cluster',
    '$&\nlogging: [api, audit]\ndeletionProtection: true',
  );
const changed = exampleFile(() => changedText);

let made: Account | undefined;

/** An account with the reference cluster in it. */
export async function withCluster(): Promise<Account> {
  return (made ??= await make()).copy();
}

async function make(): Promise<Account> {
  const calm = await world();
  try {
    const { succeeded } = await applyCluster(file, calm.options);
    if (!succeeded) {
      throw new Error('the scenario has no beginning');
    }
    return calm.account;
  } finally {
    await calm.peer.close();
  }
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'apply to an empty account',
    before: () => Promise.resolve(new Account()),
    run: async (options) => {
      const report = await applyCluster(file, options);
      return { succeeded: report.succeeded, report };
    },
  },
  {
    name: 'apply --replace of a changed file',
    before: withCluster,
    run: async (options) => {
      const report = await applyCluster(changed, { ...options, replace: true });
      return { succeeded: report.succeeded, report };
    },
  },
  {
    name: 'tag after a node was replaced',
    before: async () => {
      const account = await withCluster();
      endNodes(account, 'llm-arm', 1);
      startNode(account, 'vllm-research', account.nodeGroups.get('llm-arm')!);
      return account;
    },
    run: async (options) => {
      const report = await tagNodes(file, options);
      return { succeeded: report.succeeded, report };
    },
  },
  {
    name: 'destroy',
    before: withCluster,
    run: async (options) => {
      const report = await destroyCluster(file, { ...options, confirmed: true });
      return { succeeded: report.failed.length === 0 && report.blockers.length === 0, report };
    },
  },
];

/** One run; what it said, and whether it came to its end. */
export async function attempt(
  { run }: Scenario,
  { options, lines }: World,
): Promise<{ succeeded: boolean; said: string }> {
  try {
    const { succeeded, report } = await run(options);
    return { succeeded, said: JSON.stringify(report) };
  } catch (error) {
    // Anything else is a fault of the program, and no way to end.
    if (!(error instanceof CallError || error instanceof StepError)) {
      throw error;
    }
    lines.push(error.message);
    return { succeeded: false, said: error.message };
  }
}
