import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

/** The path of a stand-in kubectl whose port-forward leads to an address. The real one is used by npm run test:cluster and test:lab. */
export function standInKubectl(url: string, ways: { readonly drops?: boolean } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  vi.stubEnv('STAND_IN', JSON.stringify({ port: Number(new URL(url).port), ...ways }));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
    vi.unstubAllEnvs();
  });
  const file = join(folder, 'kubectl');
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${join(__dirname, 'stand-in-kubectl.mjs')}' "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}
