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

// What starts things on this machine is bundled for itself: the other commands do not read it.
await build({
  ...common,
  entryPoints: {
    rehearse: 'src/cli/rehearse/command.ts',
    supervisor: 'src/operate/rehearse/machine/supervisor.ts',
  },
  outdir: 'lib/operate',
  outExtension: { '.js': '.cjs' },
});
const operate = {
  name: 'operate',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/rehearse\/command\.js$/ }, () => ({ path: './operate/rehearse.cjs', external: true })),
};

// The program of the package. It loads nothing but Node's own modules: it runs where cdk8s is not installed, and starts fast.
const program = 'lib/cli.cjs';
await build({
  ...common,
  entryPoints: ['src/cli/bin.ts'],
  outfile: program,
  plugins: [operate],
  banner: { js: '#!/usr/bin/env node' },
});
chmodSync(join(root, program), 0o755);
