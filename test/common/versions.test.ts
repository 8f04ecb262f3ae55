import { expect, test } from 'vitest';
import { compareVersions } from '../../src/common/versions';

test.each([
  ['0.9.0', '0.10.0', -1],
  ['0.10.0', '0.9.9', 1],
  ['1.0.0', '0.99.99', 1],
  ['0.31.0', '0.31.0', 0],
  ['0.31', '0.31.0', 0],
  ['0.31', '0.31.1', -1],
])('%s against %s', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
  expect(Math.sign(compareVersions(b, a))).toBe(sign === 0 ? 0 : -sign);
});
