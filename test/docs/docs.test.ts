import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, type Json, readBundle, select } from '../examples/bundle';

const root = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

function markdownFiles(): string[] {
  const inFolder = (folder: string) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name));
  const examples = readdirSync(join(root, 'examples')).map((name) => join('examples', name, 'README.md'));
  return [...inFolder('.'), ...inFolder('docs'), ...examples.filter((path) => existsSync(join(root, path)))];
}

/** Text without code, where a bracket or a path means something else. */
function prose(text: string): string {
  return text.replace(/^ *(```|~~~)[^]*?^ *\1.*$/gm, '').replace(/`[^`\n]*`/g, '`code`');
}

function linksIn(path: string): string[] {
  return [...prose(read(path)).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|^\[[^\]]+\]: *(\S+)/gm)]
    .map((match) => match[1] ?? match[2] ?? '')
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target));
}

/** Anchors as GitHub makes them from headings; a heading that comes again gets a number. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of read(path)
    .replace(/^ *(```|~~~)[^]*?^ *\1.*$/gm, '')
    .matchAll(/^#{1,6} +(.+?) *#* *$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

function brokenLinks(path: string): string[] {
  return linksIn(path).filter((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : relative(root, join(root, dirname(path), decodeURI(file)));
    if (target.startsWith('..') || !existsSync(join(root, target))) return true;
    if (anchor === undefined) return false;
    return statSync(join(root, target)).isDirectory() || !anchorsOf(target).has(decodeURI(anchor));
  });
}

/** First cells of the tables with this heading, and the cell after it. */
function firstCells(path: string, heading: string): [string, string][] {
  const found: [string, string][] = [];
  let inside = false;
  for (const line of read(path).split('\n')) {
    const [first = '', second = ''] = line.startsWith('|')
      ? line
          .slice(1)
          .split('|')
          .map((cell) => cell.trim())
      : [];
    if (!line.startsWith('|')) inside = false;
    else if (first === heading) inside = true;
    else if (inside && !/^-+$/.test(first)) found.push([first, second]);
  }
  return found;
}

describe('docs/settings.md', () => {
  test('is what the engine data and the bundle make of it', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/docs.mjs'), '--check'], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  test.each(['Flag', 'Variable'])('names each %s of the reference bundle', (heading) => {
    const [group = {}] = select(readBundle(), 'LeaderWorkerSet/vllm-gemma');
    const containers = ['leaderTemplate', 'workerTemplate'].flatMap(
      (role) => at(group, `spec.leaderWorkerTemplate.${role}.spec.containers`) as Json[],
    );
    const rendered = containers.flatMap((container) =>
      heading === 'Flag'
        ? (at(container, 'args') as string[]).filter((argument) => argument.startsWith('-'))
        : (at(container, 'env[*].name') as string[]),
    );
    const listed = firstCells('docs/settings.md', heading).map(([name]) => name);
    const missing = rendered
      .map((each) => each.split('=')[0] ?? '')
      .filter((name) => !listed.some((cell) => cell.includes(`\`${name}\``)));
    expect(rendered).not.toEqual([]);
    expect(missing).toEqual([]);
  });
});

describe('docs/dependencies.md', () => {
  const listed = firstCells('docs/dependencies.md', 'Package').map(([name, licence]) => ({
    name: name.replaceAll('`', ''),
    licence,
  }));

  test('lists what package.json asks for, once', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string> | undefined>;
    const asked = ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
      Object.keys(manifest[kind] ?? {}),
    );
    expect(listed.map(({ name }) => name).sort()).toEqual([...new Set(asked)].sort());
  });

  test.each(listed)('$name has the licence $licence', ({ name, licence }) => {
    const manifest = JSON.parse(read(`node_modules/${name}/package.json`)) as { license?: string };
    expect(licence).toBe(manifest.license);
  });
});

describe.each(markdownFiles())('%s', (path) => {
  test('links to files and headings that exist', () => {
    expect(brokenLinks(path)).toEqual([]);
  });

  test('names no place that only one machine has', () => {
    const places = /(?<![\w.:/-])\/(?:home|Users|work|mnt|workspace)\/\S*|file:\/\/\S*|\b[A-Z]:\\\S*/g;
    const registries = /\b(?:registry\.npmjs\.org|files\.pythonhosted\.org|proxy\.golang\.org)\b/g;
    const text = read(path);
    expect([...text.matchAll(places), ...text.matchAll(registries)].map(([found]) => found)).toEqual([]);
  });
});
