import { LWS_LEADER_ADDRESS, LWS_NAME_LABEL } from '../../engine/lws';
import { dig, type KubernetesObject } from '../../manifest';
import { type Breakage, breakageOf, type RankState } from '../breakage';
import { isFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';
import { warningsOf } from './events';
import { liveGroups } from './find';
import type { LiveGroup, LivePod } from './live';
import type { RankLogs } from './logs';
import { statusOf } from './pod-state';

/** The pods of a group as they are now, those that are gone included. */
export interface Later {
  readonly now: readonly LivePod[];
  /** What became of each pod since then, a line each. */
  readonly changes: readonly string[];
}

/** What became of the pods of a group since it was looked at. */
export async function laterOf(kubectl: Kubectl, before: LiveGroup): Promise<Later> {
  const now = (await liveGroups(kubectl)).flatMap(({ pods }) => pods);
  const changes = before.pods.flatMap((pod) => {
    const found = now.find(({ uid }) => uid === pod.uid);
    return found === undefined
      ? [`${pod.name} is gone${now.some(({ name }) => name === pod.name) ? ', a new pod has its name' : ''}`]
      : found.restarts > pod.restarts
        ? [`${pod.name} was restarted`]
        : [];
  });
  return { now, changes };
}

/** What broke in a group, told from the rank where it began. */
export async function brokenGroup(
  kubectl: Kubectl,
  group: LiveGroup,
  logs: RankLogs,
  scene: { readonly happened: string; readonly release?: string },
): Promise<Breakage> {
  const { now } = await laterOf(kubectl, group);
  const events = await warningsOf(kubectl);
  const states = group.pods.map((pod): RankState => {
    const found = now.find(({ uid }) => uid === pod.uid);
    const end = endOf(found ?? pod);
    return {
      rank: pod.rank,
      podName: pod.name,
      log: logs.log(pod.rank),
      cluster: [
        ...((found ?? pod).why === '' ? [] : [(found ?? pod).why]),
        ...events
          .filter(({ kind, name }) => kind === 'Pod' && name === pod.name)
          .map(({ reason, message }) => `${reason}: ${message}`),
      ],
      ...(found === undefined && { fate: 'its pod is gone' }),
      ...(found?.why && { fate: found.why }),
      ...(end && { exit: end }),
    };
  });
  const breakage = breakageOf(group.pods, states, {
    ...scene,
    otherwise:
      'Read the logs of all ranks (kubectl logs, with --previous after a restart); `cdk8s-vllm check` looks at the manifest.',
  });
  return { ...breakage, ...(await takenName(kubectl, group)) };
}

/** How the container of a pod ended, now or before its last restart. */
function endOf({ object, container }: LivePod): RankState['exit'] {
  const status = statusOf(object).containerStatuses?.find(({ name }) => name === container);
  const end = status?.state?.terminated ?? status?.lastState?.terminated;
  return end && { code: end.exitCode ?? null, signal: end.signal ? `signal ${end.signal}` : null };
}

/** A Service that has the name by which the ranks look for their leader: LWS then leaves its own out, without a word. */
async function takenName(
  kubectl: Kubectl,
  group: LiveGroup,
): Promise<Pick<Breakage, 'cause' | 'remedy' | 'symptom'> | undefined> {
  if (group.kind !== 'LeaderWorkerSet' || group.size === 1) {
    return undefined;
  }
  const address = group.pods[0]?.pod.engine?.variable(LWS_LEADER_ADDRESS)?.text?.value;
  const name = address?.split('.')[1] ?? group.name;
  let service: KubernetesObject | undefined;
  try {
    service = await kubectl.find<KubernetesObject>(kubectl.path(`services/${encodeURIComponent(name)}`));
  } catch (error) {
    if (isFailure(error, 'forbidden')) {
      return undefined;
    }
    throw error;
  }
  const isOfLws = dig(service, 'spec', 'clusterIP') === 'None' && dig(service, 'spec', 'selector', LWS_NAME_LABEL);
  return service === undefined || isOfLws
    ? undefined
    : {
        symptom: 'leader-name-unknown',
        cause:
          `Service ${name} has the name of the LeaderWorkerSet, so LWS did not make its headless one: ` +
          `${address ?? 'the name of the leader'} leads nowhere.`,
        remedy: `Give that Service another name, delete the old one, and apply both again (rule lws/service-name-collision).`,
      };
}
