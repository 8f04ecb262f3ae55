/*
 * How long the model goes on computing for a browser that has left: the time from the browser closing its connection to
 * the model's server seeing its own closed, through the built chat server, before the first byte and in the middle.
 *
 *   node bench/chat/abort.mjs [times=50]
 */
import { spawn } from 'node:child_process';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const times = Number(process.argv[2] ?? 50);
const PROMISE_MS = 100;

let taken;
const upstream = createServer((req, res) => {
  req.resume().on('end', () => taken(res));
}).listen(0, '127.0.0.1');
await once(upstream, 'listening');

const file = fileURLToPath(new URL('../../lib/chat/server.mjs', import.meta.url));
const chat = spawn(process.execPath, [file], {
  env: {
    HOST: '127.0.0.1',
    PORT: '0',
    UPSTREAM_URL: `http://127.0.0.1:${upstream.address().port}`,
    MODEL: 'model',
    PASSWORD: 'bench',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = await once(chat.stdout, 'data');
const { port } = JSON.parse(line);
chat.stdout.resume();

async function leave(inTheMiddle) {
  const asked = new Promise((resolve) => (taken = resolve));
  const req = request({
    host: '127.0.0.1',
    port,
    path: '/chat/api/chat',
    method: 'POST',
    agent: false,
    headers: {
      Authorization: `Basic ${Buffer.from('me:bench').toString('base64')}`,
      'Content-Type': 'application/json',
    },
  });
  req.on('error', () => {});
  req.end('{"messages":[{"role":"user","content":"Hello"}]}');
  const res = await asked;
  const closed = once(res, 'close').then(() => performance.now());
  if (inTheMiddle) {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    res.write('data: {}\n\n');
    const [answer] = await once(req, 'response');
    answer.on('error', () => {});
    await once(answer, 'data');
  } else {
    // Long enough for the relay to be at rest, waiting for the first byte.
    await sleep(20);
  }
  const left = performance.now();
  req.destroy();
  return (await closed) - left;
}

let worst = 0;
console.log(
  `${'the browser leaves'.padEnd(24)}${['times', 'p50 ms', 'p90 ms', 'max ms'].map((c) => c.padStart(9)).join('')}`,
);
for (const [name, inTheMiddle] of [
  ['before the first byte', false],
  ['in the middle', true],
]) {
  await leave(inTheMiddle);
  const all = [];
  for (let i = 0; i < times; i++) all.push(await leave(inTheMiddle));
  all.sort((a, b) => a - b);
  const at = (part) => all[Math.min(all.length - 1, Math.floor(part * all.length))];
  worst = Math.max(worst, at(1));
  console.log(
    name.padEnd(24) +
      [times, ...[0.5, 0.9, 1].map((part) => at(part).toFixed(2))].map((c) => String(c).padStart(9)).join(''),
  );
}
console.log(worst <= PROMISE_MS ? `All within the promised ${PROMISE_MS} ms.` : `Above the promised ${PROMISE_MS} ms.`);

chat.kill('SIGTERM');
await once(chat, 'exit');
upstream.close();
process.exitCode = worst <= PROMISE_MS ? 0 : 1;
