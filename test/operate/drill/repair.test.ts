import { expect, test } from 'vitest';
import { Repair } from '../../../src/operate/drill/repair';

test('what is broken is put right once, and whoever comes second waits for it', async () => {
  const repair = new Repair();
  expect(await repair.run()).toBeUndefined();
  let times = 0;
  let finish: (said: string) => void = () => undefined;
  repair.needs(() => {
    times++;
    return new Promise((resolve) => (finish = resolve));
  }, 'do it');
  const first = repair.run();
  let isOver = false;
  const second = repair.run().then((said) => {
    isOver = true;
    return said;
  });
  await Promise.resolve();
  expect(isOver).toBe(false);
  finish('whole again');
  expect(await first).toBe('whole again');
  expect(await second).toBeUndefined();
  expect(times).toBe(1);
});

test('a repair that fails is told once, to who asked first', async () => {
  const repair = new Repair();
  repair.needs(() => Promise.reject(new Error('no way there')), 'kubectl uncordon n1');
  await expect(repair.run()).rejects.toThrow('no way there; put it right by hand: kubectl uncordon n1');
  expect(await repair.run()).toBeUndefined();
});
