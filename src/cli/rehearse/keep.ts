import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pause } from '../../operate/pause';
import type { Stage } from '../../operate/rehearse/stage';

/** Stands beside the program in the package. */
const CHAT_SERVER = join(__dirname, '..', 'chat', 'server.mjs');
/** Ends with whoever holds its input, however that happens. */
const RUN = "process.stdin.on('end', () => process.exit()).resume(); await import(process.argv[1]);";

/**
 * Opens the group to this machine, with the chat page in front, until it is told to end or a rank has ended.
 * @returns whether all ranks were there to the end
 */
export async function keep(stage: Stage, say: (text: string) => void): Promise<boolean> {
  const { door, prepared } = stage;
  const server = createServer((client) => {
    const upstream = connect(door.socketPath);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const password = randomBytes(6).toString('hex');
  const { process: chat, port } = await openChat(api, prepared.served, prepared.key, password);
  say(
    [
      '',
      `chat page  http://127.0.0.1:${port}/chat/  (any user, password ${password})`,
      `API        ${api}/v1  ${prepared.key === undefined ? '(no key)' : `(key ${prepared.key})`}`,
      'Its weights are random, and so is what it says. Ctrl-C ends it.',
      '',
    ].join('\n'),
  );
  // Ends with the group: whoever talks to it should see that a rank has left.
  while (chat.exitCode === null && chat.signalCode === null && stage.ended().length === 0) {
    await pause(0.5);
  }
  const [gone] = stage.ended();
  if (gone !== undefined) {
    say(`rank ${gone} (${prepared.places[gone]!.podName}) has ended, and so does the rehearsal\n`);
  }
  chat.stdin?.end();
  server.close();
  return gone === undefined;
}

async function openChat(
  upstream: string,
  model: string,
  key: string | undefined,
  password: string,
): Promise<{ process: ChildProcess; port: number }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', RUN, CHAT_SERVER], {
    // The variables of the page, and nothing that this process was given.
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      PORT: '0',
      UPSTREAM_URL: upstream,
      MODEL: model,
      PASSWORD: password,
      ...(key !== undefined && { API_KEY: key }),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { event, port } = JSON.parse(line) as { event: string; port?: number };
    if (event === 'listening' && port !== undefined) {
      child.stdout.resume();
      return { process: child, port };
    }
  }
  throw new Error('the chat page did not start');
}
