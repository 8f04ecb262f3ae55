import { findGroup } from '../../operate/group/find';
import type { LiveGroup } from '../../operate/group/live';
import type { Member } from '../../operate/group/members';
import { ClusterFailure, isFailure } from '../../operate/kubectl/failure';
import type { Kubectl } from '../../operate/kubectl/kubectl';
import { CannotKeep } from '../../operate/logs/cannot-keep';
import { FollowedGroup } from '../../operate/logs/follow';
import { KeepFolder } from '../../operate/logs/keep';
import { readWritten } from '../../operate/logs/read';
import type { LogEntry } from '../../operate/logs/report';
import { pause } from '../../operate/pause';
import { asking, openCluster } from '../cluster';
import { endOnSignals } from '../signals';
import { printable, type Terminal, WrongInput } from '../terminal';
import { type Options, readOptions, usage } from './options';
import { LogText } from './text';

const WAIT_SECONDS = 1;

/** `cdk8s-vllm logs`: tells what the ranks have written, and gives the exit code. */
export function logsCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  return asking(args, terminal, async () => {
    const options = readOptions(args);
    if (options.isHelp) {
      terminal.out(usage());
      return 0;
    }
    const kubectl = await openCluster(options.given);
    const group = await groupOf(kubectl, options, terminal);
    const wrong = options.ranks.find((rank) => rank >= group.size);
    if (wrong !== undefined) {
      throw new WrongInput(
        `--rank is ${wrong}; ${group.kind} ${group.name} has ${group.size === 1 ? 'rank 0 alone' : `ranks 0 to ${group.size - 1}`}`,
      );
    }
    const isWanted = ({ rank }: Member): boolean => options.ranks.length === 0 || options.ranks.includes(rank);
    const tell = teller(options, group, terminal);
    try {
      return options.isFollowed
        ? await follow(kubectl, group, isWanted, options, tell)
        : await readOnce(kubectl, group, isWanted, options, tell);
    } catch (error) {
      throw error instanceof CannotKeep ? new WrongInput(error.message) : error;
    }
  });
}

/** Who follows may come before the pods do, or between those of before a failure and those of after it. */
async function groupOf(
  kubectl: Kubectl,
  { group, isFollowed, isQuiet }: Options,
  { error }: Terminal,
): Promise<LiveGroup> {
  for (let said = false; ; said = true) {
    try {
      return await findGroup(kubectl, group);
    } catch (failure) {
      if (!isFollowed || !isFailure(failure, 'no-group')) {
        throw failure;
      }
      if (!said && !isQuiet) {
        error(`cdk8s-vllm: waits for pods, since ${printable(failure.message)}\n`);
      }
      await pause(WAIT_SECONDS);
    }
  }
}

/** Writes entries: lines and failures to the standard output; what became of pods, for a person, beside it. */
function teller({ format, isQuiet }: Options, { size }: LiveGroup, terminal: Terminal): (entry: LogEntry) => void {
  const text = new LogText(size, terminal.colour);
  return (entry) => {
    if (entry.kind === 'note' && isQuiet) {
      return;
    }
    if (format === 'json') {
      terminal.out(`${JSON.stringify(entry)}\n`);
    } else {
      (entry.kind === 'note' ? terminal.error : terminal.out)(text.of(entry));
    }
  };
}

async function readOnce(
  kubectl: Kubectl,
  group: LiveGroup,
  isWanted: (member: Member) => boolean,
  { isPrevious, sinceSeconds, tail }: Options,
  tell: (entry: LogEntry) => void,
): Promise<number> {
  const { lines, failures, unread, lives } = await readWritten({
    kubectl,
    group,
    isWanted,
    isPrevious,
    ...(sinceSeconds !== undefined && { sinceSeconds }),
    ...(tail !== undefined && { tail }),
  });
  if (lives === 0) {
    throw new ClusterFailure('not-found', nothing(isPrevious, group, unread));
  }
  failures.forEach(tell);
  unread.forEach((text) => tell({ kind: 'note', time: new Date().toISOString(), text }));
  if (lines.length === 0) {
    const when = sinceSeconds === undefined ? '' : ' in that time';
    tell({ kind: 'note', time: new Date().toISOString(), text: `no rank has written a line${when}` });
  }
  lines.forEach(tell);
  return 0;
}

function nothing(isPrevious: boolean, { pods }: LiveGroup, unread: readonly string[]): string {
  const also = unread.map((text) => `\n${text}`).join('');
  return isPrevious
    ? 'no container of the group was restarted within its pod, so the cluster has no log of before; LeaderWorkerSet makes ' +
        `new pods instead, and the logs of the old ones go with them${also}`
    : `no container of the group has started yet: ${pods.map(({ name, why }) => `${name} ${why}`).join('; ')}${also}`;
}

/** Goes on until it is ended, or cannot. */
async function follow(
  kubectl: Kubectl,
  group: LiveGroup,
  isWanted: (member: Member) => boolean,
  { keep, sinceSeconds, tail }: Options,
  tell: (entry: LogEntry) => void,
): Promise<never> {
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined);
  const folder = keep === undefined ? undefined : KeepFolder.open(keep, (error) => fail(error));
  // Also when nobody reads on, or a fault of this program ends it.
  process.once('exit', () => folder?.flush());
  let followed: FollowedGroup | undefined;
  try {
    followed = await FollowedGroup.open({
      kubectl,
      group,
      isWanted,
      ...(folder && { keep: folder }),
      ...(sinceSeconds !== undefined && { sinceSeconds }),
      ...(tail !== undefined && { tail }),
      tell,
      onFailure: (error) => fail(error),
    });
    endOnSignals(async () => {
      await followed!.close();
      folder?.close();
    });
    return await failed;
  } finally {
    await followed?.close();
    folder?.close();
  }
}
