import { afterAll, beforeAll, expect, test } from 'vitest';
import { echoGroup } from './echo';
import { cutNetwork, healNetwork, powerOff, powerOn, signalPod } from './faults';
import { describeInLab, lab } from './harness/given';
import { kubectl } from './harness/kubectl';
import { note, type NodeName } from './harness/lab';
import { apply, type Pod, readyPods, removeNamespace } from './live';
import { seconds } from './serving';
import { until } from './wait';

const NAMESPACE = 'faults';

/** The faults themselves; what vLLM makes of them is asked elsewhere. */
describeInLab('faults that the lab can make', () => {
  let pods: readonly Pod[];
  beforeAll(async () => {
    await apply(echoGroup(NAMESPACE));
    pods = await readyPods(NAMESPACE, 'app=echo', 2);
  });
  afterAll(async () => await removeNamespace(NAMESPACE));

  /** Whether one pod of the group gets an answer from the other. */
  const answers = async () => {
    const script = 'timeout 2 wget -qO- http://$LWS_LEADER_ADDRESS:8000/ || echo none';
    const said = await kubectl(lab(), ['exec', '-n', NAMESPACE, 'echo-0-1', '--', 'sh', '-c', script]);
    return said.startsWith('echo-0 ');
  };

  test('a network that is cut between the nodes, and heals', async () => {
    await until('an answer over the whole network', answers);
    cutNetwork();
    try {
      expect(await answers()).toBe(false);
    } finally {
      healNetwork();
    }
    await until('an answer over the healed network', answers);
  });

  test('a pod that hangs, goes on, and is killed', async () => {
    const [leader] = pods;
    signalPod(leader!, 'SIGSTOP');
    expect(await answers()).toBe(false);
    signalPod(leader!, 'SIGCONT');
    await until('an answer of the pod that goes on', answers);
    signalPod(leader!, 'SIGKILL');
    const old = new Set(pods.map(({ metadata }) => metadata.uid));
    // The group starts anew as a whole.
    pods = await readyPods(NAMESPACE, 'app=echo', 2, ({ metadata }) => !old.has(metadata.uid));
  });

  test('a node that loses its power, and gets it back', async () => {
    const node = pods[1]!.spec.nodeName as NodeName;
    const isReady = async () => {
      const path = '{.status.conditions[?(@.type=="Ready")].status}';
      return (await kubectl(lab(), ['get', 'node', node, '-o', `jsonpath=${path}`])) === 'True';
    };
    const off = Date.now();
    powerOff(node);
    await until(`${node} to be missed`, async () => !(await isReady()));
    note(lab(), `a node without power is missed after ${seconds(off)} s`);
    const on = Date.now();
    powerOn(node);
    await until(`${node} to be Ready again`, isReady);
    note(lab(), `it is Ready ${seconds(on)} s after the power is back`);
    pods = await readyPods(NAMESPACE, 'app=echo', 2);
    await until('an answer from node to node', answers);
    note(lab(), `its group answers ${seconds(on)} s after the power is back`);
  });
});
