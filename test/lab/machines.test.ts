import { afterAll, beforeAll, expect, test } from 'vitest';
import { echoGroup } from './echo';
import { describeInLab, lab } from './harness/given';
import { kubectl } from './harness/kubectl';
import { note } from './harness/lab';
import { ask } from './http';
import { addressOf, apply, type Pod, readyPods, removeNamespace } from './live';

const NAMESPACE = 'echo';

describeInLab('two nodes', () => {
  let pods: readonly Pod[];
  beforeAll(async () => {
    await apply(echoGroup(NAMESPACE));
    pods = await readyPods(NAMESPACE, 'app=echo', 2);
    note(lab(), 'a group of two small pods is ready');
  });
  afterAll(async () => await removeNamespace(NAMESPACE));

  const inPod = async (pod: string, script: string) =>
    await kubectl(lab(), ['exec', '-n', NAMESPACE, pod, '--', 'sh', '-c', script]);

  test('have one pod of a group each', () => {
    expect(pods.map(({ metadata, spec }) => [metadata.name, spec.nodeName])).toHaveLength(2);
    expect(new Set(pods.map(({ spec }) => spec.nodeName))).toEqual(new Set(['n1', 'n2']));
  });

  test('let pods find each other by the names of LWS, both ways', async () => {
    expect(await inPod('echo-0-1', 'wget -qO- http://$LWS_LEADER_ADDRESS:8000/')).toContain('echo-0 ');
    expect(await inPod('echo-0', 'wget -qO- http://echo-0-1.echo:8000/')).toContain('echo-0-1 ');
  });

  test('let pods and others reach a Service', async () => {
    for (const pod of ['echo-0', 'echo-0-1']) {
      expect(await inPod(pod, 'wget -qO- http://echo-leader/')).toContain('echo-0 ');
    }
    expect((await ask({ url: await addressOf(NAMESPACE, 'echo-leader') })).text).toContain('echo-0 ');
  });

  test('say that a name does not exist, as a cluster does', async () => {
    expect(await inPod('echo-0', 'nslookup no-such-name.example 2>&1 || true')).toContain('NXDOMAIN');
  });

  test('have logs and counters', async () => {
    expect(await kubectl(lab(), ['logs', '-n', NAMESPACE, 'echo-0'])).toContain('serving');
    const stats = JSON.parse(await kubectl(lab(), ['get', '--raw', '/api/v1/nodes/n1/proxy/stats/summary'])) as {
      pods: readonly { podRef: { namespace: string } }[];
    };
    // Each kubelet sees the pods of its own node alone.
    expect(stats.pods.filter(({ podRef }) => podRef.namespace === NAMESPACE)).toHaveLength(1);
  });

  test('get a whole new group when one pod of it is lost', async () => {
    await kubectl(lab(), ['delete', 'pod', '-n', NAMESPACE, 'echo-0-1', '--wait=false']);
    const old = new Set(pods.map(({ metadata }) => metadata.uid));
    const now = await readyPods(NAMESPACE, 'app=echo', 2, ({ metadata }) => !old.has(metadata.uid));
    note(lab(), 'the group is there again after the loss of a pod');
    expect(now.map(({ metadata }) => metadata.name)).toEqual(['echo-0', 'echo-0-1']);
    expect(await inPod('echo-0-1', 'wget -qO- http://$LWS_LEADER_ADDRESS:8000/')).toContain('echo-0 ');
  });
});
