import { afterAll, beforeAll, expect, test } from 'vitest';
import { articleBundle } from './article';
import { RIGHTS } from '../../src/operate/kubectl/rights';
import type { ProveReport } from '../../src/operate/prove/report';
import { referenceBundle } from './bundle';
import { command, prove, smoke } from './commands';
import { describeInLab, lab } from './harness/given';
import { kubectl } from './harness/kubectl';
import { note } from './harness/lab';
import { ask } from './http';
import { withRights } from './rights';
import { addressOf, type Pod, readyPods, removeNamespace } from './live';
import { API_KEY, complete, completionIn, MODEL, NAMESPACE, PASSWORD, seconds, serving } from './serving';

const BUNDLES = { 'the reference bundle': referenceBundle, "the article's manifest": articleBundle };
/** What each has said, the likeliest words of one model. */
const said = new Map<string, string>();

function counted({ pods }: ProveReport): string {
  const [, worker] = pods;
  const { request, predicted } = worker!;
  return `the worker received ${request?.received} and sent ${request?.sent} bytes, predicted ${predicted?.received} and ${predicted?.sent}`;
}

describeInLab.each(Object.entries(BUNDLES))('%s', (name, bundle) => {
  let pods: readonly Pod[];
  beforeAll(async () => {
    pods = await serving(name, bundle());
  });
  afterAll(async () => await removeNamespace(NAMESPACE));

  test('has its two ranks on two nodes, and no container was started twice', () => {
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(['vllm-gemma-0', 'vllm-gemma-0-1']);
    expect(new Set(pods.map(({ spec }) => spec.nodeName)).size).toBe(2);
    const restarts = pods.map(({ status }) => status.containerStatuses?.map(({ restartCount }) => restartCount));
    expect(restarts).toEqual([[0], [0]]);
  });

  test('answers through its Service with the key, and not without', async () => {
    const asked = Date.now();
    const { model, choices, usage } = completionIn(await complete(8));
    note(lab(), `${name}: its first answer, after ${seconds(asked)} s`);
    said.set(name, choices[0]!.message.content);
    expect({ model, reason: choices[0]!.finish_reason, tokens: usage.completion_tokens }).toEqual({
      model: MODEL,
      reason: 'length',
      tokens: 8,
    });
    expect((await complete(8, null)).status).toBe(401);
    expect((await complete(8, `${API_KEY}x`)).status).toBe(401);
  });

  test('holds in smoke', async () => {
    const { code, report } = await smoke('--tokens', '8');
    expect(report.breakage).toBeUndefined();
    const held = Object.fromEntries(report.checks.map((check) => [check.id, check.held]));
    expect(held).toEqual({
      pods: 'yes',
      health: 'yes',
      model: 'yes',
      chat: 'yes',
      stream: 'yes',
      key: 'yes',
      alive: 'yes',
    });
    expect(code).toBe(0);
  });

  test.each(['summary', 'exec'])('is proven to cross both nodes, counted by %s', async (way) => {
    const { code, report } = await prove('--tokens', '32', '--rest', '5', '--counters', way);
    expect({ code, verdict: report.verdict, said: report.said }).toMatchObject({ code: 0, verdict: 'crossed' });
    expect(report.counters).toBe(way);
    for (const { request, predicted } of report.pods) {
      for (const ratio of [request!.received / predicted!.received, request!.sent / predicted!.sent]) {
        expect(ratio).toBeGreaterThan(0.7);
        expect(ratio).toBeLessThan(1.5);
      }
    }
    note(lab(), `${name}: prove, by ${way}: ${counted(report)}`);
  });

  test('has no warning about it but that probes ask before the server listens', async () => {
    const reasons = await kubectl(lab(), [
      ...['get', 'events', '-n', NAMESPACE, '--field-selector=type=Warning'],
      ...['-o', 'jsonpath={range .items[*]}{.reason}{"\\n"}{end}'],
    ]);
    expect(reasons.split('\n').filter((reason) => reason !== '' && reason !== 'Unhealthy')).toEqual([]);
  });

  if (bundle === referenceBundle) {
    test('smoke takes those that its page names, and prove says which it misses', async () => {
      await withRights(NAMESPACE, 'smoker', RIGHTS.smoke, async (kubeconfig) => {
        expect(await command(['smoke', '--tokens', '8'], { kubeconfig })).toMatchObject({ code: 0, stderr: '' });
        const { code, stderr } = await command(['prove', '--rest', '1'], { kubeconfig });
        expect(stderr).toContain('may not get nodes/proxy of the cluster');
        expect(stderr).toContain(`may not create pods/exec in the namespace ${NAMESPACE}`);
        expect(code).toBe(2);
      });
    });

    test('prove takes those of the namespace, and needs none of the cluster', async () => {
      const rights = RIGHTS.prove.filter(({ of }) => of === 'namespace');
      await withRights(NAMESPACE, 'prover', rights, async (kubeconfig) => {
        const { code, stdout } = await command(['prove', '--rest', '1', '--tokens', '32'], { kubeconfig });
        expect(stdout).toContain('Counters within the containers');
        expect(code).toBe(0);
      });
    });

    test('a wrong key is told from a server that fails', async () => {
      const { code, stdout } = await command(['smoke'], { key: 'not-the-key' });
      expect(stdout).toContain('the server refuses the key');
      expect(code).toBe(1);
    });

    test('answers in its chat app with the password, and not without', async () => {
      const [chat] = await readyPods(NAMESPACE, 'app=chat-app', 1);
      expect(['n1', 'n2']).toContain(chat!.spec.nodeName);
      const url = `${await addressOf(NAMESPACE, 'chat-app')}/chat/api/chat`;
      const body = { messages: [{ role: 'user', content: 'Hello' }] };
      const basic = (password: string) => ({ authorization: `Basic ${btoa(`lab:${password}`)}` });
      const { status, text } = await ask({ url, body, headers: basic(PASSWORD) });
      expect({ status, text }).toMatchObject({ status: 200 });
      expect(text).toMatch(/^data: \{.*"delta":/m);
      expect(text).toMatch(/^data: \[DONE\]$/m);
      expect((await ask({ url, body })).status).toBe(401);
      expect((await ask({ url, body, headers: basic('wrong') })).status).toBe(401);
      note(lab(), 'the chat app has answered');
    });
  }
});

describeInLab('both', () => {
  test('say the same, being the same model', () => {
    expect([...said.keys()]).toEqual(Object.keys(BUNDLES));
    expect(new Set(said.values()).size).toBe(1);
  });
});
