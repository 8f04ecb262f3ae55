import { NEWEST_RELEASE } from '../../engine/releases';
import type { Breakage } from '../breakage';
import { brokenGroup, laterOf } from '../group/broken';
import { findGroup } from '../group/find';
import { type ApiKey, type KeyGiven, keyGiven, keyOf, without } from '../group/key';
import { isWhole, leaderOf, type LiveGroup, portOf, servedModelOf } from '../group/live';
import { FollowedLogs, type RankLogs, readLogs } from '../group/logs';
import { ClusterFailure, isFailure } from '../kubectl/failure';
import { brokeOff, portForward } from '../kubectl/forward';
import type { Kubectl } from '../kubectl/kubectl';
import { pause } from '../pause';
import { type Answer, ask, type Ask } from '../server/http';
import { judgedAs, versionOf } from '../server/release';
import { askAll, servedNames } from './ask';
import { noAnswer, noModel } from './unasked';
import { judgeSmoke } from './judge';
import type { SmokeCheck, SmokeGroup, SmokeReport } from './report';

/** What is asked, and how. */
export interface SmokeWanted {
  /** Ask this address, in place of the leader's pod. */
  readonly url?: string;
  /** Nothing where a server is asked whose cluster is not reached. */
  readonly kubectl?: Kubectl;
  readonly group?: string;
  /** Name that the model is served under; else what the leader's arguments say, or the only one that is served. */
  readonly model?: string;
  readonly key: KeyGiven;
  readonly outputTokens: number;
  /** For each completion. */
  readonly seconds: number;
  /** So long a group may take to be ready. */
  readonly waitSeconds: number;
  readonly say: (step: string) => void;
}

/** Sends one real request to a server and says what held. */
export async function smoke(wanted: SmokeWanted): Promise<SmokeReport> {
  const { kubectl, url } = wanted;
  if (kubectl === undefined) {
    const report = await askServer(wanted, { base: url!, key: keyGiven(wanted.key) });
    return without(report.report, keyGiven(wanted.key));
  }
  const group = await readyGroup(kubectl, wanted);
  const leader = leaderOf(group);
  if (!isWhole(group) || leader === undefined) {
    return notReady(kubectl, group);
  }
  const key = await keyOf(kubectl, leader, wanted.key);
  const logs = await FollowedLogs.open(kubectl, group);
  try {
    const forward = url === undefined ? await portForward(kubectl, leader.name, portOf(group)) : undefined;
    try {
      const base = url ?? `http://${forward!.host}:${forward!.port}`;
      const { report, release } = await askServer(wanted, { base, key, group, kubectl });
      const said = report.checks.find(
        ({ id, held }) => held === 'no' && ['chat', 'stream', 'alive'].includes(id),
      )?.said;
      const breakage =
        said === undefined ? undefined : await whatBroke(kubectl, group, logs, `is still there, but ${said}`, release);
      if (breakage && breakage.symptom === undefined && (await forward?.hasEnded())) {
        // It ends when the server does; where the pods are as before, nothing is known of the server.
        const { changes } = await laterOf(kubectl, group);
        if (changes.length === 0) {
          throw brokeOff(leader.name);
        }
      }
      return without({ ...report, ...(breakage && { breakage }), unread: logs.unread }, key);
    } finally {
      await forward?.close();
    }
  } finally {
    await logs.close();
  }
}

interface Server {
  readonly base: string;
  readonly key: ApiKey | undefined;
  readonly group?: LiveGroup;
  readonly kubectl?: Kubectl;
}

/** Everything that is asked of the server itself. */
async function askServer(
  wanted: SmokeWanted,
  { base, key, group, kubectl }: Server,
): Promise<{ report: SmokeReport; release: string | undefined }> {
  const asks = (what: Ask): Promise<Answer> => ask({ base }, what);
  const leader = group && leaderOf(group);
  const version = await versionOf(asks);
  const release = judgedAs(version) ?? judgedAs(leader?.engine?.image?.version);
  const models = await servedNames(asks, key?.value);
  if (models.status === 0) {
    throw new ClusterFailure('unreachable', noAnswer(wanted.url ?? 'the leader', models.text));
  }
  if (models.status === 401 && key === undefined) {
    throw new ClusterFailure(
      'credentials',
      'the server asks for an API key, and none is known: give it by VLLM_API_KEY, --api-key or --api-key-secret NAME/KEY',
    );
  }
  const model = wanted.model ?? (group && servedModelOf(group));
  // A server that refuses the key tells no names, and is asked for nothing more.
  const name = model ?? models.names[0] ?? (models.status === 401 ? '' : undefined);
  if (name === undefined) {
    throw new ClusterFailure('other', noModel(wanted.url ?? 'the leader', models));
  }
  const questions = {
    model: name,
    key: key?.value,
    release: release ?? NEWEST_RELEASE,
    outputTokens: wanted.outputTokens,
  };
  const changes = async (): Promise<readonly string[]> =>
    group && kubectl ? (await laterOf(kubectl, group)).changes : [];
  const seen = await askAll(asks, questions, { models, seconds: wanted.seconds }, changes, wanted.say);
  const checks: SmokeCheck[] = [
    ...(group ? [podsCheck(group)] : []),
    ...judgeSmoke(seen, { model: name, outputTokens: wanted.outputTokens, hasKey: key !== undefined }),
  ];
  return {
    release,
    report: {
      ...(wanted.url !== undefined && { url: wanted.url }),
      ...(group && { group: groupReport(group) }),
      ...(version !== undefined && { version }),
      ...(name !== '' && { model: name }),
      ...(key && { keyFrom: key.from }),
      checks,
      unread: [],
      held: checks.every(({ held }) => held !== 'no'),
    },
  };
}

/** Waits for the last words: the rank that failed writes its traceback a moment after the answer. */
async function whatBroke(
  kubectl: Kubectl,
  group: LiveGroup,
  logs: RankLogs,
  happened: string,
  release: string | undefined,
): Promise<Breakage> {
  const scene = { happened, ...(release !== undefined && { release }) };
  let breakage = await brokenGroup(kubectl, group, logs, scene);
  for (let tries = 0; tries < 5 && breakage.symptom === undefined; tries++) {
    await pause(1);
    breakage = await brokenGroup(kubectl, group, logs, scene);
  }
  return breakage;
}

async function readyGroup(kubectl: Kubectl, { group: name, waitSeconds, say }: SmokeWanted): Promise<LiveGroup> {
  const end = performance.now() + waitSeconds * 1000;
  for (;;) {
    const isLast = performance.now() >= end;
    try {
      const group = await findGroup(kubectl, name);
      if (isWhole(group) || isLast) {
        return group;
      }
      say(`waits for the group: ${notWhole(group)}`);
    } catch (error) {
      if (isLast || !isFailure(error, 'no-group', 'no-namespace')) {
        throw error;
      }
      say('waits for the group');
    }
    await pause(2);
  }
}

async function notReady(kubectl: Kubectl, group: LiveGroup): Promise<SmokeReport> {
  const logs = await readLogs(kubectl, group);
  const release = judgedAs(leaderOf(group)?.engine?.image?.version);
  return {
    group: groupReport(group),
    checks: [podsCheck(group)],
    breakage: await brokenGroup(kubectl, group, logs, {
      happened: 'is not ready',
      ...(release !== undefined && { release }),
    }),
    unread: logs.unread,
    held: false,
  };
}

function podsCheck(group: LiveGroup): SmokeCheck {
  const said = isWhole(group)
    ? `${group.size === 1 ? 'its pod is' : `all ${group.size} pods are`} ready` +
      (group.size > 1 ? ` on ${new Set(group.pods.map(({ node }) => node)).size} nodes` : '')
    : notWhole(group);
  return { id: 'pods', held: isWhole(group) ? 'yes' : 'no', said };
}

function notWhole({ pods, missing }: LiveGroup): string {
  return [
    ...pods.filter(({ isReady }) => !isReady).map(({ name, why }) => `${name} ${why}`),
    ...missing.map((rank) => `rank ${rank} has no pod`),
  ].join('; ');
}

function groupReport({ kind, name, namespace, size, pods }: LiveGroup): SmokeGroup {
  return {
    kind,
    name,
    namespace,
    size,
    pods: pods.map(({ rank, role, name: pod, node, isReady, restarts, why }) => ({
      rank,
      role,
      name: pod,
      ...(node !== undefined && { node }),
      isReady,
      restarts,
      ...(why !== '' && { why }),
    })),
  };
}
