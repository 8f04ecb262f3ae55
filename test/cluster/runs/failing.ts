import { writeFileSync } from 'node:fs';
import { inject, test } from 'vitest';

/** A run for test/cluster/end.test.ts that fails. */
test('fails', () => {
  writeFileSync(process.env.FACTS!, JSON.stringify({ ...inject('cluster'), worker: process.pid }));
  throw new Error('as it has to');
});
