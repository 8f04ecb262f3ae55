import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Right } from '../../src/operate/kubectl/rights';
import { lab } from './harness/given';
import { kubectl } from './harness/kubectl';
import { apply } from './live';

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
