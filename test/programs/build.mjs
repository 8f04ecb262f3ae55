// Builds the programs of the cluster tests, once, into a folder outside of the clone, and prints where they are.
// Usage: build.mjs
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'cdk8s-vllm', 'programs');
/** Packages, and what their programs are called. */
const PROGRAMS = {
  './control-plane': 'control-plane',
  './keeper': 'keeper',
  'sigs.k8s.io/lws/cmd': 'lws',
  'github.com/yannh/kubeconform/cmd/kubeconform': 'kubeconform',
};

function go(...args) {
  const { status, stdout, error } = spawnSync('go', args, {
    cwd: here,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    // Static programs, without a C compiler; nothing of the user's own settings may change them.
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' },
  });
  if (error?.code === 'ENOENT') throw new Error('Go is not installed: https://go.dev/dl/, 1.26 or newer');
  if (status !== 0) throw error ?? new Error(`go ${args[0]} failed`);
  return stdout.trim();
}

/** Names all that the programs are made from. */
function key() {
  const hash = createHash('sha256');
  hash.update(go('version'));
  const files = readdirSync(here, { recursive: true }).filter((file) => /\.(go|mod|sum|mjs)$/.test(file));
  for (const file of files.sort()) hash.update(`\0${file}\0`).update(readFileSync(join(here, file)));
  return hash.digest('hex').slice(0, 16);
}

/** What builds that were killed have left. */
function tidy() {
  for (const name of readdirSync(cache)) {
    const pid = /^[0-9a-f]{16}\.(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(cache, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function build(folder) {
  const started = Date.now();
  tidy();
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const version = go('list', '-m', '-f', '{{.Version}}', 'k8s.io/kubernetes');
    const [major, minor] = version.slice(1).split('.');
    // Without them the API server calls itself v0.0.0, which no client can compare with its own version.
    const facts = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
    const named = Object.entries(facts).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
    const ldflags = ['-s', '-w', ...named].join(' ');
    console.error(`building Kubernetes ${version} into ${folder}; the first time it takes minutes`);
    // One call, so that what several programs use is compiled once.
    const packages = Object.keys(PROGRAMS);
    go('build', '-trimpath', '-buildvcs=false', '-ldflags', ldflags, '-o', `${unfinished}/`, ...packages);
    renameSync(join(unfinished, 'cmd'), join(unfinished, 'lws'));
    // What the LWS module ships beside its code.
    const shipped = join(go('list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/lws'), 'config/crd/bases');
    mkdirSync(join(unfinished, 'lws-crds'));
    for (const file of readdirSync(shipped)) {
      writeFileSync(join(unfinished, 'lws-crds', file), readFileSync(join(shipped, file)));
    }
    // Whole or not at all. Another run may have been faster.
    if (!existsSync(folder)) renameSync(unfinished, folder);
    console.error(`built in ${Math.round((Date.now() - started) / 1000)} s`);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

try {
  const folder = join(cache, key());
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    // Of two that want to build, one waits for the other; the kernel frees the lock of one that dies.
    const isLocked = process.argv[2] === '--locked';
    const args = ['--no-fork', join(cache, 'lock'), process.execPath, fileURLToPath(import.meta.url), '--locked'];
    const waited = isLocked ? undefined : spawnSync('flock', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    if (isLocked || waited.error) build(folder);
    else if (waited.status !== 0) process.exit(1);
  }
  console.log(folder);
} catch (error) {
  console.error(`test/programs: ${error.message}`);
  process.exit(1);
}
