import { type KvCacheCapacity, kvCacheCapacity } from '../../fit/kv-cache';
import { wire } from '../../fit/wire';
import type { Wire } from '../../fit/plan-types';
import type { EngineAt } from '../../rules/vllm/engine/engines';
import { planWith } from '../../rules/vllm/engine/plans';
import type { RehearsedGroup } from './group';
import type { TinyModel } from './model/tiny';

/** What the planner says of the rehearsed model; nothing where it says nothing. */
export interface Numbers {
  /** Smallest cache of a rank, in bytes, that serves one request of full length. */
  readonly needed: number;
  readonly blockSize: number;
  readonly maxModelLen: number;
  /** Capacity of a cache of so many bytes a rank. */
  readonly capacity: (bytes: number) => KvCacheCapacity;
}

/** The planner's numbers for the tiny model with the settings of the bundle, by the rules of the release that is here. */
export function numbersOf({ group, leader }: RehearsedGroup, model: TinyModel, release: string): Numbers | undefined {
  const at: EngineAt = { group, pod: leader.pod, engine: leader.engine, settings: leader.settings };
  const planned = planWith(at, { model: model.shape, release });
  if (planned?.settled.kv === undefined || planned.isLengthOpen) {
    return undefined;
  }
  const { kv, settings } = planned.settled;
  return {
    needed: Math.max(...kv.layout.minimumBytes),
    blockSize: settings.blockSize,
    maxModelLen: settings.maxModelLen,
    capacity: (bytes) => kvCacheCapacity(kv.layout, settings.maxModelLen, bytes),
  };
}

/** Bytes between the stages of the tiny model, which computes in two bytes a number unless it is told otherwise. */
export function wireOf({ leader }: RehearsedGroup, model: TinyModel): Wire {
  return wire(model.shape.hiddenSize, leader.settings.dtype.value === 'float32' ? 4 : 2);
}
