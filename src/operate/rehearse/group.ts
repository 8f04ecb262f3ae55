import { didYouMean } from '../../common/nearest';
import type { EngineContainer, EngineGroup, EngineSettings, KubernetesObject, RolePod } from '../../manifest';
import { readGroups } from '../../manifest';
import { CannotRehearse } from './cannot';

/** One pod of a group: what it runs, and what is read of that. */
export interface Member {
  readonly rank: number;
  readonly pod: RolePod;
  readonly engine: EngineContainer;
  readonly settings: EngineSettings;
}

/** A group of the bundle that can be started here. */
export interface RehearsedGroup {
  readonly group: EngineGroup;
  readonly leader: Member;
  readonly members: readonly Member[];
  /** Every object of the bundle. */
  readonly objects: readonly KubernetesObject[];
}

/** The group of a bundle that is meant, by name where there are several. */
export function groupOf(objects: readonly KubernetesObject[], name: string | undefined): RehearsedGroup {
  const { groups, workloads } = readGroups(objects);
  if (groups.length === 0) {
    const others = workloads.map(({ kind, name: other }) => `${kind} ${other}`);
    throw new CannotRehearse(
      `nothing of this runs vLLM${others.length > 0 ? ` (there is ${others.slice(0, 5).join(', ')})` : ''}; ` +
        'it takes a LeaderWorkerSet, Deployment, StatefulSet or Pod with a container that runs `vllm serve`',
    );
  }
  // By name alone where that is enough.
  const isOnce = (own: string): boolean => groups.filter((group) => group.name === own).length === 1;
  const long = (group: EngineGroup): string => `${group.namespace || 'default'}/${group.name}`;
  const known = groups.map((group) => (isOnce(group.name) ? group.name : long(group)));
  if (name === undefined && groups.length > 1) {
    throw new CannotRehearse(`which one? --group takes one of ${known.join(', ')}`);
  }
  const group =
    name === undefined
      ? groups[0]!
      : groups.find((each) => long(each) === name || (each.name === name && isOnce(name)));
  if (group === undefined) {
    throw new CannotRehearse(
      `no group is called '${name}'${didYouMean(name!, known) || `; there is ${known.join(', ')}`}`,
    );
  }
  const { size } = group;
  if (size === undefined) {
    throw new CannotRehearse(
      `the size of ${group.kind} ${group.name} is not to be read; it takes a whole number from 1`,
    );
  }
  const members = Array.from({ length: size }, (_, rank) => memberOf(group, rank));
  return { group, leader: members[0]!, members, objects };
}

function memberOf(group: EngineGroup, rank: number): Member {
  const pod = rank === 0 ? group.leader : group.worker!;
  const role = group.size === 1 ? 'pod' : pod.role;
  const { engine } = pod;
  const refuse = (why: string): never => {
    throw new CannotRehearse(`the ${role} of ${group.kind} ${group.name} cannot be rehearsed: ${why}`);
  };
  if (engine === undefined) {
    return refuse('none of its containers is known to run vLLM');
  }
  const { command, settings } = engine;
  if (command.ray !== undefined) {
    return refuse("it starts Ray, which vLLM's CPU build refuses; ranks of the mp executor can be rehearsed");
  }
  if (settings === undefined) {
    return refuse(`${command.why ?? 'its command is not read'}; it takes \`vllm serve\` with its arguments`);
  }
  if (command.flag('--config') !== undefined) {
    return refuse('the file of --config is in the container, and its flags are not known here');
  }
  return { rank, pod, engine, settings };
}
