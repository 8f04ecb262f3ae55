import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProveReport } from '../../src/operate/prove/report';
import type { SmokeReport } from '../../src/operate/smoke/report';
import { lab } from './harness/given';
import { type Outcome, runInside } from './harness/kubectl';
import { NAMESPACE } from './serving';

const PROGRAM = join(__dirname, '../../lib/cli.cjs');

interface Run<Report> {
  readonly code: number | null;
  readonly report: Report;
}

/**
 * The program as it is built, with the kubectl of the lab, in a place from where the API server can be reached; with every right unless
 * another kubeconfig is named.
 */
export async function command(
  args: readonly string[],
  { kubeconfig = join(lab().folder, 'keys/admin.kubeconfig'), key = '' }: { kubeconfig?: string; key?: string } = {},
): Promise<Outcome> {
  const path = `${join(lab().folder, 'bin')}:${process.env.PATH}`;
  const argv = [process.execPath, PROGRAM, ...args, '--kubeconfig', kubeconfig, '-n', NAMESPACE];
  return await runInside(lab(), argv, '', { ...process.env, PATH: path, VLLM_API_KEY: key });
}

let recorded = 0;

/** Its report; LAB_RECORD names a folder that keeps them, for the pages of docs. */
async function run<Report>(...args: string[]): Promise<Run<Report>> {
  const { code, stdout, stderr } = await command([...args, '-o', 'json']);
  if (process.env.LAB_RECORD !== undefined) {
    writeFileSync(join(process.env.LAB_RECORD, `${Date.now()}-${recorded++}-${args[0]}.json`), stdout);
  }
  try {
    return { code, report: JSON.parse(stdout) as Report };
  } catch {
    throw new Error(`no report of ${args.join(' ')}, exit code ${code}:\n${stdout}\n${stderr}`);
  }
}

export async function smoke(...args: string[]): Promise<Run<SmokeReport>> {
  return await run<SmokeReport>('smoke', ...args);
}

export async function prove(...args: string[]): Promise<Run<ProveReport>> {
  return await run<ProveReport>('prove', ...args);
}
