import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanDocument } from '../../src/cli/plan/document';
import { type Ran, run } from './runner';

/** `plan` with words as a person types them; none of them holds a space. */
export function plan(command: string): Promise<Ran> {
  return run('plan', ...command.split(' ').filter((word) => word !== ''));
}

/** The document of a plan, whether it fits or not. */
export async function planned(command: string): Promise<PlanDocument> {
  const { code, out, error } = await plan(`${command} -o json`);
  if (code === 2) {
    throw new Error(error);
  }
  return JSON.parse(out) as PlanDocument;
}

export const REFERENCE = 'google/gemma-3-1b-it --node m7g.2xlarge --nodes 2';

/** Rows of a table of tab-separated values among the fixtures. */
export function rowsOf(name: string): Readonly<Record<string, string>>[] {
  const text = readFileSync(join(__dirname, '..', 'fixtures', name), 'utf8');
  const [header = [], ...rows] = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'));
  return rows.map((cells) => Object.fromEntries(header.map((column, i) => [column, cells[i] ?? ''])));
}
