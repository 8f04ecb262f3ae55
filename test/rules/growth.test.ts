import { describe, expect, test } from 'vitest';
import type { Finding, KubernetesObject } from '../../src/rules/finding';
import { runRules } from '../../src/rules/index';
import { CPU_GROUP, CPU_POD, POD_MONITOR, POD_SERVICE } from '../../src/rules/examples';
import { objectsOf } from './manifests';

/** So many that their pairs would never end. */
const MANY = 1500;

/** Copies of an object, each with its own name, all of them with labels that one selector selects. */
function copies(manifest: string, edit: (object: KubernetesObject, i: number) => void = () => {}): KubernetesObject[] {
  const [original] = objectsOf(manifest);
  return Array.from({ length: MANY }, (_, i) => {
    const copy = structuredClone(original!);
    (copy.metadata as { name: string }).name = `x${i}`;
    edit(copy, i);
    return copy;
  });
}

function spec(object: KubernetesObject): Record<string, unknown> {
  return object.spec as Record<string, unknown>;
}

const services = (selector: object, more: object = {}): KubernetesObject[] =>
  copies(POD_SERVICE, (object) => Object.assign(spec(object), { selector, ...more }));

const BUDGET = `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: b, namespace: serving }
spec: { maxUnavailable: 1, selector: { matchLabels: { app: small } } }
`;
const INGRESS = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: i
  namespace: serving
  annotations: { alb.ingress.kubernetes.io/target-type: ip, alb.ingress.kubernetes.io/scheme: internet-facing }
spec:
  ingressClassName: alb
  rules: [{ http: { paths: [{ path: /v1, pathType: Prefix, backend: { service: { name: x0, port: { number: 8000 } } } }] } }]
`;

function found(objects: readonly KubernetesObject[], id: string): Finding[] {
  return runRules(objects).filter((finding) => finding.id === id);
}

describe('many workloads, and many objects that each select all of them', () => {
  test('Services of workers have one finding each, with the first names', () => {
    const all = services({ app: 'chat' }, { ports: [{ port: 8000, targetPort: 8000 }] });
    const findings = found([...copies(CPU_GROUP), ...all], 'lws/service-selects-workers');
    expect(findings).toHaveLength(MANY);
    expect(findings[0]!.what).toBe(
      `it selects the workers of LeaderWorkerSet/x0, LeaderWorkerSet/x1, LeaderWorkerSet/x2, LeaderWorkerSet/x3, LeaderWorkerSet/x4 and ${MANY - 5} more, which do not listen on port 8000`,
    );
  });

  test('Services of ports that nobody has have one finding each', () => {
    const all = services({ app: 'small' }).map((object, i) => {
      Object.assign(spec(object), { ports: [{ port: 80, targetPort: 9000 + i }] });
      return object;
    });
    expect(found([...copies(CPU_POD), ...all], 'k8s/service-target-port')).toHaveLength(MANY);
  });

  test('budgets have one finding each', () => {
    const findings = found([...copies(CPU_POD), ...copies(BUDGET)], 'k8s/overlapping-budgets');
    expect(findings).toHaveLength(MANY - 1);
    expect(findings[0]!.what).toBe(
      `it selects pods of Deployment/x0, Deployment/x1, Deployment/x2, Deployment/x3, Deployment/x4 and ${MANY - 5} more, and so does PodDisruptionBudget/x0`,
    );
  });

  test('budgets of leaders have one finding each', () => {
    const budgets = copies(BUDGET, (object) =>
      Object.assign(spec(object), { selector: { matchLabels: { role: 'leader' } } }),
    );
    const findings = found([...copies(CPU_GROUP), ...budgets], 'lws/pdb-leaders-only');
    expect(findings).toHaveLength(MANY);
    expect(findings[0]!.what).toContain(`and ${MANY - 5} more and not their workers`);
  });

  test('monitors have one finding for each endpoint', () => {
    const any = (object: KubernetesObject): unknown =>
      Object.assign(spec(object), {
        namespaceSelector: { any: true },
        selector: { matchLabels: { app: 'small' } },
        podMetricsEndpoints: [{ port: 'metrics' }],
        endpoints: [{ port: 'metrics' }],
      });
    const monitors = copies(POD_MONITOR, any);
    const ofServices = copies(POD_MONITOR.replace('PodMonitor', 'ServiceMonitor'), any);
    const labelled = services({ app: 'small' }).map((object) => {
      Object.assign(object.metadata, { labels: { app: 'small' } });
      return object;
    });
    const objects = [...copies(CPU_POD), ...monitors, ...ofServices, ...labelled];
    expect(found(objects, 'monitoring/undeclared-port')).toHaveLength(2 * MANY);
  });

  test('ways from outside are followed to each engine, and each way to some', () => {
    const ingresses = copies(INGRESS, (object, i) => {
      const [{ http }] = spec(object).rules as [{ http: { paths: [{ backend: { service: { name: string } } }] } }];
      http.paths[0].backend.service.name = `x${i}`;
    });
    const objects = [...copies(CPU_POD), ...services({ app: 'small' }), ...ingresses];
    const engines = new Set(found(objects, 'alb/keep-alive-below-idle').map(({ object }) => object));
    expect(engines.size).toBe(MANY);
    const open = found(objects, 'security/public-without-key');
    expect(new Set(open.map(({ object }) => object)).size).toBe(MANY);
    expect(open.length).toBeLessThanOrEqual(40 * MANY);
  });
});

describe('one container with many', () => {
  const container = (object: KubernetesObject): Record<string, unknown> =>
    (spec(object) as { template: { spec: { containers: [Record<string, unknown>] } } }).template.spec.containers[0];

  test('undefined variables: each is found, and the first are given a name that may be meant', () => {
    const [object] = objectsOf(CPU_POD);
    container(object!).env = Array.from({ length: 20_000 }, (_, i) => ({ name: `A${i}`, value: `$(B${i})` }));
    const findings = found([object!], 'k8s/undefined-variable');
    expect(findings).toHaveLength(20_000);
    expect(findings[0]!.fix).toBe('define B0 in env, or write $(A0)');
    expect(findings.at(-1)!.fix).toBe('define B19999 in env');
  });

  test('unknown flags: so are these', () => {
    const [object] = objectsOf(CPU_POD);
    const flags = Array.from({ length: 10_000 }, (_, i) => `--max-modl-len${i}`);
    container(object!).args = ['m', '--max-modl-len', ...flags, `--${'x'.repeat(1_000_000)}`];
    const findings = found([object!], 'vllm/unknown-flag');
    expect(findings).toHaveLength(10_002);
    expect(findings[0]!.fix).toBe('leave it out, or write --max-model-len if that is meant');
    expect(findings.at(-1)!.fix).toBe('leave it out');
  });
});
