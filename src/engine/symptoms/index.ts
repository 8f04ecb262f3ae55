import { CLUSTER_SYMPTOMS } from './cluster';
import { GROUP_SYMPTOMS } from './group';
import { HUB_SYMPTOMS } from './hub';
import { MACHINE_SYMPTOMS } from './machine';
import { REQUEST_SYMPTOMS } from './request';
import type { Symptom } from './symptom';

export type { Symptom } from './symptom';

/** Every symptom that the library knows, by the part of the system that it belongs to. */
export const SYMPTOMS_BY_PART = {
  'Requests and steps': REQUEST_SYMPTOMS,
  'Ranks and their flags': GROUP_SYMPTOMS,
  'Processor, threads and memory': MACHINE_SYMPTOMS,
  'The model and its files': HUB_SYMPTOMS,
  Kubernetes: CLUSTER_SYMPTOMS,
} as const satisfies Record<string, readonly Symptom[]>;

/** All of them. `docs/symptoms.md` is made from this table. */
export const SYMPTOMS: readonly Symptom[] = Object.values(SYMPTOMS_BY_PART).flat();
