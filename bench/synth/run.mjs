// How long a synthesis takes, as ratios within one run: the machine's own speed cancels out.
//   1. the compiled reference app against an empty `node -e 0`, whole processes in turn (goal: at most 2.5)
//   2. 10,000 groups against 1,000 (goal: at most 11)
// Usage: npm run bench:synth [-- ROUNDS]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const outdir = mkdtempSync(join(tmpdir(), 'bench-synth-'));
const rounds = Number(process.argv[2] ?? 15);

function run(...args) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    env: { ...process.env, CDK8S_OUTDIR: outdir },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}:\n${stderr}`);
  return Number(process.hrtime.bigint() - start) / 1e6;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

function compare(label, goal, rounds, a, b) {
  const pairs = Array.from({ length: rounds }, () => ({ a: a(), b: b() }));
  const ratios = pairs.map(({ a, b }) => a / b);
  const [ms, base] = [median(pairs.map((pair) => pair.a)), median(pairs.map((pair) => pair.b))];
  console.log(
    `${label}: ${ms.toFixed(0)} ms against ${base.toFixed(0)} ms, ratio ${median(ratios).toFixed(2)} ` +
      `(${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}, ${rounds} pairs; goal ${goal})`,
  );
}

try {
  const app = () => run('lib/examples/gemma-two-nodes/main.js');
  const empty = () => run('-e', '0');
  app();
  empty();
  compare('reference app against node -e 0', 'at most 2.5', rounds, app, empty);
  const groups = (n) => () => run('bench/synth/groups.cjs', String(n), outdir);
  compare('10,000 groups against 1,000', 'at most 11', 2, groups(10_000), groups(1_000));
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
