import { describe, expect, test } from 'vitest';
import { Repair, StillBroken } from '../../../src/operate/drill/repair';

/** Something that is put right when it is told to. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

test('what is broken is put right once, and whoever comes second waits for it', async () => {
  const repair = new Repair();
  expect(repair.isNeeded).toBe(false);
  expect(await repair.run()).toEqual([]);
  const { open, opened } = gate();
  let times = 0;
  repair.needs(async () => {
    times++;
    await opened;
    return 'whole again';
  }, 'do it');
  expect(repair.isNeeded).toBe(true);
  const first = repair.run();
  let isOver = false;
  const second = repair.run().finally(() => (isOver = true));
  await soon();
  expect(isOver).toBe(false);
  open();
  expect(await first).toEqual(['whole again']);
  expect(await second).toEqual([]);
  expect({ times, isNeeded: repair.isNeeded }).toEqual({ times: 1, isNeeded: false });
});

test('nothing is put right before the fault has been made, also where making it fails', async () => {
  const repair = new Repair();
  const order: string[] = [];
  const { open, opened } = gate();
  const made = repair.after(
    (async () => {
      repair.needs(() => Promise.resolve(void order.push('repaired')).then(() => 'whole'), 'do it');
      await opened;
      order.push('broken');
      throw new Error('only half of it');
    })(),
  );
  const done = repair.run();
  await soon();
  expect(order).toEqual([]);
  open();
  await expect(made).rejects.toThrow('only half of it');
  expect(await done).toEqual(['whole']);
  expect(order).toEqual(['broken', 'repaired']);
});

describe('of several things', () => {
  test('one that fails keeps no other from being put right, says what to do by hand, and is tried again', async () => {
    const repair = new Repair();
    let isOpen = false;
    const calls: string[] = [];
    repair.needs(() => {
      calls.push('network');
      return isOpen ? Promise.resolve('n1 has its network again') : Promise.reject(new Error('no way there'));
    }, 'nft delete table inet t on n1');
    repair.needs(() => {
      calls.push('mark');
      return Promise.resolve('n1 is marked no more');
    }, 'kubectl taint nodes n1 …');
    const failed = await repair.run().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StillBroken);
    expect((failed as Error).message).toBe('no way there; put it right by hand: nft delete table inet t on n1');
    expect(repair.isNeeded).toBe(true);
    isOpen = true;
    expect(await repair.run()).toEqual(['n1 has its network again']);
    expect(calls).toEqual(['network', 'mark', 'network']);
  });

  test('what needs nothing any more is not told', async () => {
    const repair = new Repair();
    repair.needs(() => Promise.resolve(undefined), '');
    expect(await repair.run()).toEqual([]);
    expect(repair.isNeeded).toBe(false);
  });
});
