import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clusterFacts, describeOnCluster } from './harness/given';
import { processesNaming } from './harness/processes';
import { until } from './harness/wait';

const BUILD = join(__dirname, '../programs/build.mjs');

describeOnCluster('the programs', () => {
  let cache: string;
  beforeAll(() => {
    cache = mkdtempSync(join(tmpdir(), 'cache-'));
  });
  afterAll(() => rmSync(cache, { recursive: true }));

  /** With a cache of programs of its own, and the compiler's own as it is. */
  const start = (env: NodeJS.ProcessEnv = {}) => {
    const GOCACHE = execFileSync('go', ['env', 'GOCACHE'], { encoding: 'utf8' }).trim();
    return spawn(process.execPath, [BUILD], { env: { ...process.env, XDG_CACHE_HOME: cache, GOCACHE, ...env } });
  };
  const build = async (env: NodeJS.ProcessEnv = {}) => {
    const run = start(env);
    const [out, words] = await Promise.all([text(run.stdout), text(run.stderr), once(run, 'exit')]);
    return { code: run.exitCode, folder: out.trim(), words };
  };

  test('are built once by two runs that want them at the same time', async () => {
    // What one that was killed has left.
    mkdirSync(join(cache, 'cdk8s-vllm/programs', `${'0'.repeat(16)}.${2 ** 30}`), { recursive: true });
    const runs = await Promise.all([build(), build()]);
    expect(runs.map(({ code, words }) => (code === 0 ? 'built' : words))).toEqual(['built', 'built']);
    expect(runs[0].folder).toBe(runs[1].folder);
    expect(
      runs
        .map(({ words }) => words)
        .join('')
        .match(/^built in/gm),
    ).toHaveLength(1);
    const programs = ['control-plane', 'keeper', 'kubeconform', 'lws', 'lws-crds', 'sizes.json'];
    expect(readdirSync(runs[0].folder).sort()).toEqual(programs);
    // Nothing unfinished beside them, and nothing to do the next time.
    expect(readdirSync(join(cache, 'cdk8s-vllm/programs')).sort()).toHaveLength(2);
    expect(await build()).toEqual({ code: 0, folder: runs[0].folder, words: '' });
  });

  test('that were cut short are built anew', async () => {
    const { folder } = await build();
    for (const harm of [
      () => truncateSync(join(folder, 'control-plane'), 1000),
      () => rmSync(join(folder, 'lws-crds'), { recursive: true }),
    ]) {
      harm();
      const { code, words } = await build();
      expect(words).toContain('is not as it was built; building it anew');
      expect(code).toBe(0);
    }
    expect(await build()).toEqual({ code: 0, folder, words: '' });
  });

  test('are no longer built when nobody waits for them, and the next build removes what is left', async () => {
    rmSync(join(cache, 'cdk8s-vllm'), { recursive: true });
    const run = start();
    await until(
      'the compiler to run',
      async () => await Promise.resolve(running().some((args) => /\0-trimpath\0/.test(args))),
    );
    run.kill('SIGKILL');
    await until('it to end', async () => await Promise.resolve(running().length === 0), running);
    const { code, folder } = await build();
    expect(code).toBe(0);
    expect(readdirSync(join(cache, 'cdk8s-vllm/programs')).sort()).toEqual([basename(folder), 'lock'].sort());
  });

  const running = () => processesNaming(cache);

  test('cannot be built without modules, which says where they come from', async () => {
    rmSync(join(cache, 'cdk8s-vllm'), { recursive: true });
    const { code, words } = await build({ GOPROXY: 'off', GOMODCACHE: join(cache, 'modules') });
    expect(code).toBe(1);
    expect(words).toContain('module lookup disabled by GOPROXY=off');
    expect(words).toContain('modules come from GOPROXY');
    // Nothing half done.
    expect(readdirSync(join(cache, 'cdk8s-vllm/programs'))).toEqual(['lock']);
  });

  test('cannot be built without Go, which says where to get it', async () => {
    const { code, words } = await build({ PATH: cache });
    expect(code).toBe(1);
    expect(words).toBe('test/programs: Go does not run; install 1.26 or newer: https://go.dev/dl/\n');
  });

  test('are those of the versions that docs/testing.md names', () => {
    const { programs } = clusterFacts();
    const said = (component: string, ...args: string[]) =>
      execFileSync(join(programs, 'control-plane'), [component, ...args], { encoding: 'utf8' });
    for (const component of ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy']) {
      expect(said(component, '--version')).toBe('Kubernetes v1.36.3\n');
    }
    expect(said('kubectl', 'version', '--client')).toContain('Client Version: v1.36.3');
    expect(said('kwok', '--version')).toMatch(/^kwok version /);
    expect(said('etcd', '--version')).toContain('etcd Version: 3.6.');
  });
});
