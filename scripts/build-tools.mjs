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
// Each command is a file of its own, so that none is read for another; their modules then share one scope, which loads in half
// the time of modules that wait to be called.
const program = 'lib/cli.cjs';
const COMMANDS = ['bootstrap', 'check', 'plan', 'prove', 'rehearse', 'smoke'];
const commandsApart = {
  name: 'commands-apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/command\.js$/ }, ({ path, kind }) => {
      const command = COMMANDS.find((name) => path === `./${name}/command.js`);
      return kind === 'dynamic-import' && command ? { path: `./cli/${command}.cjs`, external: true } : undefined;
    });
  },
};
await build({
  ...common,
  entryPoints: ['src/cli/bin.ts'],
  outfile: program,
  banner: { js: '#!/usr/bin/env node' },
  // Node's import() starts a loader that require() does without.
  supported: { 'dynamic-import': false },
  plugins: [commandsApart],
});
await build({
  ...common,
  entryPoints: {
    ...Object.fromEntries(COMMANDS.map((name) => [name, `src/cli/${name}/command.ts`])),
    supervisor: 'src/operate/rehearse/machine/supervisor.ts',
  },
  outdir: 'lib/cli',
  outExtension: { '.js': '.cjs' },
});
chmodSync(join(root, program), 0o755);

await import('./build-bootstrap.mjs');
