import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { echoGroup } from '../echo';
import { lab } from '../harness/given';
import { kubectlArgv } from '../harness/kubectl';
import { apply, readyPods } from '../live';

/** A run for test/lab/end.test.ts to end from outside: in the midst of its work it says where that is. */
beforeAll(async () => {
  // It is no use without the run that has started it, should that be killed.
  setInterval(() => {
    if (process.ppid !== Number(process.env.STARTED_BY)) {
      process.kill(process.pid, 'SIGKILL');
    }
  }, 1000);
  await apply(echoGroup('endless'));
  await readyPods('endless', 'app=echo', 2);
  // As the tests have them: something that goes on beside the test, in the network of a machine.
  const network = `--net=/run/netns/${lab().name}-control-plane`;
  spawn('nsenter', [network, ...kubectlArgv(lab()), 'get', 'pods', '--all-namespaces', '--watch'], { stdio: 'ignore' });
});

test(
  'never ends by itself',
  async () => {
    expect(lab().name).toMatch(/^vllm-lab-\d+$/);
    writeFileSync(process.env.FACTS!, JSON.stringify(lab()));
    await new Promise(() => undefined);
  },
  2 ** 31 - 1,
);
