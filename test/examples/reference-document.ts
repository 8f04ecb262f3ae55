import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** What docs/reference-deployment.md says of one setting. */
export interface Entry {
  readonly id: string;
  readonly article: string;
  readonly here: string;
  readonly status: string;
  readonly why: string;
}

/** What it says of something that the article does not have. */
export interface Addition {
  readonly where: string;
  readonly path: string;
  readonly value: string;
}

export const STATUSES = ['same', 'differs', 'bootstrap', 'not yet', 'yours'];

export const text = readFileSync(join(root, 'docs/reference-deployment.md'), 'utf8');

/** Rows of all tables with this first heading, as cells. */
function rows(heading: string): string[][] {
  const found: string[][] = [];
  let inside = false;
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) {
      inside = false;
      continue;
    }
    const cells = line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
    if (cells[0] === heading) {
      inside = true;
    } else if (inside && !/^:?-+:?$/.test(cells[0] ?? '')) {
      found.push(cells);
    }
  }
  return found;
}

function codes(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

/** A value stands between backticks, remarks such as `(absent)` may stand without. */
function plain(cell: string): string {
  return cell.replaceAll('`', '');
}

export const entries: readonly Entry[] = rows('Setting').flatMap(
  ([ids = '', article = '', here = '', verdict = '']) => {
    const [status = '', ...why] = verdict.split(':');
    return codes(ids).map((id) => ({
      id,
      article: plain(article),
      here: plain(here),
      status,
      why: why.join(':').trim(),
    }));
  },
);

/** `Kind/name`, then the paths in it that all hold the value. */
export const additions: readonly Addition[] = rows('Added').flatMap(([places = '', value = '']) => {
  const [where = '', ...paths] = codes(places);
  return paths.map((path) => ({ where, path, value: plain(value) }));
});
