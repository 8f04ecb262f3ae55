import { describe, expect, test } from 'vitest';
import { guardedPrefixes, needsKey, OPEN_PATHS, openPaths } from '../../src/engine/paths';
import { NEWEST_RELEASE } from '../../src/engine/releases';

describe('the paths of the server', () => {
  test.each([
    ['0.20.0', ['/v1']],
    ['0.21.0', ['/v1']],
    ['0.22.1', ['/v1', '/v2', '/inference']],
    ['0.26.0', ['/v1', '/v2', '/inference']],
    ['0.27.1', ['/v1', '/v2', '/inference', '/cohere']],
    [NEWEST_RELEASE, ['/v1', '/v2', '/inference', '/cohere']],
  ])('%s guards %j', (release, prefixes) => {
    expect(guardedPrefixes(release)).toEqual(prefixes);
  });

  test('the key guards whatever starts like a prefix, and nothing else', () => {
    expect(needsKey('/v1/chat/completions', NEWEST_RELEASE)).toBe(true);
    expect(needsKey('/v1x', NEWEST_RELEASE)).toBe(true);
    expect(needsKey('/v2/embed', '0.21.0')).toBe(false);
    expect(OPEN_PATHS.filter(({ path }) => needsKey(path, NEWEST_RELEASE))).toEqual([]);
  });

  test('/invocations generates text for anyone, in every release', () => {
    for (const release of ['0.20.0', NEWEST_RELEASE]) {
      expect(openPaths(release)).toContainEqual(expect.objectContaining({ path: '/invocations', isHarmful: true }));
    }
    expect(openPaths('0.30.0').map(({ path }) => path)).not.toContain('/kv_event_sources');
  });
});
