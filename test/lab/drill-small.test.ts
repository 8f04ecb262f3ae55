import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ClusterDrillReport } from '../../src/operate/drill/report';
import { command, PROGRAM } from './commands';
import { describeInLab, lab } from './harness/given';
import { stoppedIn } from './faults';
import { kubectl } from './harness/kubectl';
import { apply, type Pod, readyPods, removeNamespace } from './live';
import { loneStorytellers, storytellers } from './storytellers';
import { until } from './wait';

const NAMESPACE = 'small';
const shell = () => `nsenter --net=/run/netns/${lab().name}-{node} sh -c`;

const tablesOf = (node: string): string =>
  execFileSync('nsenter', [`--net=/run/netns/${lab().name}-${node}`, 'nft', 'list', 'tables', 'inet'], {
    encoding: 'utf8',
  });
const drillTablesOf = (node: string): string[] => tablesOf(node).match(/cdk8s_vllm_drill_\d+/g) ?? [];
const ready = async (count = 2): Promise<readonly Pod[]> => await readyPods(NAMESPACE, 'app=teller', count);
const uids = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.uid);

async function isCordoned(node: string): Promise<boolean> {
  return (await kubectl(lab(), ['get', 'node', node, '-o', 'jsonpath={.spec.unschedulable}'])) === 'true';
}

async function drilled(...args: string[]): Promise<{ code: number | null; report: ClusterDrillReport }> {
  const { code, stdout, stderr } = await command(['drill', '-n', NAMESPACE, '--yes', '-o', 'json', ...args]);
  return { code, report: JSON.parse(stdout || JSON.stringify({ stderr })) as ClusterDrillReport };
}

/** A drill that somebody may end half-way. */
class Drill {
  private readonly child: ChildProcess;
  private said = '';

  public constructor(...args: string[]) {
    const { folder, name } = lab();
    const where = [`--kubectl=${join(folder, 'bin/kubectl')}`, `--kubeconfig=${join(folder, 'keys/admin.kubeconfig')}`];
    const argv = [PROGRAM, 'drill', '-n', NAMESPACE, ...where, '--yes', '--node-shell', shell(), ...args];
    this.child = spawn('nsenter', [`--net=/run/netns/${name}-control-plane`, process.execPath, ...argv], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.said += text));
  }

  /** Waits for what it does. */
  public async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    await until(what, async () => {
      if (this.child.exitCode !== null) {
        throw new Error(`no ${what}: the drill ended with ${this.child.exitCode}: ${this.said}`);
      }
      return await isSo();
    });
  }

  /** Its exit code, and what it said. */
  public async end(signal: NodeJS.Signals): Promise<{ code: unknown; said: string }> {
    const exit = once(this.child, 'close');
    this.child.kill(signal);
    // Whoever has no patience does no harm.
    this.child.kill(signal);
    const [code] = (await exit) as [unknown];
    return { code, said: this.said };
  }

  public leave(): void {
    this.child.kill('SIGKILL');
  }
}

describeInLab('a drill of a group whose ranks are small', () => {
  let pods: readonly Pod[];
  let run: Drill | undefined;
  beforeAll(async () => {
    await apply(storytellers(NAMESPACE));
    await ready();
  });
  beforeEach(async () => (pods = await ready()));
  afterEach(() => run?.leave());
  afterAll(async () => await removeNamespace(NAMESPACE));

  describe('that is ended half-way', () => {
    test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('by %s leaves no cut', async (signal) => {
      const node = pods[1]!.spec.nodeName!;
      run = new Drill('--fault', 'cut');
      await run.until('packets that are dropped', () => drillTablesOf(node).length > 0);
      const { code, said } = await run.end(signal);
      expect(said).toBe(
        'cdk8s-vllm: puts right what the fault left; wait for it\ncdk8s-vllm: the network is whole again\n',
      );
      expect(code).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: null }[signal]);
      expect(drillTablesOf(node)).toEqual([]);
      expect(uids(await ready())).toEqual(uids(pods));
    });

    test('leaves nothing that is stopped', async () => {
      const { name } = pods[1]!.metadata;
      expect(stoppedIn(pods[1]!)).toBe(0);
      run = new Drill('--fault', 'stop-worker');
      await run.until('processes that are stopped', () => stoppedIn(pods[1]!) > 0);
      const { code, said } = await run.end('SIGINT');
      expect({ code, said }).toEqual({
        code: 130,
        said: `cdk8s-vllm: puts right what the fault left; wait for it\ncdk8s-vllm: the processes of ${name} go on\n`,
      });
      expect(stoppedIn(pods[1]!)).toBe(0);
    });

    test('leaves no node that takes no pods', async () => {
      const node = pods[1]!.spec.nodeName!;
      run = new Drill('--fault', 'drain');
      await run.until('a node that is cordoned', async () => await isCordoned(node));
      const { code, said } = await run.end('SIGINT');
      expect(code).toBe(130);
      expect(said).toContain(`cdk8s-vllm: ${node} takes pods again\n`);
      expect(await isCordoned(node)).toBe(false);
      await ready();
    });

    test('before anything is broken says nothing and breaks nothing', async () => {
      run = new Drill('--fault', 'delete-worker');
      await new Promise((resolve) => setTimeout(resolve, 300));
      const { code } = await run.end('SIGINT');
      expect([130, null]).toContain(code);
      expect(uids(await ready())).toEqual(uids(pods));
    });
  });

  test('whose shell fails half-way says what is left and what to do by hand, and breaks nothing more', async () => {
    const node = pods[1]!.spec.nodeName!;
    const folder = mkdtempSync(join(tmpdir(), 'shell-'));
    const file = join(folder, 'shell');
    writeFileSync(
      file,
      `#!/bin/sh\nnode=$1; shift\ncase "$*" in "nft delete"*) echo 'no way there' >&2; exit 255;; esac\nexec nsenter --net=/run/netns/${lab().name}-$node sh -c "$@"\n`,
    );
    chmodSync(file, 0o755);
    try {
      const faults = ['--fault', 'cut', '--fault', 'delete-worker'];
      const { code, report } = await drilled(...faults, '--timeout', '8', '--node-shell', `${file} {node}`);
      expect(code, JSON.stringify(report)).toBe(1);
      const [table] = drillTablesOf(node);
      expect(report.faults).toHaveLength(1);
      expect(report.faults[0]).toMatchObject({ fault: 'cut', held: 'no' });
      expect(report.faults[0]!.stillBroken).toContain('ended with 255: no way there; put it right by hand: ');
      expect(report.faults[0]!.stillBroken).toContain(`\`nft delete table inet ${table}\` as root on ${node}`);
      expect(report.notMade).toEqual([{ fault: 'delete-worker', why: 'not tried, since something of cut is left' }]);
      expect(uids(await ready())).toEqual(uids(pods));
      execFileSync('nsenter', [`--net=/run/netns/${lab().name}-${node}`, 'nft', 'delete', 'table', 'inet', table!]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('that nothing in the manifest heals is told so, and put right', async () => {
    const { code, report } = await drilled('--fault', 'stop-worker', '--timeout', '8');
    expect(code).toBe(1);
    expect(report.faults[0]).toMatchObject({
      held: 'no',
      said: 'nothing ended it within 8 s: every pod is still the one that it was',
    });
    expect(report.faults[0]).not.toHaveProperty('stillBroken');
    expect(stoppedIn(pods[1]!)).toBe(0);
  });
});

describeInLab('a drill of one among several', () => {
  afterEach(async () => await removeNamespace(NAMESPACE));

  const expectHealed = ({ code, report }: Awaited<ReturnType<typeof drilled>>, faults: number) => {
    expect(
      report.faults.map(({ held, said }) => `${held}: ${said}`),
      JSON.stringify(report),
    ).toEqual(Array(faults).fill('yes: it healed by itself, as one group'));
    expect(code).toBe(0);
  };

  test('group of a LeaderWorkerSet leaves the others alone', async () => {
    await apply(storytellers(NAMESPACE, 2));
    const before = await ready(4);
    const asked = await command(['drill', '-n', NAMESPACE]);
    expect(asked).toMatchObject({ code: 2 });
    expect(asked.stderr).toContain('--group takes one of teller-0, teller-1');
    expectHealed(await drilled('--group', 'teller-1', '--fault', 'delete-worker', '--fault', 'delete-leader'), 2);
    const after = await ready(4);
    const isOf = (group: string) => (pod: Pod) => pod.metadata.name.startsWith(group);
    expect(uids(after.filter(isOf('teller-0')))).toEqual(uids(before.filter(isOf('teller-0'))));
    expect(uids(before)).not.toContain(uids(after.filter(isOf('teller-1')))[0]);
  });

  test('pod of a Deployment is followed by the one that comes in its place', async () => {
    await apply(loneStorytellers(NAMESPACE, 2));
    const before = await ready(2);
    const [one, other] = before.map(({ metadata }) => metadata);
    const done = await drilled('--group', one!.name, '--fault', 'delete-leader', '--fault', 'drain');
    expectHealed(done, 2);
    const [first, second] = done.report.faults;
    expect(first!.before).toEqual([one!.uid]);
    expect(second!.before).toEqual(first!.after);
    expect(uids(await ready(2))).toContain(other!.uid);
  });

  test('pod of a Deployment of one is', async () => {
    await apply(loneStorytellers(NAMESPACE, 1));
    await ready(1);
    expectHealed(await drilled('--fault', 'delete-leader', '--fault', 'drain'), 2);
  });
});
