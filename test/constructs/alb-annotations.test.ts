import { AlbIngress, AlbRoute } from 'cdk8s-vllm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALB, stringMap } from '../../src/constructs/alb-annotations';
import { find, newChart } from './harness';

/** The grammar of the controller: `k=v,k=v`, the first `=` of a chunk divides it, `\,` is a comma. */
function parse(text: string): [string, string][] {
  return text.split(/(?<!\\),/).map((chunk) => {
    const [key, ...value] = chunk.replaceAll('\\,', ',').split('=');
    return [key!, value.join('=')];
  });
}

function tagsOf(tags: Record<string, string>): [string, string][] {
  const chart = newChart();
  new AlbIngress(chart, 'ingress', { routes: [AlbRoute.service('/x', 'x', 80)], tags });
  return parse(find(chart, 'Ingress').metadata.annotations![ALB.tags]!);
}

describe('stringMap', () => {
  test('is read back as it was written', () => {
    const key = fc.stringMatching(/^[a-z._-]{1,6}$/);
    const value = fc.stringMatching(/^[a-z0-9=,:/ +@._-]{0,8}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 4 }), (entries) => {
        expect(parse(stringMap(entries))).toEqual(entries);
      }),
    );
  });

  test('writes numbers and booleans as Go reads them', () => {
    expect(stringMap([['a', 1], ['b', true], ['c', false]])).toBe('a=1,b=true,c=false'); // prettier-ignore
  });
});

describe('tags', () => {
  test('keep commas and equals signs of their values', () => {
    const tags = { team: 'a,b', query: 'x=1', last: '' };
    expect(Object.fromEntries(tagsOf(tags))).toEqual(tags);
  });

  test.each(['a=b', 'a,b', ''])("a key '%s' cannot be written, so it is refused", (key) => {
    expect(() => tagsOf({ [key]: 'x' })).toThrow('tags');
  });

  test('a backslash before the comma of the next entry is refused: it would swallow the entry', () => {
    expect(() => tagsOf({ a: 'x\\', b: 'y' })).toThrow('tags');
  });
});
