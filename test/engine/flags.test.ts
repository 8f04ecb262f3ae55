import { describe, expect, test } from 'vitest';
import { READ_RELEASES } from '../../src/engine/flag-table';
import { findFlag, hasFlag, nameOfArgument, serveFlags } from '../../src/engine/flags';
import { NEWEST_RELEASE, OLDEST_RELEASE } from '../../src/engine/releases';
import { ENVIRONMENT, FLAGS } from '../../src/engine/settings';

const find = (argument: string, version: string = NEWEST_RELEASE) => findFlag(nameOfArgument(argument), version);

describe('the table of flags', () => {
  test('spans the releases that the library knows', () => {
    expect(READ_RELEASES[0]).toBe(OLDEST_RELEASE);
    expect(READ_RELEASES.at(-1)).toBe(NEWEST_RELEASE);
  });

  test('has every flag that a group renders or refuses, in each release', () => {
    const names = Object.entries(FLAGS).flatMap(([name, { aliases = [] }]) => [name, ...aliases]);
    // A top-level option of the program, which `vllm serve` does not take: refused all the same.
    const missing = names.filter((name) => find(name).kind !== 'known' && name !== '--version' && name !== '-v');
    expect(missing).toEqual([]);
    for (const release of READ_RELEASES) {
      const rendered = Object.keys(FLAGS).filter((name) => FLAGS[name as keyof typeof FLAGS].ranks !== 'none');
      expect(rendered.filter((name) => find(name, release).kind !== 'known')).toEqual([]);
    }
    expect(Object.keys(ENVIRONMENT)).not.toEqual([]);
  });

  test('no name stands for two flags in one release', () => {
    const lines = [...new Set(serveFlags().values())].flatMap(({ names }) => names);
    expect(new Set(lines).size).toBe(lines.length);
  });

  test('a span is one of releases that were read', () => {
    for (const { since, until, names } of serveFlags().values()) {
      for (const release of [since, until]) {
        expect([undefined, ...READ_RELEASES], names.join()).toContain(release);
      }
    }
  });
});

describe('an argument', () => {
  test.each([
    ['--seed=1', '--seed'],
    ['--max_num_seqs', '--max-num-seqs'],
    ['--hf-overrides.rope_scaling.type=x', '--hf-overrides'],
    ['-cc.pass_config.x=1', '-cc'],
    ['-O3', '-O'],
    ['-O', '-O'],
    ['--served_model_name=a_b', '--served-model-name'],
  ])('%s is %s', (argument, name) => {
    expect(nameOfArgument(argument)).toBe(name);
  });

  test.each([
    ['--seed', '--seed'],
    ['-tp', '--tensor-parallel-size'],
    ['-asc=2', '--api-server-count'],
    ['-n2', '--nnodes'],
    ['-qfp8', '--quantization'],
    ['-O2', '--optimization-level'],
    ['--no-enable-prefix-caching', '--enable-prefix-caching'],
    ['--block_s=32', '--block-size'],
    ['--no-enable-prefix', '--enable-prefix-caching'],
    ['-as', '--api-server-count'],
    ['--attention-config.backend=x', '--attention-config'],
    ['--attention-conf.backend=x', '--attention-config'],
  ])('%s sets %s', (argument, name) => {
    expect(find(argument)).toMatchObject({ kind: 'known', flag: { names: expect.arrayContaining([name]) as unknown } });
  });

  test.each(['--swap-space=4', '-tp4', '--no-seed', '--headlesss', '-z', '--no-headless'])(
    '%s is unknown',
    (argument) => {
      expect(find(argument)).toEqual({ kind: 'unknown' });
    },
  );

  test('an abbreviation of several is none of them', () => {
    expect(find('--max-lo')).toMatchObject({
      kind: 'ambiguous',
      names: expect.arrayContaining(['--max-loras']) as unknown,
    });
  });

  test('a flag of another release says so', () => {
    expect(find('--max-num-queued-reqs=9', '0.28.0')).toMatchObject({ kind: 'unknown', flag: { since: '0.29.0' } });
    expect(find('--max-num-queued-reqs=9', '0.29.0')).toMatchObject({ kind: 'known' });
    expect(find('--calculate-kv-scales', '0.28.0')).toMatchObject({ kind: 'unknown', flag: { until: '0.27.1' } });
  });

  test('a release that was not read has what its neighbours have', () => {
    const since = serveFlags().get('--cpu-distributed-timeout-seconds')!;
    expect(since.since).toBe('0.22.1');
    expect([hasFlag(since, '0.21.0'), hasFlag(since, '0.22.0'), hasFlag(since, '0.22.1')]).toEqual([false, true, true]);
  });
});
