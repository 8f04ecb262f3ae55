// The tests that start the real vLLM: `npm run test:engine` for one rehearsal, `npm run test:engine -- --all` for all. Installs
// what they need into a cache folder, once, and prints what both took. Other arguments go to vitest.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const all = process.argv.includes('--all');
const rest = process.argv.slice(2).filter((word) => word !== '--all');
/** The newest that this library knows, the one of the article, and the two on either side of the first with pipelines. */
const versions = all ? ['0.32.0', '0.31.0', '0.20.0', '0.19.1'] : ['0.32.0'];

/** Seconds of CPU of all child processes that have ended, theirs included. */
function cpuSeconds() {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

const install = spawnSync('python3', ['test/engine/real/install.py', ...versions], {
  cwd: root,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (install.status !== 0) {
  console.error('vLLM could not be installed for the tests');
  process.exit(1);
}
const pythons = install.stdout.trim().split('\n');
const installed = cpuSeconds();
console.log(`install: ${installed.toFixed(0)} CPU-s`);
const { status } = spawnSync('npx', ['vitest', 'run', '--config', 'vitest.engine.config.mts', ...rest], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    ENGINE_TESTS: all ? 'all' : 'core',
    ENGINE_PYTHONS: JSON.stringify(Object.fromEntries(versions.map((version, i) => [version, pythons[i]]))),
  },
});
console.log(`${all ? 'all' : 'core'}: ${(cpuSeconds() - installed).toFixed(0)} CPU-s beyond the install`);
process.exit(status ?? 1);
