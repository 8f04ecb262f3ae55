import { Yaml } from 'cdk8s';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lostText } from '../../src/constructs/unquoted';
import { SecretKey } from '../../src';
import { newChart, newGroup, synth } from './harness';

describe('texts that cdk8s writes without quotes, and kubectl reads as numbers', () => {
  test.each(['0b-0', '0b+1', '0b-_1', '0o17', '-0o17', '+0o_7', '1e_5', '0_b1', '0_x1', '0X1', '0B1', '0O7', '0b-1_0'])(
    '%s',
    (text) => {
      expect(lostText({ data: { a: ['x', text] } })).toEqual({ path: 'data.a[1]', text });
      expect(lostText({ data: { [text]: 'x' } })).toEqual({ path: `data.${text}`, text });
    },
  );

  test.each(['0b2', '0o8', '0x', '1:30', '017', '1_000', '1e5', '.5', '5.', '1.2.3', '0b', 'e5', '10.0.0.1', '1Gi'])(
    '%s is not lost',
    (text) => {
      expect(lostText({ a: text })).toBeUndefined();
    },
  );

  test('what is quoted is none', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-+]?[0-9.][0-9a-fA-FxXoObBeE_.+-]{0,6}$/), (text) => {
        fc.pre(/^["']/.test(Yaml.stringify(text)));
        expect(lostText(text)).toBeUndefined();
      }),
    );
  });

  test('a synthesis says where', () => {
    const chart = newChart();
    newGroup(chart, { apiKey: SecretKey.of('keys', '0o17') });
    expect(() => synth(chart)).toThrow(/secretKeyRef\.key is the text '0o17', which cdk8s writes without quotes/);
  });
});
