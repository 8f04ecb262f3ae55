import { redact } from './aws/redact';
import { OWNER_TAG } from './desired';
import type { ClusterFile } from './file/types';
import { type Check, type PlannedItem, planned } from './plan';
import { preflight } from './preflight/checks';
import { resourcesOf } from './resources/all';
import { nodeGroupId, nodeGroupResource } from './resources/node-group';
import { NODE_TAGS } from './resources/node-tags';
import { openSession, type Session, type SessionOptions } from './session';
import { runSteps, type StepResult } from './steps';

/** What `plan` says. */
export interface BootstrapPlan {
  readonly cluster: string;
  readonly region: string;
  readonly items: readonly PlannedItem[];
  readonly checks: readonly Check[];
  /** Whether `apply` would begin: no check found an error. */
  readonly canApply: boolean;
}

/** What `apply` did. */
export interface ApplyReport {
  readonly plan: BootstrapPlan;
  /** Empty when a check kept it from beginning, and in a dry run. */
  readonly steps: readonly StepResult[];
  /** Whether everything that the file asks for is there. */
  readonly succeeded: boolean;
  /** VPC of the cluster, for what comes next. */
  readonly vpcId?: string;
}

/**
 * Says what exists, and what would be created, changed or replaced. Changes nothing.
 * @example
 *   const { items, canApply } = await planCluster(readClusterFile(text));
 */
export async function planCluster(file: ClusterFile, options: SessionOptions = {}): Promise<BootstrapPlan> {
  return planIn(await openSession(file, { ...options, dryRun: true }));
}

async function planIn(session: Session): Promise<BootstrapPlan> {
  const { run } = session;
  const items = await planned(resourcesOf(run), run);
  const checks = await preflight(session);
  const canApply = checks.every(({ level }) => level !== 'error');
  // Names and messages may hold what must not be shown.
  return JSON.parse(
    redact(JSON.stringify({ cluster: run.file.name, region: run.file.region, items, checks, canApply })),
  ) as BootstrapPlan;
}

/**
 * Makes the cluster, or what of it is missing, and waits until it can be used. May be interrupted anywhere and run again.
 * @param onPlan takes the plan before anything is changed
 */
export async function applyCluster(
  file: ClusterFile,
  options: SessionOptions = {},
  onPlan: (plan: BootstrapPlan) => void = () => {},
): Promise<ApplyReport> {
  const session = await openSession(file, options);
  const plan = await planIn(session);
  onPlan(plan);
  if (!plan.canApply || options.dryRun) {
    return { plan, steps: [], succeeded: plan.canApply };
  }
  const steps = await runSteps(resourcesOf(session.run), session.run);
  return {
    plan,
    steps,
    succeeded: steps.every(({ ended }) => ended === 'done'),
    vpcId: session.run.known.cluster?.resourcesVpcConfig?.vpcId,
  };
}

/** Gives the nodes that are live the tags of the file: for those that Auto Scaling has replaced. */
export async function tagNodes(file: ClusterFile, options: SessionOptions = {}): Promise<ApplyReport> {
  const { run } = await openSession(file, options);
  const wanted = resourcesOf(run).filter(({ id }) => id === NODE_TAGS);
  const group = await nodeGroupResource(run).observe();
  if (group === undefined) {
    return {
      plan: planOf(file, []),
      steps: [{ id: NODE_TAGS, ended: 'failed', message: `there is no ${nodeGroupId(file)} in cluster ${file.name}` }],
      succeeded: false,
    };
  }
  if (group.tags?.[OWNER_TAG] !== file.name) {
    const message = `${nodeGroupId(file)} was not made by this program: it has no tag ${OWNER_TAG}, so its nodes stay as they are`;
    return { plan: planOf(file, []), steps: [{ id: NODE_TAGS, ended: 'failed', message }], succeeded: false };
  }
  run.known.nodeGroup = group;
  const plan = planOf(file, await planned(wanted, run));
  const steps = options.dryRun ? [] : await runSteps(wanted, run);
  return { plan, steps, succeeded: steps.every(({ ended }) => ended === 'done') };
}

function planOf({ name, region }: ClusterFile, items: readonly PlannedItem[]): BootstrapPlan {
  return { cluster: name, region, items, checks: [], canApply: true };
}
