import { type EngineContainer, type EngineSettings, type KubernetesObject, dig, textOf } from '../../manifest';
import { foundIn, type LiveGroup } from './live';

/** A pod that is, was or will be one of a group: the same rank has another one after each recreation. */
export interface Member {
  readonly rank: number;
  readonly role: 'leader' | 'worker' | 'single';
  readonly name: string;
  readonly uid: string;
  readonly node?: string;
  /** The container that runs vLLM. */
  readonly container: string;
  readonly engine?: EngineContainer;
  readonly settings?: EngineSettings;
  readonly object: KubernetesObject;
}

/** What a pod is to a group, alive or on its way out; nothing for a pod of another. */
export function memberOf(group: LiveGroup, object: KubernetesObject): Member | undefined {
  const found = foundIn(object);
  if (found === undefined || found.owner.kind !== group.kind || found.owner.name !== group.name) {
    return undefined;
  }
  // Of several groups of one LeaderWorkerSet, and of several pods of a Deployment, each has a key of its own. That of a lone
  // pod is its name, which its successor need not have.
  const isSame = group.size === 1 && group.kind !== 'LeaderWorkerSet' ? found.size === 1 : found.key === group.key;
  if (!isSame) {
    return undefined;
  }
  return {
    rank: found.rank,
    role: group.size === 1 ? 'single' : found.rank === 0 ? 'leader' : 'worker',
    name: object.metadata.name,
    uid: textOf(dig(object, 'metadata', 'uid')) ?? '',
    node: textOf(dig(object, 'spec', 'nodeName')),
    container: found.pod.engine?.name ?? found.pod.containers[0]?.name ?? '',
    engine: found.pod.engine,
    settings: found.pod.engine?.settings,
    object,
  };
}
