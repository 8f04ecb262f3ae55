import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The library itself stays outside of the bundle: an app and the tool have to share one cdk8s. */
const root = fileURLToPath(new URL('..', import.meta.url));

await build({
  absWorkingDir: root,
  entryPoints: { synth: 'src/cli/synth-main.ts' },
  outdir: 'lib/tools',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['cdk8s', 'constructs'],
  legalComments: 'inline',
  logLevel: 'warning',
});
