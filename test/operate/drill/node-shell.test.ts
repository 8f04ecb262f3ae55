import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dropAll, dropBetween, letThrough, onNode, tableFor, whyNoDrop } from '../../../src/operate/drill/node-shell';

/** A network that the test made. */
const NAME = `drill-${process.pid}`;
const canMake = spawnSync('ip', ['netns', 'add', NAME]).status === 0 && spawnSync('nft', ['--version']).status === 0;
const SHELL = { words: ['nsenter', '--net=/run/netns/{node}', 'sh', '-c'] };
const tables = () => onNode(SHELL, NAME, 'nft list ruleset');

afterAll(() => void spawnSync('ip', ['netns', 'del', NAME]));

describe.runIf(canMake)('on a node', () => {
  beforeAll(async () => {
    await onNode(SHELL, NAME, 'ip link set lo up');
    expect(await whyNoDrop(SHELL, NAME)).toBeUndefined();
  });

  test.each([
    ['10.244.1.2', '10.244.2.3', 'ip saddr 10.244.2.3 ip daddr 10.244.1.2 drop'],
    ['fd00::1', 'fd00::2', 'ip6 saddr fd00::2 ip6 daddr fd00::1 drop'],
  ])('packets between %s and %s alone are dropped, until they are let through', async (one, other, rule) => {
    const dropped = tableFor(NAME);
    await dropBetween(SHELL, dropped, [one, other], 600);
    const text = await tables();
    expect(text).toContain(rule);
    expect(text.match(/drop$/gm)).toHaveLength(2);
    await letThrough(SHELL, dropped);
    expect(await tables()).toBe('');
    // Also when they are already.
    await letThrough(SHELL, dropped);
  });

  test('all packets are dropped but those of its own and of the shell', async () => {
    const dropped = tableFor(NAME);
    const port = { words: ['env', 'SSH_CONNECTION=192.0.2.1 50000 192.0.2.2 2222', ...SHELL.words] };
    await dropAll(port, dropped, 600);
    const text = await tables();
    expect(text).toContain('tcp dport 2222 accept');
    expect(text).toContain('tcp sport 2222 accept');
    expect(text.match(/^\s*drop$/gm)).toHaveLength(3);
    await letThrough(SHELL, dropped);
    expect(await tables()).toBe('');
  });

  test('they are let through by themselves when the time is over', async () => {
    await dropAll(SHELL, tableFor(NAME), 1);
    while ((await tables()) !== '') {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  });
});

test('a shell that is not there, and one that fails, is told with what it said', async () => {
  expect(await whyNoDrop({ words: ['no-such-shell', '{node}'] }, 'n1')).toMatch(
    /^the shell on n1 \(no-such-shell n1\) ended with 127: .*ENOENT; it takes root and the program nft there$/,
  );
  await expect(onNode({ words: ['sh', '-c'] }, 'n1', 'echo no way >&2; exit 3')).rejects.toThrow(
    'the shell on n1 (sh -c) ended with 3: no way',
  );
});
