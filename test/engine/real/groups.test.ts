import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { leftovers, REFERENCE, rehearse } from './rehearsal';
import type { RehearsalReport } from '../../../src/operate/rehearse/report';

const BUNDLES = 'test/engine/real/bundles';

function checksOf({ checks }: RehearsalReport): Record<string, string> {
  return Object.fromEntries(checks.map(({ id, held }) => [id, held]));
}

const ALL = {
  ready: 'yes',
  chat: 'yes',
  stream: 'yes',
  'open-paths': 'yes',
  crossing: 'yes',
  cache: 'yes',
  alive: 'yes',
};

test('the reference bundle holds on 0.31.0, the release of its image', () => {
  const { status, report } = rehearse(REFERENCE, '0.31.0');
  expect(report.breakage).toBeUndefined();
  expect(checksOf(report)).toEqual({ ...ALL, key: 'yes' });
  expect(report.changes.map(({ what }) => what)).not.toContain('vLLM');
  expect(status).toBe(0);
});

test('a tensor-parallel group behind a shell line', () => {
  const { status, report } = rehearse(`${BUNDLES}/tensor-parallel.yaml`);
  expect(report.breakage).toBeUndefined();
  expect(checksOf(report)).toEqual({ ...ALL, key: 'unproven' });
  expect(status).toBe(0);
});

test('an uneven pipeline of a Llama, with the key as an argument, on 0.31.0 and loopback addresses', () => {
  const { status, report } = rehearse(`${BUNDLES}/llama-pipeline.yaml`, '0.31.0', '--loopback');
  expect(report.breakage).toBeUndefined();
  // Bytes are those of sockets there, where `ss` says them.
  const hasSockets = spawnSync('ss', ['-V']).status === 0;
  expect(checksOf(report)).toEqual({ ...ALL, key: 'yes', crossing: hasSockets ? 'yes' : 'unproven' });
  expect(report.changes.map(({ what }) => what)).toContain('--kv-cache-memory-bytes');
  expect(status).toBe(0);
  expect(leftovers()).toEqual([]);
});

test('0.19.1 is healthy and fails the first request; 0.20.0 answers', () => {
  const old = rehearse(REFERENCE, '0.19.1');
  expect(old.status).toBe(1);
  expect(checksOf(old.report)).toMatchObject({ ready: 'yes', chat: 'no' });
  expect(old.report.breakage).toMatchObject({ symptom: 'pipeline-not-on-cpu' });
  expect(old.report.breakage?.lastLines.join('\n')).toMatch(/has no attribute '(send|recv)_tensor_dict'/);
  const first = rehearse(REFERENCE, '0.20.0');
  expect(checksOf(first.report)).toMatchObject({
    ready: 'yes',
    chat: 'yes',
    stream: 'yes',
    crossing: 'yes',
    alive: 'yes',
  });
});
