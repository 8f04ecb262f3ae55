// How long a plan takes, as a ratio within one run: the machine's own speed cancels out. The program as it is built, against an
// empty `node -e 0`, whole processes in turn (goal: at most 2.5).
// Usage: npm run bench:plan [-- ROUNDS]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rounds = Number(process.argv[2] ?? 25);

function run(...args) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}:\n${stderr}`);
  return Number(process.hrtime.bigint() - start) / 1e6;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const command = 'plan google/gemma-3-1b-it --node m7g.2xlarge --nodes 2 -o json';
const plan = () => run('lib/cli.cjs', ...command.split(' '));
const empty = () => run('-e', '0');
plan();
empty();
const pairs = Array.from({ length: rounds }, () => ({ plan: plan(), empty: empty() }));
const ratios = pairs.map((pair) => pair.plan / pair.empty);
const [ms, base] = [median(pairs.map((pair) => pair.plan)), median(pairs.map((pair) => pair.empty))];
console.log(
  `plan against node -e 0: ${ms.toFixed(0)} ms against ${base.toFixed(0)} ms, ratio ${median(ratios).toFixed(2)} ` +
    `(${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}, ${rounds} pairs; goal at most 2.5)`,
);
