import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { engineOf } from './read';

/* What is read of a shell line is what a shell makes of it: a program called vllm prints its words. */

const bin = mkdtempSync(join(tmpdir(), 'vllm-'));
writeFileSync(join(bin, 'vllm'), `#!/bin/sh\nprintf '%s\\0' "$@"\n`);
chmodSync(join(bin, 'vllm'), 0o755);
afterAll(() => rmSync(bin, { recursive: true }));

const ENV = { PORT: '8001', WORDS: ' --headless  -tp 2 ', EMPTY: '', QUOTED: 'a "b" c', NEWLINE: 'x\ny' };
const PARAMETERS = ['name', 'one', 'two words', 'last'];

function byShell(script: string, shell = 'sh'): string[] {
  const env = { ...ENV, PATH: `${bin}:${process.env.PATH ?? ''}` };
  const out = execFileSync(shell, ['-c', script, ...PARAMETERS], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return out.split('\0').slice(0, -1);
}

/** Kubernetes makes one dollar sign of two, before any shell sees them. */
const escaped = (text: string) => text.replaceAll('$', () => '$$');

/** The words that were read: `vllm serve --` keeps them all as they are. */
function byReading(script: string, shell = 'sh'): (string | undefined)[] {
  const env = Object.entries(ENV).map(([name, value]) => ({ name, value }));
  const { command } = engineOf({ command: [shell, '-c', ...[script, ...PARAMETERS].map(escaped)], env });
  expect(command.why).toBeUndefined();
  return ['serve', '--', ...(command.model ? [command.model] : []), ...command.strays].map((word) =>
    typeof word === 'string' ? word : word.text.value,
  );
}

const plain = fc.stringMatching(/^[a-zA-Z0-9_./:=,+-]{1,6}$/);
const inQuotes = fc.stringMatching(/^[a-zA-Z0-9 ;&|<>(){}#'-]{0,8}$/);
const variable = fc.constantFrom('${PORT}', '${WORDS}', '${EMPTY}', '${QUOTED}', '${NEWLINE}', '$1', '$2', '$3', '$#');
const expansion = fc.constantFrom(
  '${PORT:-x}',
  '${EMPTY:-a b}',
  '${EMPTY-x}',
  '${NONE_:-"a b" c}',
  '${PORT:+a b}',
  '${EMPTY:+x}',
  '$((PORT + 1))',
  '$((7 / 2 * -3))',
  '$(( $PORT % 7 ))',
);
const part = fc.oneof(
  plain,
  inQuotes.map((text) => `'${text.replaceAll("'", '')}'`),
  fc
    .array(fc.oneof(inQuotes, variable, expansion, fc.constantFrom('\\"', '\\$', '\\\\', '\\a', '\\\n')), {
      maxLength: 4,
    })
    .map((parts) => `"${parts.join('')}"`),
  variable,
  expansion,
  fc.constantFrom('\\ ', '\\"', "\\'", '\\$', '\\\n', '\\#'),
);
// Shells disagree on what is glued to "$@", so it stands alone.
const word = fc.oneof(
  { weight: 8, arbitrary: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.constantFrom('$@', '"$@"', '$*', '"$*"') },
);
const line = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));
const condition = fc.constantFrom(
  '[ "$PORT" = 8001 ]',
  '[ $PORT -gt 9000 ]',
  'test -z "$EMPTY"',
  '! [ -n "$EMPTY" ]',
  'true',
  'false',
  '[ "$1" != one ]',
  '[ "$#" -eq 3 ]',
);
const script = fc
  .record({ a: line, b: line, value: word, condition, other: condition, form: fc.nat(8) })
  .map(({ a, b, value, condition, other, form }) => {
    const run = (words: string) => `vllm serve -- ${words}`;
    return [
      run(a),
      `X=${value}; ${run(`"$X" ${b}`)}`,
      `X=${value}; X="$X"y; ${run(`${'$'}X ${b}`)}`,
      `if ${condition}; then ${run(a)}; else exec ${run(b)}; fi`,
      `${condition} && { ${run(a)}; exit; }; ${run(b)}`,
      `${condition} && X=1 || X=2; ${run(`${'$'}X ${a}`)}`,
      `f() { ${run(`"$@" ${a}`)}; }\nf ${b} # comment`,
      `if ${condition} && ${other}; then X=1\nelif ${other} || ${condition}\nthen X=2\nfi\n${run(`"\${X:-3}" ${a}`)}`,
      `case $PORT in 1|2) ${run(a)};; 8001) ${run(b)};; *) ${run('x')}; esac`,
    ][form]!;
  });

describe('a shell', () => {
  test.each([
    'vllm serve -- "$@"',
    'vllm serve -- $@',
    'vllm serve -- "a$@b"',
    'vllm serve -- "$*"',
    'vllm serve -- ${EMPTY}x"" "" $EMPTY',
    'vllm serve -- a"b c"\'d e\'f\\ g',
    'set -- x "y z"; vllm serve -- "$@" $#',
    'shift; vllm serve -- "$@"',
    'cat > /dev/null <<E\nvllm serve -- no\nE\nvllm serve -- yes',
    'A=1 B=2 vllm serve -- $A "$B"',
    'export A="x y"; sh -c \'vllm serve -- $A\'',
    'vllm serve -- ~ {a,b} a=b #c',
    'vllm serve -- ${#PORT}',
  ])('agrees on %s', (text) => {
    const [shell, read] = [byShell(text), byReading(text)];
    // What is not known is open, and never something else.
    expect(read.includes(undefined) ? [] : read).toEqual(
      read.includes(undefined) ? [] : shell.map((each) => (each === process.env.HOME ? '~' : each)),
    );
  });

  test.each([
    'A=(--port 1 "two words" $WORDS); vllm serve -- "${A[@]}"',
    'A=(x); A+=(y "$PORT"); A+=("${A[@]}"); vllm serve -- "${A[@]}" ${A[*]} "${A[*]}"',
    'A=(\n  x # comment\n\n  "y z"\n); vllm serve -- "p${A[@]}s"',
    'declare -a A=(x y); B=("${A[@]}" z); vllm serve -- "$A" "${B[2]}" "${B[0]}" "${B[7]}"',
    'A=(); vllm serve -- "${A[@]}" ${A[@]} "${A[*]}"',
    'A=x; A=(y z); A=w; vllm serve -- "${A[@]}"',
    'f() { local -a A=(--f "$1"); A+=(g); vllm serve -- "${A[@]}"; }; f "a b"',
    'A=(x); if [ "$PORT" = 8001 ]; then A+=(yes); else A+=(no); fi; vllm serve -- "${A[@]}"',
    'A=(x); (A+=(sub)); vllm serve -- "${A[@]}"',
    'vllm serve -- "${PORT[@]}" "${PORT[0]}" "${NONE_[@]}"',
    'A=(x y); unset A; vllm serve -- "${A[@]}" z',
    'if ((PORT == 8001)); then vllm serve -- a; else vllm serve -- b; fi',
    'if (( $PORT >= 9000 )); then vllm serve -- a; elif ((PORT)); then vllm serve -- b; fi',
    '((PORT < 1)) && X=1 || X=2; vllm serve -- $X',
  ])('of bash agrees on %s', (text) => {
    const read = byReading(text, 'bash');
    expect(read).not.toContain(undefined);
    expect(read).toEqual(byShell(text, 'bash'));
  });

  test('agrees on lines of all kinds', () => {
    fc.assert(
      fc.property(script, (text) => {
        expect(byReading(text)).toEqual(byShell(text));
      }),
      { numRuns: Number(process.env.SHELL_RUNS ?? 200) },
    );
  }, 60_000);
});
