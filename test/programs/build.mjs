// Builds the programs of the cluster tests, once, into a folder outside of the clone, and prints where they are.
// Usage: build.mjs
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'cdk8s-vllm', 'programs');
/** In each folder of programs: the size of each file, by which one is told that was cut short or lost. */
const SIZES = 'sizes.json';
/** Packages, and what their programs are called. */
const PROGRAMS = {
  './control-plane': 'control-plane',
  './keeper': 'keeper',
  'sigs.k8s.io/lws/cmd': 'lws',
  'github.com/yannh/kubeconform/cmd/kubeconform': 'kubeconform',
};

function go(...args) {
  const [program, ...all] = bound('INT', 'go', ...args);
  const { status, stdout, error } = spawnSync(program, all, {
    cwd: here,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    // Static programs, without a C compiler; nothing of the user's own settings may change them.
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' },
  });
  if (error !== undefined) throw error;
  if (status !== 0) {
    const where = 'modules come from GOPROXY (see `go env GOPROXY`), once, into GOMODCACHE; 4 GB of disk are needed';
    throw new Error(`go ${args[0]} failed, for the reason above; ${where}`);
  }
  return stdout.trim();
}

/** A command that is told to end when this process does, however that ends. */
function bound(signal, ...command) {
  return hasSetpriv ? ['setpriv', '--pdeathsig', signal, '--', ...command] : command;
}
const hasSetpriv = spawnSync('setpriv', ['--version'], { stdio: 'ignore' }).status === 0;

/** Names all that the programs are made from. */
function key() {
  const hash = createHash('sha256');
  hash.update(go('version'));
  const files = readdirSync(here, { recursive: true }).filter((file) => /\.(go|mod|sum|mjs)$/.test(file));
  for (const file of files.sort()) hash.update(`\0${file}\0`).update(readFileSync(join(here, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Removes what builds that were killed have left; who holds the lock is the only one that builds. */
function tidy(isAlone) {
  for (const name of readdirSync(cache)) {
    const pid = /^[0-9a-f]{16}\.(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && (isAlone || !isAlive(Number(pid))))
      rmSync(join(cache, name), { recursive: true, force: true });
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

/** The sizes of all files of a folder. */
function sizesOf(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file !== SIZES);
  const sizes = files.map((file) => [file, statSync(join(folder, file))]).filter(([, stat]) => stat.isFile());
  return JSON.stringify(Object.fromEntries(sizes.map(([file, { size }]) => [file, size]).sort()));
}

/** Whether programs are there, as they were built. */
function isWhole(folder) {
  try {
    return readFileSync(join(folder, SIZES), 'utf8') === sizesOf(folder);
  } catch {
    return false;
  }
}

function build(folder, isAlone) {
  const started = Date.now();
  tidy(isAlone);
  if (existsSync(folder)) {
    // Another run may have been faster.
    if (isWhole(folder)) return;
    console.error(`${folder} is not as it was built; building it anew`);
    rmSync(folder, { recursive: true });
  }
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
    writeFileSync(join(unfinished, SIZES), sizesOf(unfinished));
    // Whole or not at all.
    if (!existsSync(folder)) renameSync(unfinished, folder);
    console.error(`built in ${Math.round((Date.now() - started) / 1000)} s`);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

try {
  if (spawnSync('go', ['version'], { stdio: 'ignore' }).status !== 0) {
    throw new Error('Go does not run; install 1.26 or newer: https://go.dev/dl/');
  }
  const folder = join(cache, key());
  if (!isWhole(folder)) {
    mkdirSync(cache, { recursive: true });
    // Of two that want to build, one waits for the other; the kernel frees the lock of one that dies.
    const isLocked = process.argv[2] === '--locked';
    const self = [process.execPath, fileURLToPath(import.meta.url), '--locked'];
    const [program, ...args] = bound('TERM', 'flock', '--no-fork', join(cache, 'lock'), ...self);
    const hasFlock = spawnSync('flock', ['--version'], { stdio: 'ignore' }).status === 0;
    const waited =
      isLocked || !hasFlock ? undefined : spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    if (waited === undefined) build(folder, isLocked);
    else if (waited.status !== 0) process.exit(1);
  }
  console.log(folder);
} catch (error) {
  console.error(`test/programs: ${error.message}`);
  process.exit(1);
}
