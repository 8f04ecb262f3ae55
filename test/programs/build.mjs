// Builds the programs of the cluster tests and of the lab, once, each set into a folder outside of the clone, and prints where
// they are, a line for each set.
// Usage: build.mjs [kubernetes] [machines]        (kubernetes by default)
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const self = fileURLToPath(import.meta.url);
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'cdk8s-vllm', 'programs');
/** In each folder of programs: the size of each file, by which one is told that was cut short or lost. */
const SIZES = 'sizes.json';
/** Each set is a Go module: what both would share they want in different versions. Its packages, all built by one call. */
const SETS = {
  kubernetes: {
    folder: here,
    files: /^[^/]+$|^(control-plane|keeper)\//,
    packages: ['./control-plane', './keeper', 'sigs.k8s.io/lws/cmd', 'github.com/yannh/kubeconform/cmd/kubeconform'],
    facts: kubernetesVersion,
    more: addLws,
  },
  machines: {
    folder: join(here, 'machines'),
    files: /./,
    packages: [
      './coredns',
      ...['containerd', 'containerd-shim-runc-v2', 'ctr'].map(
        (name) => `github.com/containerd/containerd/v2/cmd/${name}`,
      ),
    ],
    facts: containerdVersion,
    more: () => undefined,
  },
};

function go(folder, ...args) {
  const [program, ...all] = bound('INT', 'go', ...args);
  const { status, stdout, error } = spawnSync(program, all, {
    cwd: folder,
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
function key({ folder, files }) {
  const hash = createHash('sha256');
  hash.update(go(folder, 'version')).update(readFileSync(self));
  const sources = readdirSync(folder, { recursive: true }).filter(
    (file) => files.test(file) && /\.(go|mod|sum)$/.test(file),
  );
  for (const file of sources.sort()) hash.update(`\0${file}\0`).update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Without them the API server calls itself v0.0.0, which no client can compare with its own version. */
function kubernetesVersion(folder) {
  const version = go(folder, 'list', '-m', '-f', '{{.Version}}', 'k8s.io/kubernetes');
  const [major, minor] = version.slice(1).split('.');
  const facts = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  return Object.entries(facts).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
}

function containerdVersion(folder) {
  const module = 'github.com/containerd/containerd/v2';
  return [`-X ${module}/version.Version=${go(folder, 'list', '-m', '-f', '{{.Version}}', module)}`];
}

/** The program of LWS under a name that tells, and what its module ships beside its code. */
function addLws(folder, target) {
  renameSync(join(target, 'cmd'), join(target, 'lws'));
  const shipped = join(go(folder, 'list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/lws'), 'config/crd/bases');
  mkdirSync(join(target, 'lws-crds'));
  for (const file of readdirSync(shipped)) {
    writeFileSync(join(target, 'lws-crds', file), readFileSync(join(shipped, file)));
  }
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

function build(name, target, isAlone) {
  const { folder, packages, facts, more } = SETS[name];
  const started = Date.now();
  tidy(isAlone);
  if (existsSync(target)) {
    // Another run may have been faster.
    if (isWhole(target)) return;
    console.error(`${target} is not as it was built; building it anew`);
    rmSync(target, { recursive: true });
  }
  const unfinished = `${target}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    console.error(`building ${name} into ${target}; the first time it takes minutes`);
    const ldflags = ['-s', '-w', ...facts(folder)].join(' ');
    // What containerd can do with file systems that nobody here has; the others know no such tags.
    const tags = 'no_zfs,no_devmapper,no_btrfs,no_tracing';
    const flags = ['-trimpath', '-buildvcs=false', '-tags', tags, '-ldflags', ldflags];
    // One call, so that what several programs use is compiled once.
    go(folder, 'build', ...flags, '-o', `${unfinished}/`, ...packages);
    more(folder, unfinished);
    writeFileSync(join(unfinished, SIZES), sizesOf(unfinished));
    // Whole or not at all.
    if (!existsSync(target)) renameSync(unfinished, target);
    console.error(`built in ${Math.round((Date.now() - started) / 1000)} s`);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** The folder of a set, which is built first where it is not there. */
function ready(name, isLocked) {
  const target = join(cache, key(SETS[name]));
  if (isWhole(target)) return target;
  mkdirSync(cache, { recursive: true });
  // Of two that want to build, one waits for the other; the kernel frees the lock of one that dies.
  const locked = [process.execPath, self, '--locked', name];
  const [program, ...args] = bound('TERM', 'flock', '--no-fork', join(cache, 'lock'), ...locked);
  const hasFlock = spawnSync('flock', ['--version'], { stdio: 'ignore' }).status === 0;
  const waited =
    isLocked || !hasFlock ? undefined : spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (waited === undefined) build(name, target, isLocked);
  else if (waited.status !== 0) process.exit(1);
  return target;
}

try {
  if (spawnSync('go', ['version'], { stdio: 'ignore' }).status !== 0) {
    throw new Error('Go does not run; install 1.26 or newer: https://go.dev/dl/');
  }
  const words = process.argv.slice(2);
  const isLocked = words[0] === '--locked';
  const names = isLocked ? words.slice(1) : words;
  for (const name of names.length > 0 ? names : ['kubernetes']) {
    if (!Object.hasOwn(SETS, name)) throw new Error(`no set ${JSON.stringify(name)}: ${Object.keys(SETS).join(', ')}`);
    console.log(ready(name, isLocked));
  }
} catch (error) {
  console.error(`test/programs: ${error.message}`);
  process.exit(1);
}
