import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NEWEST_RELEASE } from '../../../src/engine/releases';
import { trial } from '../../../src/operate/drill/trial';
import { groupsOf } from '../../../src/operate/group/live';
import type { Kubectl } from '../../../src/operate/kubectl/kubectl';
import { pod } from '../group/pods';
import { scriptedKubectl } from '../kubectl/scripted-kubectl';

let folder: string;
let server: Server;
let requests: number;
const isStopped = () => existsSync(join(folder, 'stopped'));

/** Answers with a token each 50 ms, and not at all while a rank is stopped. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trial-'));
  requests = 0;
  server = createServer((request, response) => {
    void (async () => {
      requests++;
      let body = '';
      for await (const part of request) {
        body += String(part);
      }
      const { max_tokens: tokens } = JSON.parse(body) as { max_tokens: number };
      for (let i = 0; i < tokens; i++) {
        while (isStopped() && !response.destroyed) {
          await pause(20);
        }
        response.write('data: {"choices":[{"text":" word"}]}\n\n');
        await pause(50);
      }
      if (!response.destroyed) {
        response.end('data: [DONE]\n\n');
        writeFileSync(join(folder, 'over'), '');
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const PODS = [0, 1].map((rank) =>
  pod({
    rank,
    node: `n${rank}`,
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'vllm', state: { running: {} }, restartCount: 0 }],
    },
  }),
);

/** A kubectl that stops what runs in the last rank at once, or only when a request is over. */
async function standIn(isLate: boolean): Promise<Kubectl> {
  const { port } = server.address() as AddressInfo;
  writeFileSync(join(folder, 'list'), JSON.stringify({ metadata: { resourceVersion: '5' }, items: PODS }));
  writeFileSync(join(folder, 'pod'), JSON.stringify(PODS[1]));
  return await scriptedKubectl(
    folder,
    `  *watch=true*) exec sleep 100 ;;
  *port-forward*) echo 'Forwarding from 127.0.0.1:${port} -> 8000'; exec sleep 100 ;;
  *STOP*) ${isLate ? 'until [ -e over ]; do sleep 0.1; done; sleep 0.5; ' : ''}echo > stopped ;;
  *CONT*) rm stopped ;;
  *pods/g-0-1*) cat pod ;;
  *) cat list ;;`,
  );
}

test.each([
  ['at once', 1, 'SIGSTOP to the processes of g-0-1'],
  ['late', 2, 'SIGSTOP to the processes of g-0-1, when the request was over; then one was sent'],
])('a stop that is made %s meets a request', async (when, sent, did) => {
  const questions = { model: 'm', key: undefined, release: NEWEST_RELEASE, outputTokens: 40 };
  const tools = { kubectl: await standIn(when === 'late'), seconds: 2, say: () => undefined };
  const { report } = await trial(tools, groupsOf(PODS)[0]!, 'stop-worker', { questions, tokenSeconds: 0.05 });
  expect(report).toMatchObject({
    did,
    held: 'no',
    said: 'nothing ended it within 2 s: every pod is still the one that it was',
    request: { isWhole: false, said: 'nothing came any more, until it was given up' },
  });
  expect(report).not.toHaveProperty('stillBroken');
  expect({ requests, isStopped: isStopped() }).toEqual({ requests: sent, isStopped: false });
});
