// What `check` costs, as ratios within one run: the machine's own speed cancels out. Three goals: on 2,000 documents at most
// twice the CPU of kubeconform, linear in documents, and a start of at most 2.5 times an empty `node -e 0`.
// Usage: npm run bench:check [-- ROUNDS]
//
// kubeconform is compared when it is there: KUBECONFORM names the program, and KUBECONFORM_SCHEMAS a folder of schemas, one
// file `<kind>-<group>-<version>.json` each, as its own openapi2jsonschema writes them. Without them that line is left out.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rounds = Number(process.argv[2] ?? 5);
const { KUBECONFORM, KUBECONFORM_SCHEMAS } = process.env;
const folder = mkdtempSync(join(tmpdir(), 'bench-check-'));

/** CPU and wall-clock milliseconds of a process. */
function run(program, ...args) {
  const start = process.hrtime.bigint();
  // The shell's `times` gives the CPU of its children, which Node does not.
  const script = '"$@" >/dev/null; code=$?; times >&2; exit $code';
  const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', program, ...args], { cwd: root, encoding: 'utf8' });
  const wall = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stderr}`);
  const [user, system] = stderr.trim().split('\n').at(-1).split(/\s+/).map(milliseconds);
  return { cpu: user + system, wall };
}

function milliseconds(text) {
  const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(text);
  return (Number(minutes) * 60 + Number(seconds)) * 1000;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Groups of the reference bundle with what belongs to them, each under names of its own: objects of about 100 lines. */
function documents(count) {
  const objects = parseAllDocuments(readFileSync(join(root, 'dist/vllm-gemma.k8s.yaml'), 'utf8'))
    .map((document) => document.toJS())
    .filter((object) => object !== null && !['Namespace', 'ConfigMap'].includes(object.kind));
  for (const object of objects) shorten(object);
  const texts = objects.map((object) => stringify(object, { lineWidth: 0 }));
  return Array.from({ length: count }, (_, i) =>
    texts[i % texts.length].replaceAll(
      /vllm-gemma|vllm-leader|chat-app/g,
      (name) => `${name}-${Math.floor(i / texts.length)}`,
    ),
  ).join('---\n');
}

/** The probe's source has hundreds of lines, which would be most of the text and no work. */
function shorten(value) {
  for (const [key, inner] of Object.entries(value ?? {})) {
    if (typeof inner === 'string' && inner.length > 2000) value[key] = inner.split('\n').slice(0, 3).join('\n');
    else if (typeof inner === 'object') shorten(inner);
  }
}

function file(count) {
  const path = join(folder, `${count}.yaml`);
  writeFileSync(path, documents(count));
  return path;
}

try {
  const [small, large] = [file(500), file(2000)];
  const check = (path) => run(process.execPath, 'lib/cli.cjs', 'check', '--fail-on', 'never', path);
  const text = readFileSync(large, 'utf8');
  console.log(`2000 documents: ${text.split('\n').length} lines, ${(text.length / 2 ** 20).toFixed(1)} MiB`);

  check(small);
  const pairs = Array.from({ length: rounds }, () => [check(small).cpu, check(large).cpu]);
  const [cpuSmall, cpuLarge] = [0, 1].map((i) => median(pairs.map((pair) => pair[i])));
  const growth = median(pairs.map(([a, b]) => b / a));
  console.log(
    `linear: ${cpuSmall.toFixed(0)} ms CPU for 500, ${cpuLarge.toFixed(0)} ms for 2000, ratio ${growth.toFixed(2)} (goal at most 4, the start included)`,
  );

  if (KUBECONFORM && KUBECONFORM_SCHEMAS) {
    const location = `${KUBECONFORM_SCHEMAS}/{{.ResourceKind}}{{.KindSuffix}}.json`;
    const other = () => run(KUBECONFORM, '-strict', '-schema-location', location, large);
    other();
    const both = Array.from({ length: rounds }, () => [check(large).cpu, other().cpu]);
    const ratios = both.map(([a, b]) => a / b);
    const [own, theirs] = [0, 1].map((i) => median(both.map((pair) => pair[i])));
    console.log(
      `against kubeconform: ${own.toFixed(0)} ms CPU against ${theirs.toFixed(0)} ms, ratio ${median(ratios).toFixed(2)} ` +
        `(${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}, ${rounds} pairs; goal at most 2)`,
    );
  } else {
    console.log('against kubeconform: left out, since KUBECONFORM and KUBECONFORM_SCHEMAS do not say where it is');
  }

  const one = join(folder, 'one.yaml');
  writeFileSync(one, 'apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n');
  for (const [name, path] of [
    ['one Service', one],
    ['the reference bundle', 'dist'],
  ]) {
    const starts = Array.from({ length: rounds * 5 }, () => [check(path).wall, run(process.execPath, '-e', '0').wall]);
    const ratios = starts.map(([a, b]) => a / b);
    const [own, empty] = [0, 1].map((i) => median(starts.map((pair) => pair[i])));
    console.log(
      `start, ${name}: ${own.toFixed(0)} ms against ${empty.toFixed(0)} ms of node -e 0, ratio ${median(ratios).toFixed(2)} ` +
        `(${rounds * 5} pairs; goal at most 2.5)`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
