import type { EngineChanges } from './changes';

/** Variable with one more argument, by which a drill breaks a rank. */
export const MORE_ARGUMENTS = 'REHEARSE_MORE_ARGUMENTS';

/** The programs of vLLM on this machine. */
export interface Programs {
  readonly vllm: string;
  readonly python: string;
}

/**
 * Programs that stand before the real ones on the path of a rank. Command and arguments of the bundle run as they are, shell
 * lines included; what the machine forces is put in on the way to vLLM, and nowhere else.
 */
export function shims(programs: Programs, changes: EngineChanges): Readonly<Record<string, string>> {
  const { variables, argumentsAdded, replaced } = changes;
  const exports = [...variables].map(([name, value]) => `export ${name}=${quoted(value)}`);
  const cases = [...replaced].flatMap(([from, to]) => [
    `  ${quoted(from)}) word=${quoted(to)} ;;`,
    `  ${quoted(`--model=${from}`)}) word=${quoted(`--model=${to}`)} ;;`,
  ]);
  const replacing =
    cases.length === 0 ? [] : ['for word; do shift; case $word in', ...cases, 'esac; set -- "$@" "$word"; done'];
  const changed = (program: string): string =>
    [
      ...exports,
      ...replacing,
      `exec ${quoted(program)} "$@" ${argumentsAdded.map(quoted).join(' ')} $${MORE_ARGUMENTS}`,
    ].join('\n');
  const vllm = [
    '#!/bin/sh',
    'if [ "$1" != serve ]; then',
    `  exec ${quoted(programs.vllm)} "$@"`,
    'fi',
    changed(programs.vllm),
    '',
  ];
  const python = [
    '#!/bin/sh',
    'case "$1 $2" in',
    '"-m vllm" | "-m vllm."*) ;;',
    `*) exec ${quoted(programs.python)} "$@" ;;`,
    'esac',
    changed(programs.python),
    '',
  ];
  return { vllm: vllm.join('\n'), python: python.join('\n'), python3: python.join('\n') };
}

/** As a shell reads it back. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
