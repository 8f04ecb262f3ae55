/**
 * node scripts/embed-probe.mjs
 *
 * Writes src/engine/probe/progress.ts from progress.py: the compiler ships TypeScript only, and the manifest carries the
 * script as text. progress.py stays the only place where it is edited; test/engine fails when this was forgotten.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const dir = new URL('../src/engine/probe/', import.meta.url);
const script = readFileSync(new URL('progress.py', dir), 'utf8');

// What String.raw cannot hold, and what makes YAML give up its readable block form.
const misfit = /`|\$\{|\t|[^\x20-\x7e\n]| $/m.exec(script);
if (misfit) throw new Error(`progress.py: ${JSON.stringify(misfit[0])} at offset ${misfit.index} cannot be embedded`);

writeFileSync(
  new URL('progress.ts', dir),
  `/* Made by scripts/embed-probe.mjs from progress.py: edit that file. */

/** Python (standard library only) for \`python3 -I -S -c\`: exits 1 when the engine behind the server hangs. */
export const PROGRESS_PROBE = String.raw\`${script}\`;
`,
);
