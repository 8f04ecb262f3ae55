import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passwordCheck } from '../../chat/server/auth';

function basic(credentials: string | Buffer): string {
  return `Basic ${Buffer.from(credentials as string).toString('base64')}`;
}

describe('passwordCheck', () => {
  const ok = passwordCheck('pass: wörd');

  it('takes any user name with the password', () => {
    for (const user of ['', 'me', 'jürgen', 'a b']) expect(ok(basic(`${user}:pass: wörd`))).toBe(true);
  });

  it('takes the scheme in any case and with spaces around', () => {
    expect(ok(basic('me:pass: wörd').replace('Basic', 'bAsIc '))).toBe(true);
    expect(ok(` ${basic('me:pass: wörd')} `)).toBe(true);
  });

  it.each([
    ['no header', undefined],
    ['an empty one', ''],
    ['a scheme alone', 'Basic'],
    ['an empty value', 'Basic '],
    ['another scheme', basic('me:pass: wörd').replace('Basic', 'Bearer')],
    ['the password itself', 'Basic pass: wörd'],
    ['no colon', basic('pass')],
    ['the password as the user name', basic('pass: wörd:')],
    ['a part of the password', basic('me:pass')],
    ['more than the password', basic('me:pass: wörd!')],
    ['the password in Latin-1', basic(Buffer.from('me:pass: wörd', 'latin1'))],
    ['bytes that are no text', basic(Buffer.from([0xff, 0x3a, 0xfe]))],
    ['broken base64', 'Basic bWU6cGFzcw==='],
    ['two values', `${basic('me:pass: wörd')}, ${basic('me:pass: wörd')}`],
  ])('refuses %s', (_, header) => {
    expect(ok(header)).toBe(false);
  });

  it('takes exactly its own password, whatever both are', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (password, tried) => {
        const check = passwordCheck(password);
        expect(check(basic(`me:${password}`))).toBe(true);
        expect(check(basic(`me:${tried}`))).toBe(tried === password);
      }),
    );
  });

  it('survives any header', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(ok(header)).toBe(false);
        expect(ok(`Basic ${header}`)).toBe(false);
      }),
    );
  });
});
