import { findGroup, nameOf } from '../group/find';
import { type KeyGiven, keyOf, without } from '../group/key';
import { isWhole, leaderOf, type LiveGroup } from '../group/live';
import { ClusterFailure, isFailure } from '../kubectl/failure';
import { pause } from '../pause';
import { type Asking, askingOf } from './asking';
import { MAKERS } from './faults';
import { boundOf, offersOf } from './offers';
import { StillBroken } from './repair';
import type { ClusterDrillReport, DrillFault, DrillFaultReport, DrillNotOffered } from './report';
import { type Tools, trial } from './trial';

/** What is drilled, and how. */
export interface DrillWanted extends Tools {
  readonly group?: string;
  /** Empty for all that can be made. */
  readonly faults: readonly DrillFault[];
  /** Whether anything is done; else what would be is told. */
  readonly isMeant: boolean;
  readonly model?: string;
  readonly key: KeyGiven;
}

/** Breaks a group that serves, fault by fault, and says how it came back. */
export async function drill(wanted: DrillWanted): Promise<ClusterDrillReport> {
  const { kubectl, isMeant, model } = wanted;
  const group = await wholeGroup(wanted);
  const { offered, notOffered } = await offersOf(kubectl, group, wanted.shell);
  const refused = notOffered.find(({ fault }) => wanted.faults.includes(fault));
  if (refused !== undefined && isMeant) {
    throw new ClusterFailure('other', `${refused.fault} cannot be made here: ${refused.why}`);
  }
  const chosen = wanted.faults.length === 0 ? offered : wanted.faults.filter((fault) => offered.includes(fault));
  const planned = chosen.map((fault) => {
    const bound = boundOf(fault, group);
    return { fault, does: MAKERS[fault].does, ...(bound && { bound }) };
  });
  const { kind, name, namespace, size, pods } = group;
  const about = {
    group: { kind, name, namespace, size, nodes: pods.map(({ node }) => node ?? '') },
    isDryRun: !isMeant,
    planned,
    notOffered: notOffered.filter(({ fault }) => wanted.faults.length === 0 || wanted.faults.includes(fault)),
  };
  if (!isMeant) {
    return { ...about, faults: [], notMade: [], held: true };
  }
  if (chosen.length === 0) {
    throw new ClusterFailure(
      'other',
      `no fault can be made here: ${notOffered.map(({ fault, why }) => `${fault}: ${why}`).join('; ')}`,
    );
  }
  const key = await keyOf(kubectl, leaderOf(group)!, wanted.key);
  try {
    const asking = await askingOf(kubectl, group, { model, key: key?.value });
    const { faults, notMade } = await eachOf(chosen, wanted, group, asking);
    return without(
      {
        ...about,
        ...(asking.version !== undefined && { vllm: asking.version }),
        faults,
        notMade,
        held: notMade.length === 0 && faults.every(({ held }) => held === 'yes'),
      },
      key,
    );
  } catch (error) {
    // What a server answers may repeat the key.
    throw error instanceof ClusterFailure
      ? new ClusterFailure(error.kind, without(error.message, key), error.right)
      : error;
  }
}

/** Makes one after the other, as long as there is something whole to break. */
async function eachOf(
  chosen: readonly DrillFault[],
  wanted: DrillWanted,
  group: LiveGroup,
  asking: Asking,
): Promise<{ readonly faults: readonly DrillFaultReport[]; readonly notMade: readonly DrillNotOffered[] }> {
  const faults: DrillFaultReport[] = [];
  const notMade: DrillNotOffered[] = [];
  // By the pod that leads: of several groups of one name it is this one.
  let leader = nameOf(group);
  const hasStableName = ['LeaderWorkerSet', 'StatefulSet'].includes(group.kind);
  let over: string | undefined;
  for (const fault of chosen) {
    if (over !== undefined || wanted.isEnding?.() === true) {
      notMade.push({ fault, why: over ?? 'the drill was ended before' });
      continue;
    }
    try {
      const tried = await trial(wanted, await wholeGroup(wanted, leader, hasStableName), fault, asking);
      const { report } = tried;
      faults.push(report);
      leader = tried.leader ?? leader;
      over =
        report.stillBroken !== undefined
          ? `not tried, since something of ${fault} is left`
          : report.totalSeconds === undefined && !hasBrokenNothing(report)
            ? `not tried, since no new group answers after ${fault}`
            : undefined;
    } catch (error) {
      // What the others showed is not lost for it.
      if (!(error instanceof ClusterFailure)) {
        throw error;
      }
      notMade.push({ fault, why: error.message });
      over = error instanceof StillBroken ? `not tried, since something of ${fault} is left` : undefined;
    }
  }
  return { faults, notMade };
}

/** A hang that the request in flight did not notice. */
function hasBrokenNothing({ fault, request, before, after }: DrillFaultReport): boolean {
  return MAKERS[fault].isHang === true && request.isWhole && after.every((uid) => before.includes(uid));
}

async function wholeGroup(
  { kubectl, group: given, seconds, isMeant, say }: DrillWanted,
  name = given,
  hasStableName = false,
): Promise<LiveGroup> {
  const end = Date.now() + (isMeant ? seconds * 1000 : 0);
  for (;;) {
    const group = await findGroup(kubectl, name).catch((error: unknown) => {
      // Between two lives of a pod that keeps its name there may be none of it.
      if (hasStableName && Date.now() < end && isFailure(error, 'no-group')) {
        return undefined;
      }
      throw error;
    });
    if (group !== undefined && isWhole(group) && leaderOf(group) !== undefined) {
      return group;
    }
    if (group !== undefined && Date.now() >= end) {
      const why = group.pods.filter((pod) => pod.why !== '').map((pod) => `${pod.name} ${pod.why}`);
      throw new ClusterFailure(
        'other',
        `${group.kind} ${group.name} is not whole, so there is nothing to break: ${why.join('; ') || `ranks ${group.missing.join(', ')} have no pod`}`,
      );
    }
    say('waits for every pod to be Ready');
    await pause(1);
  }
}
