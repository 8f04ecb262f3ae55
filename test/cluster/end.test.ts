import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Client } from './harness/client';
import type { ClusterFacts } from './harness/cluster';
import { client, clusterFacts, describeOnCluster } from './harness/given';
import { isFree } from './harness/ports';
import { isAlive, processesNaming } from './harness/processes';
import { until } from './harness/wait';

const ROOT = join(__dirname, '../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

type Facts = ClusterFacts & { readonly worker: number };

let folder: string;
let run: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-'));
});
afterEach(() => {
  if (run?.exitCode === null && run.signalCode === null) {
    run.kill('SIGKILL');
  }
  rmSync(folder, { recursive: true });
});

/** Starts `npm run test:cluster` with one test of test/cluster/runs. */
function start(
  name: string,
  more: NodeJS.ProcessEnv = {},
): { readonly run: ChildProcess; readonly facts: () => Facts | undefined } {
  const env = {
    ...process.env,
    CLUSTER_TESTS: `test/cluster/runs/${name}.ts`,
    FACTS: join(folder, 'facts.json'),
    // Not a run of npm's, even where npm runs the tests.
    npm_lifecycle_event: '',
    ...more,
  };
  const args = [VITEST, 'run', '--config', 'vitest.cluster.config.mts', '--root', ROOT];
  run = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'ignore' });
  return { run, facts: readFacts };
}

/** What the run says once it is half-way. */
function readFacts(): Facts | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')) as Facts;
  } catch {
    // Not there, or not all of it.
    return undefined;
  }
}

/** What is still there of a run. */
async function leftOf({ processIds, worker, ports, folder: data }: Facts): Promise<string[]> {
  const busy = await Promise.all(ports.map(async (port) => ((await isFree(port)) ? [] : [`port ${port}`])));
  return [
    ...[...processIds, worker].filter(isAlive).map((pid) => `process ${pid}`),
    ...busy.flat(),
    ...(existsSync(data) ? [`folder ${data}`] : []),
  ];
}

async function untilNothingIsLeft(facts: Facts): Promise<void> {
  await until(
    'the run to leave nothing behind',
    async () => (await leftOf(facts)).length === 0,
    async () => await leftOf(facts),
  );
}

describeOnCluster('a run', () => {
  test.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
    'that is ended half-way by %s leaves nothing behind',
    async (signal) => {
      const { run, facts } = start('endless');
      const found = await until('the run to be half-way', async () => await Promise.resolve(facts()));
      // Everything of it is there: etcd, API server, two controllers, scheduler, LWS, KWOK, their keeper.
      expect(found.processIds.filter(isAlive)).toHaveLength(7);
      expect((await leftOf(found)).length).toBe(7 + 1 + found.ports.length + 1);
      const end = once(run, 'exit');
      run.kill(signal);
      await end;
      await untilNothingIsLeft(found);
    },
  );

  test('that is killed while its cluster starts leaves nothing behind', async () => {
    const { run } = start('endless', { TMPDIR: folder });
    const clusters = () => readdirSync(folder).filter((name) => name.startsWith('test-cluster-'));
    await until('the data of etcd', async () => {
      return await Promise.resolve(clusters().some((name) => existsSync(join(folder, name, 'etcd'))));
    });
    expect(processesNaming(folder)).not.toEqual([]);
    run.kill('SIGKILL');
    const left = () => [...processesNaming(folder), ...clusters()];
    await until('the run to leave nothing behind', async () => await Promise.resolve(left().length === 0), left);
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)('by npm, which gets %s, leaves nothing behind', async (signal) => {
    const env = { ...process.env, CLUSTER_TESTS: 'test/cluster/runs/endless.ts', FACTS: join(folder, 'facts.json') };
    run = spawn('npm', ['run', 'test:cluster'], { cwd: ROOT, env, stdio: 'ignore' });
    const found = await until('the run to be half-way', async () => await Promise.resolve(readFacts()));
    run.kill(signal);
    await untilNothingIsLeft(found);
  });

  test('whose keeper is killed has no other process left', async () => {
    const { run, facts } = start('endless');
    const { processIds } = await until('the run to be half-way', async () => await Promise.resolve(facts()));
    const { folder: data } = facts()!;
    process.kill(processIds[0]!, 'SIGKILL');
    const left = () => processIds.filter(isAlive);
    await until('its processes to end', async () => await Promise.resolve(left().length === 0), left);
    const end = once(run, 'exit');
    run.kill('SIGKILL');
    await end;
    rmSync(data, { recursive: true });
  });

  test('whose test fails leaves nothing behind', async () => {
    const { run, facts } = start('failing');
    const [code] = (await once(run, 'exit')) as [number];
    expect(code).toBe(1);
    await untilNothingIsLeft(facts()!);
  });

  test('goes on beside another one', async () => {
    const { facts } = start('endless');
    const other = await until('the other run to be half-way', async () => await Promise.resolve(facts()));
    const own = clusterFacts();
    expect(other.ports.filter((port) => own.ports.includes(port))).toEqual([]);
    const otherClient = new Client(other.connection);
    try {
      const [here, there] = await Promise.all([client().get('/readyz'), otherClient.get('/readyz')]);
      expect([here.status, there.status]).toEqual([200, 200]);
      // Two clusters, and not one by two names.
      const uid = async (each: Client) =>
        (await each.get<{ metadata: { uid: string } }>('/api/v1/namespaces/kube-system')).body.metadata.uid;
      expect(await uid(client())).not.toBe(await uid(otherClient));
    } finally {
      otherClient.close();
    }
  });
});
