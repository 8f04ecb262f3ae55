import { CPU_POD, edit } from '../../examples';

const LAST_ARGUMENT = '            - --port=8000\n';
const LAST_VARIABLE = '            - { name: OMP_NUM_THREADS, value: "5" }\n';

/** CPU_POD with more arguments. */
export function withArguments(...words: readonly string[]): string {
  return edit(CPU_POD, [LAST_ARGUMENT, LAST_ARGUMENT + words.map((word) => `            - ${word}\n`).join('')]);
}

/** A pod with more variables: `NAME: value`. */
export function withVariables(variables: Readonly<Record<string, string>>, manifest = CPU_POD): string {
  const lines = Object.entries(variables).map(([name, value]) => `            - { name: ${name}, ${value} }\n`);
  return edit(manifest, [LAST_VARIABLE, LAST_VARIABLE + lines.join('')]);
}

/** CPU_POD on Arm. */
export const ARM_POD = edit(
  CPU_POD,
  ['kubernetes.io/arch: amd64', 'kubernetes.io/arch: arm64'],
  ['v0.31.0-x86_64', 'v0.31.0-arm64'],
);
