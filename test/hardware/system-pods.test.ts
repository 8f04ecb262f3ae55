import { Size } from 'cdk8s';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Cpu } from '../../src/common/cpu';
import type { SystemPodSpec } from '../../src/hardware/node-spec';
import { nodeOf } from '../../src/hardware/nodes';
import { systemPodSpec } from '../../src/hardware/system-pod';
import {
  bestNode,
  DEFAULT_SYSTEM_PODS,
  freeOn,
  LWS_CONTROLLER,
  LWS_CONTROLLER_OF_CHART,
  worstNode,
} from '../../src/hardware/system-pods';
import { expectError } from '../common/errors';

const MEBI = 1024 ** 2;
const GIBI = 1024 ** 3;
const node = nodeOf('m7g.2xlarge');

describe('the node of the article', () => {
  // The article names the operator of Prometheus, Prometheus, Grafana and a log shipper, and no requests but those of LWS;
  // with these, which are common, its sum comes out.
  const beside: SystemPodSpec[] = [
    ...DEFAULT_SYSTEM_PODS.filter(({ name }) => ['aws-node', 'kube-proxy', 'alloy'].includes(name)),
    { name: 'prometheus-operator', cpuMillis: 100, memory: 100 * MEBI, everyNode: false },
    { name: 'prometheus', cpuMillis: 500, memory: 2 * GIBI, everyNode: false },
    { name: 'grafana', cpuMillis: 250, memory: 256 * MEBI, everyNode: false },
  ];

  test('has 7.9 of 8 vCPUs for pods', () => {
    expect(node.allocatable.cpuMillis).toBe(7910);
  });

  test('has 5.9 left beside monitoring and the LWS controller of the chart: 100 millicores short of a rank', () => {
    const free = freeOn(node, [...beside, LWS_CONTROLLER_OF_CHART]);
    expect(free.cpuMillis).toBe(5900);
    expect(6000 - free.cpuMillis).toBe(100);
  });

  test('has room for the 6 vCPU and 20 GiB of a rank with the request of 100m that the prerequisites set', () => {
    const free = freeOn(node, [...beside, LWS_CONTROLLER]);
    expect(free.cpuMillis).toBe(6800);
    expect(free.memory).toBeGreaterThan(20 * GIBI);
  });

  test('has room for a rank beside all default system pods', () => {
    expect(freeOn(node, DEFAULT_SYSTEM_PODS)).toEqual({ cpuMillis: 7350, memory: 27844 * MEBI, pods: 42 });
  });
});

describe('system pods', () => {
  test('every node has the DaemonSets: 150m of EKS and 10m of Alloy', () => {
    expect(bestNode(DEFAULT_SYSTEM_PODS)).toMatchObject({ cpuMillis: 160, memory: 50 * MEBI, pods: 5 });
    expect(bestNode(DEFAULT_SYSTEM_PODS).list.map(({ name }) => name)).toEqual([
      'aws-node',
      'kube-proxy',
      'eks-pod-identity-agent',
      'prometheus-node-exporter',
      'alloy',
    ]);
  });

  test('all of them may land on one node', () => {
    const worst = worstNode(DEFAULT_SYSTEM_PODS);
    expect(worst).toEqual({
      cpuMillis: 560,
      memory: (1024 + 70 + 70 + 200 + 50) * MEBI,
      pods: 16,
      list: DEFAULT_SYSTEM_PODS,
    });
  });

  test('the chart and the prerequisites differ in the CPU alone', () => {
    expect(LWS_CONTROLLER_OF_CHART).toEqual({ ...LWS_CONTROLLER, cpuMillis: 1000 });
    expect(DEFAULT_SYSTEM_PODS).toContain(LWS_CONTROLLER);
  });

  test('no pods leave the node as it is, more pods never leave more', () => {
    const pod = fc.record({
      name: fc.constant('a'),
      cpuMillis: fc.nat(4000),
      memory: fc.nat(8 * GIBI),
      everyNode: fc.boolean(),
    });
    expect(freeOn(node, [])).toEqual(node.allocatable);
    fc.assert(
      fc.property(fc.array(pod), pod, (pods, one) => {
        const [before, after] = [freeOn(node, pods), freeOn(node, [...pods, one])];
        expect(after).toEqual({
          cpuMillis: before.cpuMillis - one.cpuMillis,
          memory: before.memory - one.memory,
          pods: before.pods - 1,
        });
        expect(bestNode(pods).cpuMillis).toBeLessThanOrEqual(worstNode(pods).cpuMillis);
      }),
    );
  });

  test('a pod of the user is turned into plain numbers', () => {
    expect(
      systemPodSpec({ name: 'node-local-dns', cpu: Cpu.millis(25), memory: Size.mebibytes(5), everyNode: true }),
    ).toEqual({ name: 'node-local-dns', cpuMillis: 25, memory: 5 * MEBI, everyNode: true });
    expect(systemPodSpec({ name: 'a' })).toEqual({ name: 'a', cpuMillis: 0, memory: 0, everyNode: false });
  });

  test('a wrong name or CPU is refused', () => {
    expectError(() => systemPodSpec({ name: 'A b' }), "name of a system pod is 'A b'");
    expectError(
      () => systemPodSpec({ name: 'a', cpu: 100 as unknown as Cpu }),
      'cpu of system pod a is of type number; it takes a value such as Cpu.millis(100)',
    );
  });
});
