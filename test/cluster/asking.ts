import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kubectl, type Target } from '../../src/operate/kubectl/kubectl';
import { client, clusterFacts } from './harness/given';
import { messageOf } from './harness/client';
import type { Place } from './harness/place';

/** What a Role allows. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** A folder with a `kubectl`, and with what it is to read. */
export class Desk {
  public readonly folder = mkdtempSync(join(tmpdir(), 'desk-'));

  public constructor() {
    symlinkSync(join(clusterFacts().programs, 'control-plane'), join(this.folder, 'kubectl'));
  }

  /** The cluster with every right, as far as nothing else is said. */
  public open(target: Partial<Target> = {}): Promise<Kubectl> {
    return Kubectl.open({ path: this.folder, kubeconfig: clusterFacts().kubeconfig, ...target });
  }

  /** A kubeconfig of somebody who may do what the rules of the namespace say, and nothing else. */
  public async as(
    place: Place,
    name: string,
    rules: readonly Rule[],
    ofCluster: readonly Rule[] = [],
  ): Promise<string> {
    const { namespace } = place;
    const subjects = [{ kind: 'ServiceAccount', name, namespace }];
    const api = 'rbac.authorization.k8s.io';
    const all = `${namespace}-${name}`;
    await client().applyAll([
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
      { apiVersion: `${api}/v1`, kind: 'Role', metadata: { name, namespace }, rules },
      {
        apiVersion: `${api}/v1`,
        kind: 'RoleBinding',
        metadata: { name, namespace },
        roleRef: { apiGroup: api, kind: 'Role', name },
        subjects,
      },
      { apiVersion: `${api}/v1`, kind: 'ClusterRole', metadata: { name: all }, rules: ofCluster },
      {
        apiVersion: `${api}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: all },
        roleRef: { apiGroup: api, kind: 'ClusterRole', name: all },
        subjects,
      },
    ]);
    const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
    const answer = await client().send(
      'POST',
      `${place.core}/serviceaccounts/${name}/token`,
      JSON.stringify(asked),
      'application/json',
    );
    if (answer.status >= 300) {
      throw new Error(messageOf(answer));
    }
    const { token } = (answer.body as { status: { token: string } }).status;
    return this.write(name, { user: { token }, namespace });
  }

  /** A kubeconfig with one context, `here`, unless something else is said. */
  public write(
    name: string,
    { user, namespace, server }: { user: unknown; namespace?: string; server?: string },
  ): string {
    const { connection } = clusterFacts();
    const file = join(this.folder, `${name}.kubeconfig`);
    const cluster = {
      server: server ?? connection.server,
      'certificate-authority-data': Buffer.from(connection.ca).toString('base64'),
    };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'cluster', cluster }],
      users: [{ name: 'user', user }],
      contexts: [{ name: 'here', context: { cluster: 'cluster', user: 'user', ...(namespace && { namespace }) } }],
      'current-context': 'here',
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  }

  public leave(): void {
    rmSync(this.folder, { recursive: true });
  }
}
