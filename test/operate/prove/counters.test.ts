import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseExec, READ_COUNTERS } from '../../../src/operate/prove/exec';
import { parseSummary } from '../../../src/operate/prove/summary';

const HEAD = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 9000000    5000    0    0    0     0          0         0  9000000    5000    0    0    0     0       0          0
`;

describe('what a container shows of itself', () => {
  test('with cgroup v2 and two interfaces of any name', () => {
    const text = `${HEAD}  ens5: 1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0
ens6:    30 1 0 0 0 0 0 0 4 1 0 0 0 0 0 0
--- cpu
usage_usec 12500000
user_usec 10000000
`;
    expect(parseExec(text)).toEqual({ cpuSeconds: 12.5, received: 1030, sent: 2004 });
  });

  test('with cgroup v1', () => {
    const text = `${HEAD}  eth0: 608426 1 0 0 0 0 0 0 245847 1 0 0 0 0 0 0\n--- cpu\n3570000000\n`;
    expect(parseExec(text)).toEqual({ cpuSeconds: 3.57, received: 608426, sent: 245847 });
  });

  test('without a count of CPU, and without a network', () => {
    expect(parseExec(`${HEAD}  eth0: 1 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0\n--- cpu\n`)).toEqual({ received: 1, sent: 2 });
    expect(parseExec(`${HEAD}--- cpu\n1\n`)).toBeUndefined();
    expect(parseExec('')).toBeUndefined();
  });

  test.runIf(process.platform === 'linux')('by the very command, on this machine', () => {
    const { status, stdout } = spawnSync(READ_COUNTERS[0]!, READ_COUNTERS.slice(1), { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).toContain('face |bytes');
    expect(stdout).toContain('--- cpu');
  });
});

describe("what the kubelet's summary says of a pod", () => {
  const network = {
    time: '2026-11-30T01:00:10Z',
    name: 'eth0',
    rxBytes: 10,
    txBytes: 20,
    interfaces: [
      { name: 'eth0', rxBytes: 10, txBytes: 20 },
      { name: 'eth1', rxBytes: 1, txBytes: 2 },
    ],
  };
  const cpu = { time: '2026-11-30T01:00:09Z', usageCoreNanoSeconds: 2_500_000_000 };
  const summary = (pod: object) => ({ pods: [{ podRef: { uid: 'other' } }, { podRef: { uid: 'uid' }, ...pod }] });

  test('bytes of all interfaces, CPU, and when each was counted', () => {
    expect(parseSummary(summary({ network, cpu }), 'uid')).toEqual({
      networkTime: Date.UTC(2026, 10, 30, 1, 0, 10) / 1000,
      cpuTime: Date.UTC(2026, 10, 30, 1, 0, 9) / 1000,
      cpuSeconds: 2.5,
      received: 11,
      sent: 22,
    });
  });

  test('CPU by container, where the pod has no sum; one interface, where there is no list', () => {
    const alone = { ...network, interfaces: undefined };
    const containers = [{ cpu }, { cpu: { ...cpu, time: '2026-11-30T01:00:08Z' } }, {}];
    expect(parseSummary(summary({ network: alone, containers }), 'uid')).toMatchObject({
      cpuTime: Date.UTC(2026, 10, 30, 1, 0, 8) / 1000,
      cpuSeconds: 5,
      received: 10,
    });
  });

  test.each([
    ['no such pod', summary({ network }), 'another'],
    ['no network', summary({ cpu }), 'uid'],
    ['a network without bytes', summary({ network: { time: network.time, name: 'eth0' } }), 'uid'],
    [
      'the loopback alone',
      summary({ network: { ...network, interfaces: [{ name: 'lo', rxBytes: 1, txBytes: 1 }] } }),
      'uid',
    ],
    ['nothing', {}, 'uid'],
    ['a text', 'no', 'uid'],
  ])('nothing of %s', (_, from, uid) => {
    expect(parseSummary(from, uid)).toBeUndefined();
  });
});
