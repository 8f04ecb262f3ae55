import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnCluster } from './harness/given';

const BUILD = join(__dirname, '../programs/build.mjs');

describeOnCluster('the programs', () => {
  let cache: string;
  beforeAll(() => {
    cache = mkdtempSync(join(tmpdir(), 'cache-'));
  });
  afterAll(() => rmSync(cache, { recursive: true }));

  /** With an empty cache of programs, and the compiler's own as it is. */
  const build = async () => {
    const GOCACHE = execFileSync('go', ['env', 'GOCACHE'], { encoding: 'utf8' }).trim();
    const run = spawn(process.execPath, [BUILD], { env: { ...process.env, XDG_CACHE_HOME: cache, GOCACHE } });
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
    const programs = ['control-plane', 'keeper', 'kubeconform', 'lws', 'lws-crds'];
    expect(readdirSync(runs[0].folder).sort()).toEqual(programs);
    // Nothing unfinished beside them, and nothing to do the next time.
    expect(readdirSync(join(cache, 'cdk8s-vllm/programs')).sort()).toHaveLength(2);
    expect(await build()).toEqual({ code: 0, folder: runs[0].folder, words: '' });
  });
});
