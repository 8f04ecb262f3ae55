import { join } from 'node:path';
import type { ProveReport } from '../../src/operate/prove/report';
import type { SmokeReport } from '../../src/operate/smoke/report';
import { lab } from './harness/given';
import { runInside } from './harness/kubectl';
import { NAMESPACE } from './serving';

const PROGRAM = join(__dirname, '../../lib/cli.cjs');

interface Run<Report> {
  readonly code: number | null;
  readonly report: Report;
}

/** The program as it is built, with the kubectl of the lab, in a place from where the API server can be reached. */
async function run<Report>(...args: string[]): Promise<Run<Report>> {
  const { folder } = lab();
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
  const where = ['--kubeconfig', join(folder, 'keys/admin.kubeconfig'), '-n', NAMESPACE];
  const argv = [process.execPath, PROGRAM, ...args, ...where, '-o', 'json'];
  const { code, stdout, stderr } = await runInside(lab(), argv, '', env);
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
