// Builds the programs of the cluster tests and of the lab, once, each set into a folder outside of the clone, and prints where
// they are, a line for each set.
// Usage: build.mjs [kubernetes] [machines]        (kubernetes by default)
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const self = fileURLToPath(import.meta.url);
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'cdk8s-vllm', 'programs');
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
  const { status, stdout, error } = spawnSync('go', args, {
    cwd: folder,
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

function build(name, target) {
  const { folder, packages, facts, more } = SETS[name];
  const started = Date.now();
  tidy();
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
    // Whole or not at all. Another run may have been faster.
    if (!existsSync(target)) renameSync(unfinished, target);
    console.error(`built in ${Math.round((Date.now() - started) / 1000)} s`);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** The folder of a set, which is built first where it is not there. */
function ready(name, isLocked) {
  const target = join(cache, key(SETS[name]));
  if (existsSync(target)) return target;
  mkdirSync(cache, { recursive: true });
  // Of two that want to build, one waits for the other; the kernel frees the lock of one that dies.
  const args = ['--no-fork', join(cache, 'lock'), process.execPath, self, '--locked', name];
  const waited = isLocked ? undefined : spawnSync('flock', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (isLocked || waited.error) build(name, target);
  else if (waited.status !== 0) process.exit(1);
  return target;
}

try {
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
