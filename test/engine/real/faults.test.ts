import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import type { FaultReport } from '../../../src/operate/rehearse/drill/report';
import { drill, editedReference, leftovers, OWN_TMPDIR, pythonOf, REFERENCE, rehearse, replaceLast } from './rehearsal';

const COMPILATION = /( +)- -cc\.mode=2\n +- -cc\.backend=eager\n/g;

describe('a fault put into a copy of the bundle is found, with its rank and its cause', () => {
  test.each([
    ['--enforce-eager', (text: string) => text.replace(COMPILATION, '$1- --enforce-eager\n')],
    ['-cc.mode=0', (text: string) => text.replace(COMPILATION, '$1- -cc.mode=0\n')],
  ])('%s', (_, edit) => {
    editedReference(edit, (bundle) => {
      const { status, report } = rehearse(bundle);
      expect(status).toBe(1);
      expect(report.breakage).toMatchObject({ rank: 1, podName: 'vllm-gemma-0-1', symptom: 'pipeline-buffer-missing' });
      expect(report.breakage?.lastLines.join('\n')).toContain('assert self.intermediate_tensors is not None');
    });
  });

  test.each([
    ['--master-port=29501', '--master-port=29999'],
    ['--pipeline-parallel-size=2', '--pipeline-parallel-size=4'],
  ])('%s becomes %s on the worker', (from, to) => {
    editedReference(
      (text) => replaceLast(text, from, to),
      (bundle) => {
        const { status, report } = rehearse(bundle);
        const flag = to.slice(0, to.indexOf('='));
        expect(status).toBe(1);
        expect(report.breakage).toMatchObject({ rank: 1, disagreements: [{ flag, rank: 1 }] });
        expect(report.breakage?.cause).toContain(`${flag} is ${to.slice(flag.length + 1)} here`);
      },
    );
  });
});

describe('every hang ends in the leader leaving, within its stated bound', () => {
  test('by the step timeout, which is the default of the library', () => {
    const { status, report } = drill(REFERENCE, 'worker-stopped-under-load');
    expect(report.faults).toHaveLength(1);
    for (const { bound, leaderEnd, held, health, request } of report.faults) {
      expect(bound).toEqual({ seconds: 80, by: 'VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS=60' });
      expect(leaderEnd!.seconds).toBeLessThanOrEqual(80);
      // That is all that anybody sees until then.
      expect(health).toMatch(/^200/);
      expect(request).toMatch(/^500/);
      expect(held).toBe('yes');
    }
    expect(status).toBe(0);
  });

  test('by its liveness probe alone, which asks for progress', () => {
    editedReference(
      (text) => text.replaceAll(/ +- name: VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS\n +value: "60"\n/g, ''),
      (bundle) => {
        const { report } = drill(bundle, 'worker-killed');
        const [{ bound, leaderEnd, kubelet, held }] = report.faults as [FaultReport];
        expect(bound!.by).toBe('the liveness probe');
        expect(leaderEnd!.seconds).toBeLessThanOrEqual(bound!.seconds);
        expect(kubelet[0]!.what).toMatch(/^liveness failed 3 times: exit code 1 /);
        expect(held).toBe('yes');
      },
    );
  });
});

describe('nothing is left', () => {
  test.each(['SIGINT', 'SIGKILL'] as const)('after %s', async (signal) => {
    const child = spawn(process.execPath, ['lib/cli.cjs', 'rehearse', REFERENCE, '--python', pythonOf()], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, TMPDIR: OWN_TMPDIR },
    });
    for await (const line of createInterface({ input: child.stderr })) {
      // It has its processes then.
      if (line.includes('reads its arguments')) {
        break;
      }
    }
    expect(leftovers().length).toBeGreaterThan(2);
    child.kill(signal);
    await once(child, 'exit');
    await expect.poll(() => leftovers(), { timeout: 60_000 }).toEqual([]);
  });
});
