import { expect, test } from 'vitest';
import { Merge } from '../../../src/operate/logs/merge';

function merging() {
  const out: string[] = [];
  const clock = { now: 0 };
  const merge = new Merge<{ time: string }>(
    ({ time }) => out.push(time),
    () => clock.now,
  );
  return { out, clock, merge };
}

test('lines wait for older ones of another log, and come in the order of time', () => {
  const { out, merge } = merging();
  merge.open('leader');
  merge.open('worker');
  ['2', '4', '6'].forEach((time) => merge.push('leader', { time }));
  expect(out).toEqual([]);
  ['1', '3', '5'].forEach((time) => merge.push('worker', { time }));
  expect(out).toEqual(['1', '2', '3', '4', '5']);
  merge.close('worker');
  expect(out).toEqual(['1', '2', '3', '4', '5', '6']);
});

test('a log that says nothing holds others up for a moment only', () => {
  const { out, clock, merge } = merging();
  merge.open('leader');
  merge.open('worker');
  merge.push('leader', { time: '1' });
  clock.now = 10;
  merge.release();
  expect(out).toEqual(['1']);
  merge.push('worker', { time: '2' });
  merge.push('leader', { time: '4' });
  // The worker has just spoken, and may go on with 3.
  expect(out).toEqual(['1', '2']);
  merge.push('worker', { time: '3' });
  expect(out).toEqual(['1', '2', '3']);
  clock.now = 20;
  merge.release();
  expect(out).toEqual(['1', '2', '3', '4']);
});

test('nothing is held back at the end, nor of a log that nobody opened', () => {
  const { out, merge } = merging();
  merge.open('leader');
  merge.open('worker');
  merge.push('leader', { time: '2' });
  merge.push('stranger', { time: '1' });
  merge.flush();
  expect(out).toEqual(['1', '2']);
});

test('of many lines that wait none is lost, and none comes twice', () => {
  const { out, clock, merge } = merging();
  merge.open('leader');
  merge.open('worker');
  const times = Array.from({ length: 1000 }, (_, i) => String(i).padStart(4, '0'));
  times.slice(0, 600).forEach((time) => merge.push('leader', { time }));
  merge.push('worker', { time: '0299x' });
  expect(out).toEqual([...times.slice(0, 300), '0299x']);
  clock.now = 10;
  merge.release();
  times.slice(600).forEach((time) => merge.push('leader', { time }));
  merge.flush();
  expect(out).toEqual([...times.slice(0, 300), '0299x', ...times.slice(300)]);
});
