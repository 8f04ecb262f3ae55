import { didYouMean } from '../common/nearest';
import { PLAN_WARNINGS } from '../fit/warning-ids';

/** The findings that can be accepted, with what each says in short; those of the fit planner first. */
export const FINDINGS = {
  ...PLAN_WARNINGS,
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
