import { nearest } from '../../common/nearest';
import { LWS_PREFIX } from '../../engine/lws';
import type { RolePod, Workload } from '../../manifest/groups';
import { dig, get, listOf, textMapOf, textOf } from '../../manifest/json';
import { labelsOf } from '../../manifest/selector';
import { CPU_GROUP, edit } from '../examples';
import { eachPod } from '../k8s/containers';
import type { Report, Rule, RuleInput } from '../rule';
import { ALL_KEYS, annotationsOfLws, GROUP_ANNOTATIONS, isOfLws, type KeyKind, keysOfPods, mayKnowMore } from './keys';

const KEYED_FIELD = /^metadata\.(labels|annotations)\['(.*)'\]$/s;
const TYPO = 'LWS takes no notice of it';

function* check({ set, manifests: { workloads }, target: { lws } }: RuleInput): Iterable<Report> {
  const weaker = mayKnowMore(lws) && { severity: 'note' as const };
  for (const { workload, pod } of eachPod(workloads)) {
    for (const { path, field } of fieldsOf(pod)) {
      const what = whyEmpty(field, workload, pod);
      if (what !== undefined) {
        yield { object: workload.object, path, what, ...weaker };
      }
    }
  }
  for (const object of set.ofKind('LeaderWorkerSet')) {
    for (const key of annotationsOfLws(object)) {
      if (ALL_KEYS.includes(key) || GROUP_ANNOTATIONS.includes(key)) {
        continue;
      }
      const meant = nearest(key.slice(key.indexOf('/') + 1), GROUP_ANNOTATIONS);
      yield {
        object,
        path: 'metadata.annotations',
        what: `the annotation ${key} is none of LWS`,
        why: TYPO,
        fix: meant === undefined ? 'take it out' : `write ${meant}, or take it out`,
        severity: meant === undefined || mayKnowMore(lws) ? 'note' : 'warning',
      };
    }
  }
}

/** Every field of the pod that a variable or a file is filled from. */
function* fieldsOf(pod: RolePod): Iterable<{ path: string; field: string }> {
  for (const { environment } of [...pod.initContainers, ...pod.containers]) {
    for (const { path, source, state } of environment.variables) {
      if (source?.kind === 'field' && source.field !== undefined && state !== 'dropped') {
        yield { path, field: source.field };
      }
    }
  }
  for (const volume of pod.volumes) {
    const projected = listOf(dig(volume.raw, 'projected', 'sources'));
    for (const source of [volume.raw, ...projected]) {
      for (const item of listOf(dig(source, 'downwardAPI', 'items'))) {
        yield { path: volume.path, field: textOf(dig(get(item, 'fieldRef'), 'fieldPath')) ?? '' };
      }
    }
  }
}

function whyEmpty(field: string, { kind, object }: Workload, { template }: RolePod): string | undefined {
  const [, holder, key = ''] = KEYED_FIELD.exec(field) ?? [];
  if (holder === undefined || !isOfLws(key)) {
    return undefined;
  }
  const own = holder === 'labels' ? labelsOf(template) : textMapOf(dig(template, 'metadata', 'annotations'));
  const known = kind === 'LeaderWorkerSet' ? keysOfPods(holder as KeyKind, object) : [];
  if (own.has(key) || known.includes(key)) {
    return undefined;
  }
  const thing = holder.slice(0, -1);
  return kind === 'LeaderWorkerSet'
    ? `no pod of a group has the ${thing} ${key}`
    : `a pod of a ${kind} has no ${thing} ${key}`;
}

const WITH_FIELD = (field: string): string =>
  edit(CPU_GROUP, [
    '              - { name: OMP_NUM_THREADS',
    `              - { name: RANKS, valueFrom: { fieldRef: { fieldPath: "metadata.annotations['${LWS_PREFIX}${field}']" } } }
              - { name: OMP_NUM_THREADS`,
  ]);

export const unknownAnnotation: Rule = {
  id: 'lws/unknown-annotation',
  severity: 'error',
  title: 'a label or annotation that LWS does not know',
  why: 'what is filled from it is empty, without a word',
  fix: 'use $(LWS_LEADER_ADDRESS), $(LWS_GROUP_SIZE) or $(LWS_WORKER_INDEX), which every container of a group gets',
  holds: 'LWS up to 0.10.0; notes for a newer one',
  source: 'api/leaderworkerset/v1 of sigs.k8s.io/lws, 0.3 to 0.10',
  get bad() {
    return WITH_FIELD('group-size');
  },
  get good() {
    return WITH_FIELD('size');
  },
  check,
};
