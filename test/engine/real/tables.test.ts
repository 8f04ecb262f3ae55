import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasFlag, serveFlags } from '../../../src/engine/flags';
import { metrics } from '../../../src/engine/metrics';
import { holdsIn } from '../../../src/engine/releases';
import { rehearse } from '../../../src/operate/rehearse/rehearse';
import { readManifests } from '../../../src/cli/manifests';
import { packagesOf } from './packages';
import { NEWEST, pythonOf } from './rehearsal';

interface Flag {
  readonly names: readonly string[];
  readonly switch: boolean;
  readonly nargs: unknown;
}

describe('the tables of src/engine are those of the program', () => {
  test.each([NEWEST, '0.31.0'])('flags of %s', (version) => {
    const folder = mkdtempSync(join(tmpdir(), 'flags-'));
    const { stdout, status, stderr } = spawnSync(pythonOf(version), ['test/engine/real/flags.py'], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PYTHONPATH: packagesOf(version, folder) },
    });
    rmSync(folder, { recursive: true });
    expect(status, stderr.slice(-2000)).toBe(0);
    const own = (JSON.parse(stdout) as Flag[]).filter(({ names }) => names[0] !== '-h');
    const names = new Set(own.flatMap((flag) => flag.names));
    const known = [...serveFlags()].filter(([, flag]) => hasFlag(flag, version)).map(([name]) => name);
    // argparse has its own help, and vLLM's parser rewrites -O.
    const builtIn = ['--help', '-h', '-O', '--optimization-level'];
    expect(known.filter((name) => !names.has(name) && !builtIn.includes(name))).toEqual([]);
    expect([...names].filter((name) => !known.includes(name))).toEqual([]);
    const wrong = own.filter(
      ({ names: [name], switch: isSwitch }) => (serveFlags().get(name!)?.takes === 'switch') !== isSwitch,
    );
    expect(wrong).toEqual([]);
  });

  test(`metrics of ${NEWEST}, of a single pod`, async () => {
    let text = '';
    const report = await rehearse(
      {
        objects: readManifests(readFileSync('test/engine/real/bundles/single-pod.yaml', 'utf8')),
        python: pythonOf(),
        path: process.env.PATH ?? '',
      },
      {
        supervisor: 'lib/cli/supervisor.cjs',
        timeout: 900,
        progress: () => undefined,
        meanwhile: async (stage) => {
          text = (await stage.ask({ path: '/metrics', seconds: 30 })).text;
        },
      },
    );
    expect(report.held).toBe(true);
    const seen = [...text.matchAll(/^# TYPE (vllm:\S+) (\w+)$/gm)]
      .map(([, name, kind]) => ({ name: name!, kind: kind! }))
      // The client library makes a gauge of its own of when each was created.
      .filter(({ name }) => !name.endsWith('_created'));
    expect(seen.length).toBeGreaterThan(30);
    const known = metrics();
    expect(seen.filter(({ name, kind }) => known.get(name)?.kind !== kind)).toEqual([]);
    expect(seen.filter(({ name }) => !holdsIn(known.get(name)!, NEWEST))).toEqual([]);
  });
});
