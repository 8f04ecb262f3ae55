// Makes lib/bootstrap.cjs, the module `cdk8s-vllm/bootstrap` with the YAML parser in it; lib/bootstrap-aws.cjs, the AWS SDK, which
// the first call loads; the types of the API; and lib/bootstrap.licenses.txt for what is built in. Files of their own: no other
// command, and no synthesis, loads them.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  // The SDK's modules for bundlers: what is not called is left out.
  mainFields: ['module', 'main'],
  legalComments: 'inline',
  logLevel: 'error',
  metafile: true,
};

/** Takes the SDK from the file beside this one. */
const sdkBeside = {
  name: 'sdk-beside',
  setup({ onResolve }) {
    onResolve({ filter: /\/services\/all\.js$/ }, () => ({ path: './bootstrap-aws.cjs', external: true }));
  },
};

/** Both files, from the sources as they are now; gives what they were made of. */
export async function buildBootstrap(folder) {
  const builds = await Promise.all([
    build({
      ...common,
      entryPoints: ['src/bootstrap/index.ts'],
      outfile: join(folder, 'bootstrap.cjs'),
      plugins: [sdkBeside],
    }),
    build({
      ...common,
      entryPoints: ['src/bootstrap/aws/services/all.ts'],
      outfile: join(folder, 'bootstrap-aws.cjs'),
    }),
  ]);
  return Object.assign({}, ...builds.map(({ metafile }) => metafile.inputs));
}

/** The packages that a bundle was made of, by name, with their licences. */
function licences(inputs) {
  const folders = new Set(
    Object.keys(inputs)
      .map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
      .filter((folder) => folder !== undefined),
  );
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    return { name: `${name} ${version}`, license, text: file && readFileSync(join(root, folder, file), 'utf8').trim() };
  });
}

if (process.argv[1] !== undefined && /build-(tools|bootstrap)\.mjs$/.test(process.argv[1])) {
  const parts = licences(await buildBootstrap(join(root, 'lib')));
  const texts = [...new Set(parts.map(({ text }) => text).filter((text) => text !== undefined))];
  writeFileSync(
    join(root, 'lib/bootstrap.licenses.txt'),
    [
      'lib/bootstrap.cjs and lib/bootstrap-aws.cjs hold parts of these packages:\n',
      ...parts.map(({ name, license }) => `- ${name} (${license})`),
      ...texts.map((text) => `\n${'-'.repeat(80)}\n\n${text}`),
      '',
    ].join('\n'),
  );
  if (existsSync(join(root, 'lib/types'))) rmSync(join(root, 'lib/types'), { recursive: true });
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.bootstrap.json'], {
    cwd: root,
    stdio: 'inherit',
  });
}
