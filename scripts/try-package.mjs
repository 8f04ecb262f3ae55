// Packs the package as npm would publish it and uses it from a project of its own: what `files` forgot shows here.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** A page or example of ours; the sources that messages name have deeper folders. */
const PAGE = /(?<![\w/-])(?:docs\/(?:rules\/)?|examples\/[\w-]+\/)[\w-]+\.(?:md|json|yaml)/g;
const folder = mkdtempSync(join(tmpdir(), 'try-package-'));

try {
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    }),
  );
  // npm 11 answers with a list, newer ones with an object by name.
  const [{ filename, files }] = Array.isArray(packed) ? packed : Object.values(packed);
  const paths = files.map(({ path }) => path);
  const unwanted = paths.filter(
    (path) =>
      /^(src|test|examples|node_modules)\/|\.tsbuildinfo$/.test(path) && path !== 'examples/eks-cluster/cluster.yaml',
  );
  if (unwanted.length > 0) {
    throw new Error(`the package holds what it should not: ${unwanted.join(', ')}`);
  }
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'cdk8s-vllm'), { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', join(modules, 'cdk8s-vllm'), '--strip-components=1']);
  // Messages name pages and examples: who has the package alone finds them in it.
  const programs = paths.filter((path) => /^lib\/(cli|bootstrap|cli\/\w+)\.cjs$|^lib\/src\/index\.js$/.test(path));
  const named = programs.flatMap((path) => [...readFileSync(join(modules, 'cdk8s-vllm', path), 'utf8').matchAll(PAGE)]);
  const absent = new Set(named.map(([path]) => path).filter((path) => !paths.includes(path)));
  if (named.length === 0 || absent.size > 0) {
    throw new Error(
      `messages name what is not in the package: ${[...absent].join(', ') || 'no page is found in them'}`,
    );
  }
  for (const name of ['cdk8s', 'constructs', 'typescript', '@types']) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }

  const source = readFileSync(join(root, 'examples', 'gemma-two-nodes', 'chart.ts'), 'utf8');
  writeFileSync(join(folder, 'chart.ts'), source);
  writeFileSync(join(folder, 'main.ts'), readFileSync(join(root, 'examples', 'gemma-two-nodes', 'main.ts'), 'utf8'));
  // The bootstrapper: its types need nothing beside them, and its program finds its module.
  writeFileSync(
    join(folder, 'bootstrap.ts'),
    "import { type ApplyReport, applyCluster, readClusterFile } from 'cdk8s-vllm/bootstrap';\n" +
      'export const apply = (text: string): Promise<ApplyReport> => applyCluster(readClusterFile(text));\n',
  );
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      // Without skipLibCheck: the declarations must stand on their own, with nothing but the peer dependencies.
      compilerOptions: {
        target: 'es2022',
        module: 'node20',
        strict: true,
        outDir: 'out',
        skipLibCheck: false,
        types: [],
      },
      include: ['*.ts'],
    }),
  );
  execFileSync(process.execPath, [join(modules, 'typescript', 'bin', 'tsc'), '-p', folder], { stdio: 'inherit' });
  // Projects that `cdk8s init` makes find modules the old way, without `exports`.
  const old = '--module commonjs --moduleResolution node10 --ignoreDeprecations 6.0 --noEmit --ignoreConfig'.split(' ');
  const strict = '--target es2022 --strict'.split(' ');
  execFileSync(
    process.execPath,
    [join(modules, 'typescript', 'bin', 'tsc'), ...old, ...strict, join(folder, 'bootstrap.ts')],
    { stdio: 'inherit' },
  );
  // As an ES module too: its names are found without running it.
  const names = execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      "import { applyCluster, CLUSTER_SCHEMA, readClusterFile } from 'cdk8s-vllm/bootstrap'; console.log(typeof applyCluster, typeof readClusterFile, CLUSTER_SCHEMA.title);",
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  if (names !== 'function function cluster.yaml\n') {
    throw new Error(`the module is another one as an ES module: ${names}`);
  }
  execFileSync(process.execPath, [join(folder, 'out', 'main.js')], {
    cwd: folder,
    env: { ...process.env, CDK8S_OUTDIR: join(folder, 'dist') },
    stdio: 'inherit',
  });
  const wrong = spawnSync(process.execPath, [join(modules, 'cdk8s-vllm/lib/cli.cjs'), 'bootstrap', 'plan', '-f', '-'], {
    input: 'name: -x\n',
    encoding: 'utf8',
  });
  if (wrong.status !== 2 || !wrong.stderr.includes('-:1:7: name is')) {
    throw new Error(`the packed program does not read a cluster file: ${wrong.status} ${wrong.stderr}`);
  }
  const name = 'vllm-gemma.k8s.yaml';
  const rendered = readFileSync(join(folder, 'dist', name), 'utf8');
  if (rendered !== readFileSync(join(root, 'dist', name), 'utf8')) {
    throw new Error(`the package renders another ${name} than the repository`);
  }
  console.log(`${filename}: ${files.length} files, renders the reference bundle`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
