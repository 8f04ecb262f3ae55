import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DrillReport } from '../../src/operate/rehearse/drill/report';
import { lastReplaced, Rehearsals, ways } from './rehearsals';

const rehearsals = Rehearsals.forThisFile();

describe.skipIf(process.platform !== 'linux')('a drill', () => {
  // Each fault takes a start, and the wait until something ends it.
  test('says of each fault what it does, and what ends it', { timeout: 400_000 }, async () => {
    const { code, out } = await rehearsals.run(rehearsals.bundle(), '--drill', '-q', '-o', 'json');
    const { faults, held } = JSON.parse(out) as DrillReport;
    const step = { seconds: 22, by: 'VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS=2' };
    const startup = { seconds: 9, by: 'the startup probe' };
    expect(faults.map(({ fault, bound, held: each }) => ({ fault, bound, held: each }))).toEqual([
      { fault: 'worker-killed', bound: step, held: 'yes' },
      { fault: 'leader-killed', bound: undefined, held: 'yes' },
      { fault: 'worker-stopped-idle', bound: step, held: 'yes' },
      { fault: 'worker-stopped-under-load', bound: step, held: 'yes' },
      { fault: 'worker-late', bound: undefined, held: 'yes' },
      { fault: 'wrong-port', bound: startup, held: 'yes' },
      { fault: 'unequal-sizes', bound: startup, held: 'yes' },
    ]);
    for (const { fault, leaderEnd, kubelet, otherRank } of faults) {
      expect(leaderEnd === undefined).toBe(fault === 'worker-late');
      expect(kubelet.some(({ what }) => what.startsWith('startup failed'))).toBe(/port|sizes/.test(fault));
      expect(otherRank).toMatch(/rank 0 .*, rank 1 /);
    }
    expect(held).toBe(true);
    expect(code).toBe(0);
  });

  test.each(ways)('%s holds where the liveness probe alone ends a hang', { timeout: 200_000 }, async (_, how) => {
    // The probe of the library, run as the kubelet runs it; a request that hangs is one that waits.
    const probed = rehearsals.bundle((whole) =>
      whole
        .replaceAll('VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS', 'NOTHING')
        .replace(/- "120"(\n +- \/dev\/shm\/vllm-progress.json\n +- )"20"/, '- "5"$1"2"')
        .replace(/(vllm-progress.json\n.*\n +failureThreshold: )3(\n +periodSeconds: )15/, '$12$22'),
    );
    const { code, out } = await rehearsals.run(probed, '--fault', 'worker-stopped-idle', '-q', '-o', 'json', ...how);
    const { faults } = JSON.parse(out) as DrillReport;
    expect(faults[0]).toMatchObject({ bound: { by: 'the liveness probe' }, held: 'yes' });
    expect(faults[0]!.kubelet[0]!.what).toMatch(/^liveness failed 2 times: exit code 1 hung: no step since number/);
    expect(code).toBe(0);
    expect(existsSync('/dev/shm/vllm-progress.json')).toBe(false);
  });

  test('of a group that hangs for ever fails', { timeout: 200_000 }, async () => {
    const bare = rehearsals.bundle((whole) =>
      whole
        .replaceAll('VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS', 'NOTHING')
        .replace(/ +livenessProbe:\n +exec:[^]*?(?= +name: engine| +ports:)/, ''),
    );
    const { code, out } = await rehearsals.run(bare, '--fault', 'worker-stopped-idle', '-q');
    expect(out).toContain('nothing ends this hang');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(code).toBe(1);
  });

  test('of a group that does not come up says why', async () => {
    const wrong = rehearsals.bundle(lastReplaced('- --headless', '- --headless\n              - --no-such-flag'));
    const { code, out } = await rehearsals.run(wrong, '--drill', '-q');
    expect(out).toMatch(/^did not hold: .* it did not\s+come up[^]*Rank 1 \(vllm-gemma-0-1\): ended with 2/);
    expect(code).toBe(1);
  });
});
