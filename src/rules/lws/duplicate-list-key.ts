import { dig, get, listOf } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { containersOf, TEMPLATES } from './pods';

/** Lists that the CRD holds as maps, with what their entries are told apart by; `env` has a rule of its own. */
const OF_CONTAINERS = {
  ports: ['containerPort', 'protocol'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
};
const OF_PODS = {
  containers: ['name'],
  initContainers: ['name'],
  volumes: ['name'],
  imagePullSecrets: ['name'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  resourceClaims: ['name'],
  schedulingGates: ['name'],
};
const DEFAULTS: Readonly<Record<string, string>> = { protocol: 'TCP' };

function* check({ set }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    for (const template of TEMPLATES) {
      const path = `spec.leaderWorkerTemplate.${template}.spec`;
      for (const found of repeats(dig(object, ...path.split('.')), path, OF_PODS)) {
        yield { object, ...found };
      }
    }
    for (const { path, container } of containersOf(object)) {
      for (const found of repeats(container, path, OF_CONTAINERS)) {
        yield { object, ...found };
      }
    }
  }
}

function* repeats(holder: unknown, path: string, lists: Readonly<Record<string, readonly string[]>>) {
  for (const [list, keys] of Object.entries(lists)) {
    const seen = new Set<string>();
    for (const [i, entry] of listOf(get(holder, list)).entries()) {
      const values = keys.map((key) => get(entry, key) ?? DEFAULTS[key]);
      if (values.some((value) => value === undefined)) {
        continue;
      }
      const id = JSON.stringify(values);
      if (seen.has(id)) {
        const which = keys.map((key, at) => `${key} ${JSON.stringify(values[at])}`).join(' and ');
        yield { path: `${path}.${list}[${i}]`, what: `${list} holds two entries with ${which}` };
      }
      seen.add(id);
    }
  }
}

export const duplicateListKey: Rule = {
  id: 'lws/duplicate-list-key',
  severity: 'error',
  title: 'a list of a LeaderWorkerSet holds two entries of one name, port or path',
  why: 'the API server refuses the LeaderWorkerSet, which keeps the list as a map',
  fix: 'keep one of them',
  source: 'x-kubernetes-list-map-keys of the LeaderWorkerSet CRD',
  get bad() {
    return edit(CPU_GROUP, [
      'ports: [{ name: http, containerPort: 8000 }]',
      'ports: [{ name: http, containerPort: 8000 }, { name: metrics, containerPort: 8000 }]',
    ]);
  },
  good: CPU_GROUP,
  check,
};
