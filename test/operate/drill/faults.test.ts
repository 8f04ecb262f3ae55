import { expect, test } from 'vitest';
import { MAKERS } from '../../../src/operate/drill/faults';
import { groupsOf } from '../../../src/operate/group/live';
import { memberOf } from '../../../src/operate/group/members';
import type { Kubectl } from '../../../src/operate/kubectl/kubectl';
import { pod } from '../group/pods';

const PODS = [pod({ rank: 0 }), pod({ rank: 1 })];
const [leader, worker] = PODS.map((each) => memberOf(groupsOf(PODS)[0]!, each)!);

test.each(['drain', 'lose-node'] as const)(
  '%s breaks nothing when the drill is ended while the node is looked at',
  async (fault) => {
    const calls: string[] = [];
    let isEnding = false;
    const kubectl = {
      get: () => Promise.resolve(void (isEnding = true)),
      run: (args: readonly string[]) => Promise.resolve(calls.push(args.join(' '))),
    } as unknown as Kubectl;
    const made = MAKERS[fault].make({
      kubectl,
      shell: { words: ['/no/such/shell', '{node}'] },
      leader: leader!,
      worker: worker!,
      needsRepair: (_, byHand) => calls.push(byHand),
      say: () => undefined,
      isEnding: () => isEnding,
      seconds: 60,
    });
    await expect(made).rejects.toThrow('the drill was ended before');
    expect(calls).toEqual([]);
  },
);
