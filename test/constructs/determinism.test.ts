import { App, JsonPatch } from 'cdk8s';
import {
  AlbIngress,
  AlbRoute,
  ChatApp,
  ClusterTarget,
  Findings,
  LeaderService,
  PodMonitor,
  SecretKey,
} from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { newChart, newGroup } from './harness';

/** Everything the library has, in one App. */
function everything(): App {
  const app = new App();
  ClusterTarget.eks('1.36', { lws: '0.10.0' }).applyTo(app);
  const chart = newChart({ namespace: 'vllm' }, app);
  const group = newGroup(chart, { apiKey: SecretKey.of('a', 'b'), environment: { B: '2', A: '1' } });
  group.patchPods(JsonPatch.add('/spec/priorityClassName', 'serving'));
  Findings.accept(group, 'fit/split-not-needed', 'it is what the test is about');
  const api = new LeaderService(chart, 'leader', { group });
  const chat = new ChatApp(chart, 'chat', { api, password: SecretKey.of('c', 'd') });
  new AlbIngress(chart, 'ingress', { routes: [AlbRoute.api(api), AlbRoute.chat(chat)] });
  new PodMonitor(chart, 'monitor', { group });
  return app;
}

describe('the same input', () => {
  test('gives the same bytes, in another App and in the same one again', () => {
    const app = everything();
    const first = app.synthYaml();
    expect(first.length).toBeGreaterThan(1000);
    expect(app.synthYaml()).toBe(first);
    expect(everything().synthYaml()).toBe(first);
  });

  test('keeps the variables of the user in the order given', () => {
    const yaml = everything().synthYaml();
    expect(yaml.indexOf('name: B')).toBeLessThan(yaml.indexOf('name: A\n'));
  });
});
