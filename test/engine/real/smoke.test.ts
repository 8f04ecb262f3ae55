import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { SmokeReport } from '../../../src/operate/smoke/report';
import { leftovers, pythonOf, REFERENCE } from './rehearsal';

interface Address {
  readonly url: string;
  readonly key: string;
}

/** Holds the reference bundle on this machine as long as it is used. */
async function withReference(use: (address: Address) => void): Promise<void> {
  const args = ['lib/cli.cjs', 'rehearse', REFERENCE, '--python', pythonOf(), '--keep'];
  const rehearsal = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  try {
    const address = await new Promise<Address>((resolve, reject) => {
      rehearsal.stderr.setEncoding('utf8').on('data', (part: string) => {
        said += part;
        const [, url, key] = /^API +(\S+)\/v1 +\(key (\S+)\)$/m.exec(said) ?? [];
        if (url !== undefined) {
          resolve({ url, key: key! });
        }
      });
      rehearsal.once('exit', (code) => reject(new Error(`the rehearsal ended with ${code}:\n${said}`)));
    });
    use(address);
  } finally {
    if (rehearsal.exitCode === null) {
      const end = once(rehearsal, 'exit');
      rehearsal.kill('SIGINT');
      await end;
    }
  }
}

function smoke(key: string | undefined, ...args: string[]) {
  const env = { ...process.env, VLLM_API_KEY: key ?? '' };
  const all = ['lib/cli.cjs', 'smoke', '-o', 'json', ...args];
  const { status, stdout } = spawnSync(process.execPath, all, { encoding: 'utf8', env });
  const report = JSON.parse(stdout) as SmokeReport & { error?: string };
  return { status, report, checks: Object.fromEntries((report.checks ?? []).map(({ id, held }) => [id, held])) };
}

test('smoke of the reference bundle at an address, with the key and without', async () => {
  await withReference(({ url, key }) => {
    const sound = smoke(key, '--url', url);
    expect(sound.report.checks.filter(({ held }) => held !== 'yes')).toEqual([]);
    expect(sound).toMatchObject({ status: 0, report: { model: 'google/gemma-3-1b-it', keyFrom: 'VLLM_API_KEY' } });
    expect(JSON.stringify(sound.report)).not.toContain(key);

    const wrong = smoke('not-the-key', '--url', url);
    expect(wrong).toMatchObject({ status: 1, checks: { health: 'yes', model: 'no', key: 'no' } });

    const none = smoke(undefined, '--url', url);
    expect(none.status).toBe(2);
    expect(none.report.error).toContain('the server asks for an API key');

    const other = smoke(key, '--url', url, '--model', 'gemma');
    expect(other).toMatchObject({ status: 1, checks: { model: 'no', chat: 'no' } });
  });
  expect(leftovers()).toEqual([]);
});
