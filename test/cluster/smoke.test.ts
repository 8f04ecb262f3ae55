import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ProveReport } from '../../src/operate/prove/report';
import type { SmokeReport } from '../../src/operate/smoke/report';
import { run as runCommand } from '../cli/runner';
import { Desk } from './asking';
import { examples, reference } from './bundles';
import { client, clusterFacts, describeOnCluster } from './harness/given';
import { Place } from './harness/place';
import { until } from './harness/wait';
import { podsOf, untilPending } from './live';
import { serving } from './serving';

let place: Place;
let desk: Desk;
beforeEach(async () => {
  place = await Place.make();
  desk = new Desk();
  vi.stubEnv('PATH', desk.folder);
  vi.stubEnv('VLLM_API_KEY', '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  desk.leave();
  await place.leave();
});

const run = (command: string, ...args: string[]) =>
  runCommand(command, '--kubeconfig', clusterFacts().kubeconfig, '-n', place.namespace, ...args);

async function keySecret(key: string): Promise<void> {
  const metadata = { name: 'vllm-api-key', namespace: place.namespace };
  await client().applyAll([{ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { key } }]);
}

describeOnCluster('smoke', () => {
  test('of a group that is not ready says what the scheduler says, and fails', async () => {
    await place.addNodes(1);
    await client().applyAll(place.move(reference.objects));
    await until('both pods', async () => (await podsOf(place, 'vllm-gemma')).size === 2);
    const names = [...(await podsOf(place, 'vllm-gemma')).values()]
      .filter(({ spec }) => spec.nodeName === undefined)
      .map(({ metadata }) => metadata.name);
    await untilPending(place, 'vllm-gemma', names.at(-1)!);
    const { code, out } = await run('smoke', '-o', 'json');
    const report = JSON.parse(out) as SmokeReport;
    expect(report.checks).toMatchObject([{ id: 'pods', held: 'no' }]);
    expect(report.checks[0]?.said).toMatch(/vllm-gemma-0(-1)? has no node: 0\//);
    expect(report.breakage?.what).toMatch(/has no node/);
    expect(code).toBe(1);
  });

  test('finds the key that the pod names, or says what is wrong with it', async () => {
    await serving(place, 2, reference.objects);
    expect(await run('smoke')).toMatchObject({
      code: 2,
      error: expect.stringContaining(
        `there is no Secret vllm-api-key in ${place.namespace}; give the key itself`,
      ) as string,
    });
    await keySecret('a key of echo\n');
    expect((await run('smoke')).error).toContain('the API key of Secret vllm-api-key/key holds a line break');
    expect((await run('smoke', '--api-key-secret', 'vllm-api-key/token')).error).toContain(
      "Secret vllm-api-key has no key 'token'; it has key",
    );
    // These pods have no kubelet: what is behind them cannot be reached.
    await keySecret('sk-a-secret-key');
    const { code, out, error } = await run('smoke');
    expect(error).toMatch(/^cdk8s-vllm: kubectl failed: error: /);
    expect(out + error).not.toContain('sk-a-secret-key');
    expect(code).toBe(2);
  });

  test('without the right to read the Secret names the other ways', async () => {
    await serving(place, 2, reference.objects);
    const rule = { apiGroups: [''], resources: ['pods'], verbs: ['list', 'get'] };
    const kubeconfig = await desk.as(place, 'reader', [rule]);
    const { code, error } = await run('smoke', '--kubeconfig', kubeconfig);
    expect(error).toContain(`:reader may not get secrets in the namespace ${place.namespace}`);
    expect(error).toContain('or give the key itself by VLLM_API_KEY or --api-key');
    expect(code).toBe(2);
  });
});

describeOnCluster('prove', () => {
  test('of a group of one pod: nothing to cross', async () => {
    const { objects } = examples.find(({ name }) => name === 'gemma-one-pod')!;
    await serving(place, 2, objects);
    expect((await run('prove')).error).toContain('--group takes one of gemma-0, gemma-1');
    const { code, out } = await run('prove', '--group', 'gemma-1', '-o', 'json');
    expect(JSON.parse(out) as ProveReport).toMatchObject({
      verdict: 'not-crossed',
      said: 'LeaderWorkerSet gemma has one pod: there is nothing that a request could cross',
      pods: [{ name: 'gemma-1', role: 'single' }],
    });
    expect(code).toBe(1);
  });

  test('without counters says why each way is closed', async () => {
    await serving(place, 2, reference.objects);
    await keySecret('sk-a-secret-key');
    const { code, error } = await run('prove');
    expect(error).toMatch(/the counters of the pods cannot be read\nthe kubelet's summary: .+\nexec: /);
    expect(code).toBe(2);
  });
});
