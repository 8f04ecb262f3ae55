import { App } from 'cdk8s';
import { ChatApp, LeaderService, PodMonitor, SecretKey, VllmPipelineGroup } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { expectError } from '../common/errors';
import { env, find, newChart, newGroup, type PodTemplate } from './harness';

describe('constructs in another namespace than their group', () => {
  const app = new App();
  const models = newChart({ namespace: 'models' }, app, 'models');
  const web = newChart({ namespace: 'web' }, app, 'web');
  const group = newGroup(models, { apiKey: SecretKey.of('key', 'k') });
  const api = new LeaderService(models, 'leader', { group });

  test('a Service would select nothing, and is refused', () => {
    expectError(
      () => new LeaderService(web, 'leader', { group }),
      "group 'gemma' is in namespace 'models'",
      "the Service in 'web'",
    );
    const far = VllmPipelineGroup.fromName('far', { groupNamespace: 'models' });
    expectError(() => new LeaderService(web, 'far-leader', { group: far }), "group 'far' is in namespace 'models'");
    expect(() => new LeaderService(web, 'x', { group: VllmPipelineGroup.fromName('any') })).not.toThrow();
  });

  test('a monitor looks into the namespace of the group', () => {
    new PodMonitor(web, 'monitor', { group });
    expect(find(web, 'PodMonitor').spec).toMatchObject({ namespaceSelector: { matchNames: ['models'] } });
    new PodMonitor(models, 'monitor', { group });
    expect(find(models, 'PodMonitor').spec).not.toHaveProperty('namespaceSelector');
  });

  test('a chat page calls the Service by its full name', () => {
    new ChatApp(web, 'chat', { api, password: SecretKey.of('p', 'p') });
    const { spec } = find<{ template: PodTemplate }>(web, 'Deployment');
    expect(env(spec.template, 'UPSTREAM_URL')).toBe('http://leader.models:8000');
  });
});
