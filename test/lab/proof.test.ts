import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubernetesObject } from '../../src/manifest/object';
import { RIGHTS } from '../../src/operate/kubectl/rights';
import type { ProveReport } from '../../src/operate/prove/report';
import type { SmokeReport } from '../../src/operate/smoke/report';
import { command, report, withRights } from './asking';
import { referenceBundle } from './bundle';
import { describeInLab, lab } from './harness/given';
import { note } from './harness/lab';
import { readyPods, removeNamespace } from './live';
import { API_KEY, install, NAMESPACE, serving } from './serving';

const IN = ['-n', NAMESPACE];

function heldOf({ checks }: SmokeReport): Record<string, string> {
  return Object.fromEntries(checks.map(({ id, held }) => [id, held]));
}

const ALL = { pods: 'yes', health: 'yes', model: 'yes', chat: 'yes', stream: 'yes', key: 'yes', alive: 'yes' };

describeInLab('smoke and prove of the reference bundle', () => {
  beforeAll(async () => {
    await serving('for smoke and prove', referenceBundle());
  });
  afterAll(async () => await removeNamespace(NAMESPACE));

  test('smoke holds, with the key that the pod names', async () => {
    const { code, report: found } = await report<SmokeReport>('smoke', ...IN);
    expect(heldOf(found)).toEqual(ALL);
    expect(found).toMatchObject({ held: true, keyFrom: 'Secret vllm-api-key/key', unread: [] });
    expect(JSON.stringify(found)).not.toContain(API_KEY);
    expect(code).toBe(0);
    note(lab(), 'smoke: held');
  });

  test.each(['summary', 'exec'])('prove by %s: the request crossed, and the prediction fits', async (way) => {
    const { code, report: found } = await report<ProveReport>('prove', ...IN, '--counters', way, '--rest', '10');
    expect(found).toMatchObject({ verdict: 'crossed', counters: way, others: { atRest: 0, request: 0 } });
    const [leader, worker] = found.pods;
    expect(new Set(found.pods.map(({ node }) => node)).size).toBe(2);
    expect(worker!.atRest!.received).toBeLessThan(worker!.least! / 10);
    for (const [got, predicted] of [
      [worker!.request!.received, worker!.predicted!.received],
      [worker!.request!.sent, worker!.predicted!.sent],
      [leader!.request!.sent, leader!.predicted!.sent],
      [leader!.request!.received, leader!.predicted!.received],
    ] as const) {
      expect(got / predicted).toBeGreaterThan(0.8);
      expect(got / predicted).toBeLessThan(1.4);
    }
    expect(worker!.request!.cpuSeconds).toBeGreaterThan(worker!.atRest!.cpuSeconds!);
    expect(code).toBe(0);
    note(lab(), `prove by ${way}: ${found.said}`);
  });

  test('the rights of the documentation are enough, and what else is missing is said', async () => {
    await withRights(NAMESPACE, 'smoker', RIGHTS.smoke, async (kubeconfig) => {
      expect((await command(['smoke'], { kubeconfig })).code).toBe(0);
      const { code, stderr } = await command(['prove', '--rest', '1'], { kubeconfig });
      expect(stderr).toContain('may not get nodes/proxy of the cluster');
      expect(stderr).toContain('may not create pods/exec in the namespace vllm');
      expect(code).toBe(2);
    });
    const ofNamespace = RIGHTS.prove.filter(({ of }) => of === 'namespace');
    await withRights(NAMESPACE, 'prover', ofNamespace, async (kubeconfig) => {
      expect((await command(['prove', '--rest', '1'], { kubeconfig })).code).toBe(0);
    });
  });

  test('a wrong key is told from a server that fails', async () => {
    const { code, stdout } = await command(['smoke', ...IN], { env: { VLLM_API_KEY: 'not-the-key' } });
    expect(stdout).toContain('the server refuses the key');
    expect(code).toBe(1);
  });
});

/** A copy with something else in each template of the group. */
function withArguments(edit: (args: readonly string[]) => string[]): KubernetesObject[] {
  return referenceBundle().map((object) => {
    const copy = structuredClone(object) as KubernetesObject & { spec: never };
    if (copy.kind === 'LeaderWorkerSet') {
      const { leaderTemplate, workerTemplate } = (copy.spec as { leaderWorkerTemplate: Templates })
        .leaderWorkerTemplate;
      for (const { spec } of [leaderTemplate, workerTemplate]) {
        spec.containers[0].args = edit(spec.containers[0].args);
      }
    }
    return copy;
  });
}

interface Template {
  readonly spec: { readonly containers: readonly [{ args: readonly string[] }] };
}
interface Templates {
  readonly leaderTemplate: Template;
  readonly workerTemplate: Template;
}

describeInLab('a bundle with --enforce-eager', () => {
  beforeAll(async () => {
    const eager = withArguments((args) => [...args.filter((word) => !word.startsWith('-cc')), '--enforce-eager']);
    await serving('eager', eager);
  });
  afterAll(async () => await removeNamespace(NAMESPACE));

  test('is healthy, and smoke names the worker and the flag', async () => {
    const { code, report: found } = await report<SmokeReport>('smoke', ...IN);
    expect(heldOf(found)).toMatchObject({ pods: 'yes', health: 'yes', model: 'yes', chat: 'no' });
    expect(found.breakage).toMatchObject({ rank: 1, podName: 'vllm-gemma-0-1', symptom: 'pipeline-buffer-missing' });
    expect(found.breakage?.remedy).toContain('--enforce-eager');
    expect(code).toBe(1);
    note(lab(), `smoke of eager: ${found.breakage?.symptom}`);
  });
});

describeInLab('a Service with the name of the LeaderWorkerSet, forced through', () => {
  beforeAll(async () => {
    const renamed = referenceBundle().map((object) =>
      object.kind === 'Service' && object.metadata.name === 'vllm-leader'
        ? { ...object, metadata: { ...object.metadata, name: 'vllm-gemma' } }
        : object,
    );
    const isFirst = ({ kind }: KubernetesObject) => kind === 'Service';
    await install([...renamed.filter(isFirst), ...renamed.filter((object) => !isFirst(object))]);
  });
  afterAll(async () => await removeNamespace(NAMESPACE));

  test('keeps the ranks from meeting, and smoke names the Service', async () => {
    await readyPods(NAMESPACE, 'app=chat-app', 1);
    const { code, report: found } = await report<SmokeReport>('smoke', ...IN);
    expect(heldOf(found)).toEqual({ pods: 'no' });
    expect(found.breakage?.cause).toMatch(/^Service vllm-gemma has the name of the LeaderWorkerSet/);
    expect(code).toBe(1);
    note(lab(), 'smoke of a Service with the name of the group: it is named');
  });
});

describeInLab('a group of one pod', () => {
  beforeAll(async () => {
    const objects = withArguments((args) => [...args]).map((object) => {
      const copy = structuredClone(object) as KubernetesObject & { spec: { leaderWorkerTemplate: { size: number } } };
      if (copy.kind === 'LeaderWorkerSet') {
        copy.spec.leaderWorkerTemplate.size = 1;
      }
      return copy;
    });
    await install(objects);
  });
  afterAll(async () => await removeNamespace(NAMESPACE));

  test('has nothing to cross, and prove says so', async () => {
    await readyPods(NAMESPACE, 'app=chat-app', 1);
    const { code, report: found } = await report<ProveReport>('prove', ...IN);
    expect(found).toMatchObject({ verdict: 'not-crossed', group: { size: 1 } });
    expect(found.said).toContain('has one pod');
    expect(code).toBe(1);
  });
});
