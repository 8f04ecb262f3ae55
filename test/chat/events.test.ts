import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventParser } from '../../chat/page/events';

describe('EventParser', () => {
  it('reads events, joins lines of data and skips comments', () => {
    expect(new EventParser().push(': ping\n\ndata: a\n\nevent: error\ndata:b\ndata: c\n\n')).toEqual([
      { type: 'message', data: 'a' },
      { type: 'error', data: 'b\nc' },
    ]);
  });

  it('holds an event back until its end came', () => {
    const parser = new EventParser();
    expect(parser.push('data: a')).toEqual([]);
    expect(parser.push('b\n')).toEqual([]);
    expect(parser.push('\nda')).toEqual([{ type: 'message', data: 'ab' }]);
  });

  it('gives the same events however the text is cut and whichever line ends it has', () => {
    const lines = [': ping', '', 'data: {"a": 1}', '', 'event: error', 'data: x: y', '', 'data: [DONE]', '', ''];
    const expected = new EventParser().push(lines.join('\n'));
    expect(expected).toHaveLength(3);
    fc.assert(
      fc.property(fc.constantFrom('\n', '\r\n'), fc.array(fc.nat(80)), (lineEnd, cuts) => {
        const all = lines.join(lineEnd);
        const points = [0, ...cuts.filter((cut) => cut < all.length).sort((a, b) => a - b), all.length];
        const parser = new EventParser();
        const events = points.slice(1).flatMap((end, index) => parser.push(all.slice(points[index], end)));
        expect(events).toEqual(expected);
      }),
    );
  });
});
