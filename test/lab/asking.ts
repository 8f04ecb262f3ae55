import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Right } from '../../src/operate/kubectl/rights';
import { lab } from './harness/given';
import { kubectl, type Outcome, runInside } from './harness/kubectl';
import { apply } from './live';

export const PROGRAM = join(__dirname, '../../lib/cli.cjs');

/** Runs the program as it is built, in the network where the API server is, with every right unless another kubeconfig is named. */
export async function command(
  args: readonly string[],
  { kubeconfig = join(lab().folder, 'keys/admin.kubeconfig'), env = {} }: { kubeconfig?: string; env?: object } = {},
): Promise<Outcome> {
  const cluster = [`--kubectl=${join(lab().folder, 'bin/kubectl')}`, `--kubeconfig=${kubeconfig}`];
  return await runInside(lab(), [process.execPath, PROGRAM, ...args, ...cluster], '', { ...process.env, ...env });
}

let recorded = 0;

/** Its report as a program reads it; LAB_RECORD names a folder that keeps them, for the pages of docs. */
export async function report<T>(...args: string[]): Promise<{ code: number | null; report: T }> {
  const { code, stdout, stderr } = await command([...args, '-o', 'json']);
  if (process.env.LAB_RECORD !== undefined) {
    writeFileSync(join(process.env.LAB_RECORD, `${recorded++}-${args[0]}.json`), stdout);
  }
  try {
    return { code, report: JSON.parse(stdout) as T };
  } catch {
    throw new Error(`no report, exit code ${code}:\n${stdout}\n${stderr}`);
  }
}

/** Calls with the kubeconfig of somebody who has these rights in the namespace, and no others. */
export async function withRights(
  namespace: string,
  name: string,
  rights: readonly Right[],
  use: (kubeconfig: string) => Promise<void>,
): Promise<void> {
  const api = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const rules = (of: Right['of']) =>
    rights
      .filter((right) => right.of === of)
      .map(({ apiGroups, resources, verbs }) => ({ apiGroups, resources, verbs }));
  await apply([
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    { apiVersion: `${api}/v1`, kind: 'Role', metadata: { name, namespace }, rules: rules('namespace') },
    {
      apiVersion: `${api}/v1`,
      kind: 'RoleBinding',
      metadata: { name, namespace },
      roleRef: { apiGroup: api, kind: 'Role', name },
      subjects,
    },
    { apiVersion: `${api}/v1`, kind: 'ClusterRole', metadata: { name }, rules: rules('cluster') },
    {
      apiVersion: `${api}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: api, kind: 'ClusterRole', name },
      subjects,
    },
  ]);
  const token = (await kubectl(lab(), ['create', 'token', '-n', namespace, name])).trim();
  const view = await kubectl(lab(), ['config', 'view', '--raw', '-o', 'json']);
  const config = JSON.parse(view) as { contexts: [{ context: object }]; users: [{ user: object }] };
  config.users[0].user = { token };
  config.contexts[0].context = { ...config.contexts[0].context, namespace };
  const folder = mkdtempSync(join(tmpdir(), 'rights-'));
  try {
    const file = join(folder, 'kubeconfig');
    writeFileSync(file, JSON.stringify(config));
    await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
