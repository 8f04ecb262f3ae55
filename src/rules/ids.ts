import { didYouMean } from '../common/nearest';

/**
 * The findings that can be accepted, with what each says in short. `fit/split-not-needed` belongs to the fit planner, which
 * does not look for it yet; the reference accepts it ahead, since its split is on purpose.
 */
export const FINDINGS = {
  'fit/split-not-needed': 'the model fits on one node, where it is faster than split',
  'k8s/duplicate-name': 'two objects of one kind, namespace and name',
  'lws/controller-too-old': 'the LWS controller of the cluster lacks what the group needs',
  'lws/duplicate-env': 'an environment variable is set twice in a LeaderWorkerSet',
  'lws/service-name-collision': 'a Service has the name of the headless Service of a group',
  'lws/statefulset-name-collision': 'a group or StatefulSet has the name of one that LWS makes for another group',
  'lws/surge-only-too-old': 'the LWS controller of the cluster cannot roll out with a surge alone',
} as const;

/** Name of a finding. */
export type FindingId = keyof typeof FINDINGS;

/** Checks the name of a finding that somebody typed. */
export function checkFindingId(id: string): FindingId {
  if (!Object.hasOwn(FINDINGS, id)) {
    const known = Object.keys(FINDINGS);
    throw new Error(`finding '${id}' is not known${didYouMean(id, known)} (known: ${known.join(', ')})`);
  }
  return id as FindingId;
}
