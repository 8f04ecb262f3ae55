import { expect, test } from 'vitest';
import { rankLines } from '../../src/cli/breakage-text';

const PREFIX = '(EngineCore pid=21) ERROR 11-30 10:30:46 [core.py:1435]';

test('the lines of a rank fit in 80 columns, and a traceback is read at a glance', () => {
  const lines = rankLines({
    rank: 0,
    podName: 'gemma-0',
    what: 'ended with 1',
    lastLines: [
      `${PREFIX} Traceback (most recent call last):`,
      `${PREFIX}   File "/opt/venv/lib/python3.12/site-packages/vllm/v1/executor/multiproc_executor.py", line 1435, in get_response`,
      `${PREFIX}     status, result = mq.dequeue(timeout=dequeue_timeout)`,
      `  File "/usr/lib/python3.12/concurrent/futures/_base.py", line 449, in result`,
      `  File "/app/own/server.py", line 4, in run`,
      'x'.repeat(100),
    ],
  });
  expect(lines).toEqual([
    'Rank 0 (gemma-0): ended with 1. Its own lines:',
    `  | ${PREFIX}`,
    '  |  Traceback (most recent call last):',
    '  |    File "…/vllm/v1/executor/multiproc_executor.py", line 1435, in',
    '  |      get_response',
    '  |      status, result = mq.dequeue(timeout=dequeue_timeout)',
    '  |   File "…/concurrent/futures/_base.py", line 449, in result',
    '  |   File "/app/own/server.py", line 4, in run',
    `  | ${'x'.repeat(76)}`,
    `  |   ${'x'.repeat(24)}`,
  ]);
});
