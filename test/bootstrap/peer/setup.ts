import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestProject } from 'vitest/node';
import { OPERATIONS } from './cloud/operations';
import { findPython } from './python';

declare module 'vitest' {
  interface ProvidedContext {
    /** File with the service models; empty when there is no Python with botocore. */
    models: string;
    python: string;
    moto: string;
    /** Folder with bootstrap.cjs, built from the sources as they are now. */
    built: string;
  }
}

/** Takes the service models out of the installed botocore, once for all test files. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'bootstrap-peer-'));
  const found = findPython();
  if (found === undefined) {
    const why = 'there is no Python 3 with botocore, and none could be installed';
    if (process.env.CI === 'true') {
      throw new Error(why);
    }
    console.warn(`SKIPPED: ${why}; the strict peer of AWS cannot be made`);
  }
  const models = join(folder, 'models.json');
  if (found !== undefined) {
    const script = join(__dirname, 'service_models.py');
    writeFileSync(
      models,
      execFileSync(found.python, [script, ...OPERATIONS], { maxBuffer: 64 * 1024 * 1024, encoding: 'utf8' }),
    );
  }
  const build = join(__dirname, '../../../scripts/build-bootstrap.mjs');
  const { buildBootstrap } = (await import(pathToFileURL(build).href)) as {
    buildBootstrap: (folder: string) => Promise<unknown>;
  };
  await buildBootstrap(folder);
  project.provide('models', found === undefined ? '' : models);
  project.provide('python', found?.python ?? '');
  project.provide('moto', found?.moto ?? '');
  project.provide('built', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
