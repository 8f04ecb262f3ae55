import { dig, get, listOf, textOf } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';

/** What LWS does not take over; without these the claim is another one. */
const SPEC = ['selector', 'volumeName', 'dataSource', 'dataSourceRef', 'volumeAttributesClassName'];
const METADATA = ['labels', 'annotations'];

function* check({ set }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    for (const [i, claim] of listOf(dig(object, 'spec', 'leaderWorkerTemplate', 'volumeClaimTemplates')).entries()) {
      const path = `spec.leaderWorkerTemplate.volumeClaimTemplates[${i}]`;
      const name = textOf(dig(claim, 'metadata', 'name')) ?? i;
      for (const [part, keys] of Object.entries({ spec: SPEC, metadata: METADATA })) {
        for (const key of keys) {
          if ((get(get(claim, part), key) ?? undefined) !== undefined) {
            yield {
              object,
              path: `${path}.${part}.${key}`,
              what: `${key} of the claim template '${name}' is dropped`,
              ...(part === 'metadata' && { severity: 'note' }),
            };
          }
        }
      }
    }
  }
}

const GROUP = (more: string): string =>
  edit(CPU_GROUP, [
    '    size: 2\n',
    `    size: 2
    volumeClaimTemplates:
      - metadata: { name: models }
        spec:
          accessModes: [ReadWriteOnce]
          storageClassName: gp3
          resources: { requests: { storage: 100Gi } }
${more}`,
  ]);

export const volumeClaimDropped: Rule = {
  id: 'lws/volume-claim-dropped',
  severity: 'warning',
  title: 'a part of a claim template that LWS drops',
  why: 'LWS takes over name, accessModes, storageClassName, volumeMode and resources alone, so the volume is an empty one of the class',
  fix: 'take it out; for a volume that is there already, mount a claim of its own',
  source: 'pkg/controllers of sigs.k8s.io/lws',
  get bad() {
    return GROUP('          dataSource: { kind: VolumeSnapshot, apiGroup: snapshot.storage.k8s.io, name: models }\n');
  },
  get good() {
    return GROUP('');
  },
  check,
};
