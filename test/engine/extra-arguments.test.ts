import { VllmVersion } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { checkExtraArguments } from '../../src/engine/extra-arguments';
import { READ_RELEASES } from '../../src/engine/flag-table';
import { hasFlag, serveFlags } from '../../src/engine/flags';
import { FLAGS } from '../../src/engine/settings';
import { expectError } from '../common/errors';

const check =
  (args: string[], version: string = '0.31.0', like?: string) =>
  () =>
    checkExtraArguments('extraArgs', args, VllmVersion.of(version, like === undefined ? {} : { like }));

describe('extraArgs', () => {
  test.each([
    [
      '--swap-space=4',
      '0.31.0',
      "extraArgs holds '--swap-space=4'",
      'vLLM 0.31.0 has no flag --swap-space',
      'leave it out',
    ],
    ['--max-lora-rnk=8', '0.31.0', 'has no flag --max-lora-rnk', "did you mean '--max-lora-rank'?"],
    ['--tokenizer_moed=auto', '0.31.0', "did you mean '--tokenizer-mode'?"],
    [
      '--max-num-queued-reqs=9',
      '0.28.0',
      'the vLLM in the image is 0.28.0',
      '--max-num-queued-reqs is there since 0.29.0',
      'a newer image',
    ],
    ['--calculate-kv-scales', '0.31.0', 'up to 0.27.1', 'leave it out'],
    ['--no-calculate-kv-scales', '0.31.0', 'up to 0.27.1'],
    ['--max-lo=1', '0.31.0', 'could read as', '--max-loras', 'write the name out'],
    [
      '--enable-prefix-caching=true',
      '0.31.0',
      'takes none',
      'write --enable-prefix-caching alone',
      '--no-enable-prefix-caching',
    ],
    ['--aggregate-engine-logging=1', '0.31.0', 'write --aggregate-engine-logging alone'],
    ['--seed', '0.31.0', "'--seed' without its value", '--seed=value'],
  ])('%s on %s is refused', (argument, version, ...parts) => {
    expectError(check([argument], version), ...parts);
  });

  test('a value behind a flag that takes none is refused', () => {
    expectError(check(['--enable-prefix-caching', 'true']), "gives '--enable-prefix-caching' a value");
  });

  test.each([
    [['--max_lora_rank=8']],
    [['--max-lora-rank', '8']],
    [['--max-lora-r=8']],
    [['--seed', '-1']],
    [['--hf-overrides.a.b', '1']],
    [['--no-enable-prefix-caching', '--seed=1']],
    [['-q=fp8']],
    [['-qfp8']],
  ])('%j passes', (args) => {
    expect(check(args)).not.toThrow();
  });

  test('a release newer than the table may know more', () => {
    expect(check(['--brand-new'], '0.40.0', '0.32.0')).not.toThrow();
    expect(check(['--max-lo=1'], '0.40.0', '0.32.0')).not.toThrow();
    expectError(check(['--brand-new'], '0.32.0'), 'has no flag --brand-new');
    expectError(check(['--port=1'], '0.40.0', '0.32.0'), "use the prop 'port'");
  });

  test('a post release is judged as its release', () => {
    expect(check(['--max-num-queued-reqs=9'], '0.29.0.post1')).not.toThrow();
  });

  test('no flag of any release is refused as unknown to it', () => {
    const managed = new Set(
      Object.entries(FLAGS).flatMap(([name, { aliases = [] }]) => [name.split('.', 1)[0]!, ...aliases]),
    );
    const refused = READ_RELEASES.flatMap((release) =>
      [...serveFlags()]
        .filter(([, flag]) => hasFlag(flag, release) && !flag.names.some((name) => managed.has(name)))
        .map(([name, { takes }]) => (takes === 'value' ? `${name}=1` : name))
        .filter((argument) => {
          try {
            check([argument], release)();
            return false;
          } catch (error) {
            return !/the group decides itself/.test((error as Error).message);
          }
        }),
    );
    expect(refused).toEqual([]);
  });
});
