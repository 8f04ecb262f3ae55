// Puts the library into one file, lib/src/index.js, in place of jsii's: loading a hundred files costs an App more than running.
// It is made from the sources, whose modules share one scope: those that jsii compiled each keep a function of their own, which
// takes half as long again to load. What jsii adds to the exported classes is added here as well. Types, assembly and the
// loading of cdk8s and constructs stay as they are.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { types, version } = JSON.parse(readFileSync(join(root, '.jsii'), 'utf8'));

/** Classes that jsii knows, by their file. The runtime of other languages looks for their names. */
const classes = new Map();
for (const { kind, name, fqn, locationInModule } of Object.values(types)) {
  if (kind === 'class') {
    classes.set(locationInModule.filename, [...(classes.get(locationInModule.filename) ?? []), { name, fqn }]);
  }
}

function withNames(source, path) {
  const known = classes.get(path) ?? [];
  classes.delete(path);
  return known.reduce((text, { name, fqn }) => {
    const head = new RegExp(`^export (?:abstract )?class ${name}\\b[^{]*\\{`, 'm');
    if (!head.test(text)) {
      throw new Error(`${path} has no class ${name}, which the assembly speaks of`);
    }
    const tag = `static readonly [Symbol.for('jsii.rtti')] = ${JSON.stringify({ fqn, version })};`;
    return text.replace(head, (found) => `${found} ${tag}`);
  }, source);
}

const jsiiNames = {
  name: 'jsii-names',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const name = relative(root, path).split(sep).join('/');
      return { contents: withNames(await readFile(path, 'utf8'), name), loader: 'ts' };
    });
  },
};

await build({
  absWorkingDir: root,
  entryPoints: ['src/index.ts'],
  outfile: 'lib/src/index.js',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['cdk8s', 'constructs'],
  legalComments: 'inline',
  logLevel: 'warning',
  plugins: [jsiiNames],
});
if (classes.size > 0) {
  throw new Error(`the assembly speaks of classes that the library does not load: ${[...classes.keys()].join(', ')}`);
}
