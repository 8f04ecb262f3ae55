import { get, mapOf, textMapOf } from '../../manifest/json';
import type { Report, Rule, RuleInput } from '../rule';

const MI = 1024 ** 2;
/** Of `kubectl apply` without `--server-side`: the whole object becomes an annotation, and those have 256 KiB together. */
const APPLIED = 240 * 1024;

const MAP = (data: string): string => `apiVersion: v1
kind: ConfigMap
metadata: { name: dashboards, namespace: monitoring }
data:
  engine.json: "${data}"
`;

function* check({ set }: RuleInput): Iterable<Report> {
  for (const object of [...set.ofKind('ConfigMap'), ...set.ofKind('Secret')]) {
    const bytes = ['data', 'binaryData', 'stringData'].reduce((sum, key) => sum + sizeOf(get(object, key), key), 0);
    if (bytes > MI) {
      yield {
        object,
        path: 'data',
        what: `its data has ${bytes} bytes`,
        why: 'the API server takes 1 MiB',
        fix: 'split it, or put the files into an image or a volume',
        severity: 'error',
      };
    } else if (object.kind === 'ConfigMap' && bytes > APPLIED) {
      yield { object, path: 'data', what: `its data has ${bytes} bytes` };
    }
  }
}

function sizeOf(data: unknown, key: string): number {
  let size = 0;
  for (const [name, text] of mapOf(data) === undefined ? [] : textMapOf(data)) {
    const bytes = Buffer.byteLength(text);
    size += Buffer.byteLength(name) + (key === 'data' || key === 'stringData' ? bytes : Math.floor((bytes * 3) / 4));
  }
  return size;
}

export const configMapTooLarge: Rule = {
  id: 'k8s/config-map-too-large',
  severity: 'note',
  title: 'a ConfigMap that is too large to apply from the client',
  why: 'kubectl apply keeps the whole object in an annotation, and annotations have 256 KiB together',
  fix: 'apply it with --server-side, or split it',
  source: 'limits of the Kubernetes API; an apply on a real API server',
  get bad() {
    return MAP('x'.repeat(250 * 1024));
  },
  get good() {
    return MAP('x');
  },
  check,
};
