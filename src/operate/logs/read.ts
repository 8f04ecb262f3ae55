import type { KubernetesObject } from '../../manifest';
import { eventsOf, isAbout } from '../group/events';
import { instancesOf } from '../group/instances';
import { isGoing, type LiveGroup } from '../group/live';
import { type Member, memberOf } from '../group/members';
import { isFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';
import { failureOf, type Written } from './failure';
import type { LogFailure, LogLine } from './report';
import { stampedLine } from './stamp';
import { logArgs } from './stream';

export interface Reading {
  readonly kubectl: Kubectl;
  readonly group: LiveGroup;
  readonly isWanted: (member: Member) => boolean;
  /** The life of each container before its last restart, and no other. */
  readonly isPrevious: boolean;
  readonly sinceSeconds?: number;
  readonly tail?: number;
}

/** What the ranks have written until now. */
export interface WrittenLogs {
  /** In the order of their time. */
  readonly lines: readonly LogLine[];
  /** Of each rank that has ended by itself; the first one first. */
  readonly failures: readonly LogFailure[];
  /** Lives of containers that were asked for. */
  readonly lives: number;
  /** What could not be read, a sentence each. */
  readonly unread: readonly string[];
}

/** Reads the logs of all ranks as they are now. */
export async function readWritten(reading: Reading): Promise<WrittenLogs> {
  const { kubectl, group, isWanted, isPrevious } = reading;
  const items = await kubectl.list<KubernetesObject>(kubectl.path('pods'));
  const members = items.flatMap((object) => memberOf(group, object) ?? []).filter(isWanted);
  const lives = members
    .sort((a, b) => a.rank - b.rank)
    .flatMap((member) => {
      const instances = instancesOf(member.object, member.container);
      const newest = Math.max(...instances.map(({ restart }) => restart));
      return instances
        .filter(({ state }) => state !== 'waiting')
        .map((instance) => ({ member, instance, isBefore: instance.restart < newest }))
        .filter(({ isBefore }) => isBefore || !isPrevious);
    });
  const unread = new Set<string>();
  const written = await Promise.all(
    lives.map(async ({ member, instance, isBefore }) => {
      const { name, uid, rank, role } = member;
      const source = { rank, role, pod: name, uid, restart: instance.restart };
      const lines: LogLine[] = [];
      try {
        const args = [
          ...logArgs({ ...reading, pod: name, container: member.container }),
          ...(isBefore ? ['--previous'] : []),
        ];
        const text = await kubectl.run([...args, `--namespace=${kubectl.namespace}`]);
        let last = '';
        for (const line of text.split('\n')) {
          const { stamp, text: words } = stampedLine(line);
          last = stamp || last;
          if (line !== '') {
            lines.push({ kind: 'line', time: last, ...source, text: words });
          }
        }
      } catch (error) {
        if (isFailure(error, 'forbidden', 'unreachable', 'credentials')) {
          throw error;
        }
        unread.add(`${name}: ${(error as Error).message}`);
      }
      const log = lines.map(({ text }) => text);
      return { member, source, lines, log, ...(instance.end && { end: instance.end }) };
    }),
  );
  return {
    lines: written.flatMap(({ lines }) => lines).sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)),
    failures: failuresOf(written),
    lives: written.length,
    unread: [...unread, ...(await recreations(kubectl, group))],
  };
}

/** What LWS did to the group within the hour that events are kept: the logs of its old pods went with them. */
async function recreations(kubectl: Kubectl, { kind, name }: LiveGroup): Promise<string[]> {
  if (kind !== 'LeaderWorkerSet') {
    return [];
  }
  const last = (await eventsOf(kubectl, 'reason=RecreateGroup')).findLast((event) => isAbout(event, name));
  return last === undefined
    ? []
    : [
        `the group was recreated at ${last.at} (${last.message}); what its old pods wrote went with them: ` +
          '`logs --keep FOLDER` keeps it',
      ];
}

function failuresOf(written: readonly Written[]): LogFailure[] {
  return written
    .filter(({ end, member }) => end !== undefined && !isGoing(member.object))
    .sort((a, b) => ((a.end?.finishedAt ?? '') < (b.end?.finishedAt ?? '') ? -1 : 1))
    .map((dead) =>
      failureOf(
        dead,
        written.filter(({ member }) => member.rank !== dead.member.rank),
        dead.end?.finishedAt ?? '',
      ),
    );
}
