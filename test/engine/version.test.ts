import { VllmVersion, type VllmVersionOptions } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { NEWEST_RELEASE, OLDEST_RELEASE, SINCE } from '../../src/engine/releases';
import { expectError } from '../common/errors';

describe('VllmVersion', () => {
  test('numbers are compared as numbers', () => {
    expect(VllmVersion.of('0.9.2').isAtLeast('0.20.0')).toBe(false);
    expect(VllmVersion.of('0.20.0').isAtLeast('0.20.0')).toBe(true);
    expect(VllmVersion.of('0.20.1').isAtLeast('0.20.0')).toBe(true);
    expect(VllmVersion.of('0.19.9').isAtLeast('0.20.0')).toBe(false);
  });

  test('a leading v is a habit of tags, not of versions', () => {
    expect(VllmVersion.of('v0.31.0')).toEqual(VllmVersion.of('0.31.0'));
  });

  test('the gates lie within the table', () => {
    for (const since of Object.values(SINCE)) {
      expect(VllmVersion.of(NEWEST_RELEASE).isAtLeast(since)).toBe(true);
      expect(VllmVersion.of(since).isAtLeast(OLDEST_RELEASE)).toBe(true);
    }
  });

  test('a version newer than the table is taken on the word of the user', () => {
    expectError(
      () => VllmVersion.of('0.34.0'),
      `vLLM 0.34.0 is newer than ${NEWEST_RELEASE}`,
      `('0.34.0', { like: '${NEWEST_RELEASE}' })`,
    );
    const options: Required<VllmVersionOptions> = { like: '0.32.0' };
    const version = VllmVersion.of('0.34.0', options);
    expect(version).toMatchObject({ version: '0.34.0', judgedAs: '0.32.0' });
    expect(version.isAtLeast('0.33.0')).toBe(false);
  });

  test('like has to be known itself', () => {
    expectError(() => VllmVersion.of('0.35.0', { like: '0.34.0' }), "like is '0.34.0'", `up to ${NEWEST_RELEASE}`);
  });

  test.each(['latest', '0.31', '', '0.31.0-arm64', 'nightly'])("'%s' is no release", (version) => {
    expectError(() => VllmVersion.of(version), `vLLM version is '${version}'`, 'a full release', "never 'latest'");
    expectError(() => VllmVersion.of(version, { like: '0.31.0' }), `vLLM version is '${version}'`);
  });

  test('a release without its last number is told the full one', () => {
    expectError(() => VllmVersion.of('0.31'), "such as '0.31.0'");
  });
});
