/**
 * node scripts/import.mjs [--check]
 *
 * Generates imports/*.ts from imports/crds/*.yaml, without the network. `--check` writes nothing and fails when the
 * files on disk are not, byte for byte, what would be written.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const imports = fileURLToPath(new URL('../imports/', import.meta.url));
const crds = join(imports, 'crds');

function filesIn(folder, extension) {
  // Sorted, because the order of a directory listing is up to the file system and would end up in the output.
  return readdirSync(folder)
    .filter((name) => name.endsWith(extension))
    .sort();
}

/** @returns {Map<string, string>} file name to content */
function generate() {
  const scratch = mkdtempSync(join(tmpdir(), 'cdk8s-vllm-import-'));
  try {
    // One input for all: the CLI names its output by API group, and a second file of the same group would replace
    // the kinds of the first.
    const documents = filesIn(crds, '.yaml').map((name) => readFileSync(join(crds, name), 'utf8'));
    writeFileSync(join(scratch, 'crds.yaml'), documents.join('---\n'));

    // The package exports no path to its command, only its package.json.
    const cli = join(dirname(createRequire(import.meta.url).resolve('cdk8s-cli/package.json')), 'bin', 'cdk8s');
    const flags = ['--language', 'typescript', '--no-class-prefix', '--no-check-upgrade', '--no-save'];
    // Run in the scratch folder, where there is no cdk8s.yaml that could have a say in this.
    const result = spawnSync(process.execPath, [cli, 'import', 'crds.yaml', '--output', 'out', ...flags], {
      cwd: scratch,
      encoding: 'utf8',
    });
    if (result.status !== 0) throw new Error(`cdk8s import failed:\n${result.stdout}${result.stderr}`);

    const out = join(scratch, 'out');
    return new Map(filesIn(out, '.ts').map((name) => [name, readFileSync(join(out, name), 'utf8')]));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function check(generated) {
  const problems = [];
  for (const [name, content] of generated) {
    const file = join(imports, name);
    if (!existsSync(file)) problems.push(`imports/${name} is missing`);
    else if (readFileSync(file, 'utf8') !== content) problems.push(`imports/${name} differs from what it is made of`);
  }
  for (const name of filesIn(imports, '.ts')) {
    if (!generated.has(name)) problems.push(`imports/${name} is made of nothing in imports/crds`);
  }
  return problems;
}

const generated = generate();
if (process.argv.includes('--check')) {
  const problems = check(generated);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error('run `npm run import`, and change imports/crds rather than the generated files');
    process.exitCode = 1;
  }
} else {
  mkdirSync(imports, { recursive: true });
  for (const name of filesIn(imports, '.ts')) if (!generated.has(name)) rmSync(join(imports, name));
  for (const [name, content] of generated) {
    writeFileSync(join(imports, name), content);
    console.log(`imports/${name}`);
  }
}
