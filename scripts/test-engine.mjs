// The tests that start the real vLLM: `npm run test:engine` for one rehearsal, `npm run test:engine -- --all` for all. Installs
// what they need into a cache folder, once, and prints what both took. Other arguments go to vitest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { CpuSeconds } from './cpu-seconds.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const all = process.argv.includes('--all');
const rest = process.argv.slice(2).filter((word) => word !== '--all');
/** The newest that this library knows, the one of the article, and the two on either side of the first with pipelines. */
const versions = all ? ['0.32.0', '0.31.0', '0.20.0', '0.19.1'] : ['0.32.0'];
const cpu = new CpuSeconds();

const install = spawn('python3', ['test/engine/real/install.py', ...versions], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [said, [failed]] = await Promise.all([text(install.stdout), once(install, 'close')]);
if (failed !== 0) {
  console.error('vLLM could not be installed for the tests');
  process.exit(1);
}
const pythons = said.trim().split('\n');
const installed = cpu.total;
console.log(`install: ${installed.toFixed(0)} CPU-s`);
const tests = spawn(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.engine.config.mts', ...rest],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      ENGINE_TESTS: all ? 'all' : 'core',
      ENGINE_PYTHONS: JSON.stringify(Object.fromEntries(versions.map((version, i) => [version, pythons[i]]))),
    },
  },
);
// Whoever interrupts this interrupts them as well, and they say how they ended.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => tests.kill(signal));
}
const [status] = await once(tests, 'exit');
console.log(`${all ? 'all' : 'core'}: ${(cpu.total - installed).toFixed(0)} CPU-s beyond the install`);
cpu.stop();
process.exit(status ?? 1);
