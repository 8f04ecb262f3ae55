import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  legalComments: 'inline',
  logLevel: 'warning',
};

// The library itself stays outside of this bundle: an app and the tool have to share one cdk8s.
await build({
  ...common,
  entryPoints: { synth: 'src/cli/synth-main.ts' },
  outdir: 'lib/tools',
  outExtension: { '.js': '.cjs' },
  external: ['cdk8s', 'constructs'],
});

// The program of the package. It loads nothing but Node's own modules: it runs where cdk8s is not installed, and starts fast.
const program = 'lib/cli.cjs';
await build({
  ...common,
  entryPoints: ['src/cli/bin.ts'],
  outfile: program,
  banner: { js: '#!/usr/bin/env node' },
});
chmodSync(join(root, program), 0o755);

await import('./build-bootstrap.mjs');
