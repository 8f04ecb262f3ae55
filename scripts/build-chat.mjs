/* Builds the chat application of chat/ into one file, lib/chat/server.mjs, which goes into a ConfigMap as it is. */
import { Buffer } from 'node:buffer';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFile(new URL(`../${path}`, import.meta.url), 'utf8');

// Not minified: people read this file in a manifest that they are asked to apply.
// Without a tsconfig, so that nothing but what is here shapes it.
const common = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  charset: 'utf8',
  legalComments: 'inline',
  tsconfigRaw: '{}',
};

const parts = {
  markup: await read('chat/page/page.html'),
  style: await read('chat/page/page.css'),
  script: await script(),
};
const text = portable(await server(parts));
check(text);
await mkdir(new URL('../lib/chat/', import.meta.url), { recursive: true });
await writeFile(new URL('../lib/chat/server.mjs', import.meta.url), text);

async function script() {
  const result = await build({ ...common, entryPoints: ['chat/page/page.mts'], format: 'esm', target: 'es2022' });
  const licence = `/*!\nContains streaming-markdown, https://github.com/thetarnav/streaming-markdown\n\n${(
    await read('node_modules/streaming-markdown/license')
  ).trim()}\n*/\n`;
  return portable(licence + result.outputFiles[0].text);
}

async function server(page) {
  // Template literals keep the page's lines, so that it can be read inside the server's file.
  const source = Object.entries(page)
    .map(([name, value]) => `export const ${name} = \`${value.replace(/[\\`]|\$\{/g, '\\$&')}\`;\n`)
    .join('');
  const result = await build({
    ...common,
    entryPoints: ['chat/server/main.mts'],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: {
      js: '// SPDX-License-Identifier: Apache-2.0\n// Built by scripts/build-chat.mjs from chat/; edit the sources there.',
    },
    plugins: [
      {
        name: 'chat-page',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^chat:page$/ }, () => ({ path: 'page', namespace: 'chat' }));
          onLoad({ filter: /.*/, namespace: 'chat' }, () => ({ contents: source, loader: 'js' }));
        },
      },
    ],
  });
  return result.outputFiles[0].text;
}

/**
 * esbuild names a dependency by where it was found, which differs from clone to clone when node_modules is a link, and
 * writes a tab in a string as a tab (never one in front of a line), which YAML can only write with an escape.
 */
function portable(code) {
  return code.replace(/^\/\/ (\.\.\/.*|.*\/)?node_modules\//gm, '// node_modules/').replaceAll('\t', '\\t');
}

/** YAML writes a text as a readable block only if nothing in it needs an escape. */
function check(code) {
  const problems = [];
  code.split('\n').forEach((line, index) => {
    if (/\s$/.test(line)) problems.push(`line ${index + 1} ends with white space`);
    if (/[^\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe]/.test(line))
      problems.push(`line ${index + 1} has a tab or unprintable character`);
  });
  if (!/[^\n]\n$/.test(code)) problems.push('it does not end with exactly one line break');
  for (const tag of ['</script', '</style']) {
    if (parts.script.includes(tag) || parts.style.includes(tag))
      problems.push(`the page's script or style has "${tag}"`);
  }
  const bytes = Buffer.byteLength(code);
  if (bytes > 100_000) problems.push(`it has ${bytes} bytes; keep it below 100000`);
  if (problems.length > 0)
    throw new Error(`lib/chat/server.mjs cannot go into a manifest:\n- ${problems.join('\n- ')}`);
}
