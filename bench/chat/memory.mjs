/*
 * The most memory the built chat server takes when it is attacked by someone who has the password, under the flags of its
 * container: half-sent headers on every connection it accepts beside the conversations, then in turn conversations of
 * full size (plain, in two-byte characters, as many small objects, byte by byte) that the model's server does not read,
 * and browsers that do not read answers in small pieces.
 *
 *   node bench/chat/memory.mjs [rounds=3]
 */
import { spawn } from 'node:child_process';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createDeafServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const rounds = Number(process.argv[2] ?? 3);
const LIMIT_MIB = 128;
const MAX_BYTES = 1024 * 1024;
const CONVERSATIONS = 64;

/** The model's server: takes no byte of a request, or answers at once with small events for as long as one reads. */
const deafSockets = [];
const deaf = createDeafServer({ pauseOnConnect: true }, (socket) => {
  deafSockets.push(socket.on('error', () => {}));
}).listen(0, '127.0.0.1');
const talker = createServer((req, res) => {
  req.resume().on('end', () => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' } }] })}\n\n`;
    const more = () => {
      while (!res.destroyed && res.write(piece));
    };
    res.on('drain', more);
    more();
  });
}).listen(0, '127.0.0.1');
await Promise.all([once(deaf, 'listening'), once(talker, 'listening')]);

const file = fileURLToPath(new URL('../../lib/chat/server.mjs', import.meta.url));

async function measure(name, upstream, attack) {
  const chat = spawn(process.execPath, ['--max-old-space-size=64', file], {
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      UPSTREAM_URL: `http://127.0.0.1:${upstream.address().port}`,
      MODEL: 'model',
      PASSWORD: 'bench',
      MAX_REQUEST_BYTES: String(MAX_BYTES),
      MAX_CONVERSATIONS: String(CONVERSATIONS),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(chat.stdout, 'data');
  const { port } = JSON.parse(line);
  chat.stdout.resume();
  const status = () => readFileSync(`/proc/${chat.pid}/status`, 'utf8');
  const mib = (field) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status())[1]) / 1024;
  const sockets = new Set();
  const send = (...pieces) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    for (const piece of pieces) socket.write(piece);
    return socket;
  };
  const before = mib('VmRSS');
  try {
    await attack(send, () => [...sockets].map((socket) => (socket.destroy(), socket)));
    console.log(
      name.padEnd(44) + [before, mib('VmHWM')].map((each) => each.toFixed(1).padStart(9)).join('') + alive(chat),
    );
    return chat.exitCode === null && mib('VmHWM') < LIMIT_MIB;
  } catch (error) {
    console.log(`${name.padEnd(44)} ${String(error)}${alive(chat)}`);
    return false;
  } finally {
    for (const socket of sockets) socket.destroy();
    for (const socket of deafSockets.splice(0)) socket.destroy();
    chat.kill('SIGKILL');
  }
}

const alive = (chat) => (chat.exitCode === null && chat.signalCode === null ? '' : '  the server died');

const head = (length) =>
  `POST /chat/api/chat HTTP/1.1\r\nHost: chat\r\nAuthorization: Basic ${Buffer.from('me:bench').toString('base64')}\r\n` +
  `Content-Type: application/json\r\n${length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`}\r\n\r\n`;

function conversation(content) {
  const body = Buffer.from(`{"messages":[{"role":"user","content":"${content}"}]}`);
  return [head(body.length), body];
}

/** Headers up to just below the size that node refuses, in many small fields, and never their end. */
const half =
  `GET /chat/ HTTP/1.1\r\nHost: chat\r\n${Array.from({ length: 600 }, (_, i) => `h${i}: 12345678\r\n`).join('')}`.slice(
    0,
    8_000,
  );
const manyHalves = async (send) => {
  for (let i = 0; i < 400; i++) send(half);
  await sleep(1500);
};
const manyAtOnce =
  (pieces, count = CONVERSATIONS) =>
  async (send, leave) => {
    for (let i = 0; i < count * 2; i++) send(half);
    for (let round = 0; round < rounds; round++) {
      const all = Array.from({ length: count }, () => send(...pieces()));
      await sleep(2000);
      for (const socket of all) socket.destroy();
      for (const socket of deafSockets.splice(0)) socket.destroy();
      await sleep(100);
    }
    leave();
  };
const fill = (item) => item.repeat(Math.floor((MAX_BYTES - 100) / Buffer.byteLength(item)));
const list = (item) => {
  const body = Buffer.from(`{"messages":[${fill(`${item},`)}${item}]}`);
  return [head(body.length), body];
};
const byteByByte = () => {
  const pieces = [head(undefined)];
  const one = Buffer.from('1\r\n \r\n');
  for (let i = 0; i < 16; i++) pieces.push(Buffer.concat(Array.from({ length: 60_000 }, () => one)));
  return pieces;
};
const keys = () => {
  let all = '{"messages":[{';
  for (let i = 0; all.length < MAX_BYTES - 60; i++) all += `"${i.toString(36)}":1,`;
  const body = Buffer.from(`${all}"x":1}]}`);
  return [head(body.length), body];
};

console.log(`${'attack'.padEnd(44)}${['start MiB', 'peak MiB'].map((c) => c.padStart(9)).join('')}`);
const results = [];
for (const [name, upstream, attack] of [
  ['half-sent headers', deaf, manyHalves],
  ['full conversations, the model does not read', deaf, manyAtOnce(() => conversation(fill('a')))],
  ['the same, two-byte characters', deaf, manyAtOnce(() => conversation(fill('密')))],
  ['the same, one escape each', deaf, manyAtOnce(() => conversation(fill('\\u5bc6')))],
  ['many empty messages', deaf, manyAtOnce(() => list('{"role":"user","content":""}'))],
  ['many empty objects', deaf, manyAtOnce(() => list('{}'))],
  ['many empty lists', deaf, manyAtOnce(() => list('[]'))],
  ['many different names', deaf, manyAtOnce(keys)],
  [
    'deeply nested',
    deaf,
    manyAtOnce(() => {
      const body = fill('[');
      return [head(body.length), body];
    }),
  ],
  ['byte by byte', deaf, manyAtOnce(byteByByte)],
  [
    'half of each conversation, then nothing',
    deaf,
    manyAtOnce(() => [head(MAX_BYTES), fill('a').slice(0, MAX_BYTES / 2)]),
  ],
  [
    'large bodies without the password',
    deaf,
    manyAtOnce(() => [
      `POST /chat/api/chat HTTP/1.1\r\nHost: chat\r\nContent-Length: 7000000\r\n\r\n`,
      Buffer.alloc(7_000_000),
    ]),
  ],
  [
    'browsers that do not read',
    talker,
    async (send) => {
      for (let i = 0; i < CONVERSATIONS * 2; i++) send(half);
      for (let i = 0; i < CONVERSATIONS; i++) send(...conversation('Hello')).pause();
      await sleep(4000 * rounds);
    },
  ],
]) {
  results.push(await measure(name, upstream, attack));
}
const held = results.every(Boolean);
console.log(held ? `All below the container's ${LIMIT_MIB} MiB.` : `Above the container's ${LIMIT_MIB} MiB.`);
deaf.close();
talker.closeAllConnections();
talker.close();
process.exitCode = held ? 0 : 1;
