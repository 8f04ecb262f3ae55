import { isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';

/** What kubectl needs to reach a cluster. */
export interface KubeconfigEntry {
  /** Name of the context, the cluster and the user. */
  readonly name: string;
  readonly clusterName: string;
  readonly region: string;
  readonly endpoint: string;
  /** Base64, as EKS gives it. */
  readonly certificateAuthority: string;
  /** The AWS profile that kubectl asks for its token with; the one of its environment unless given. */
  readonly profile?: string;
}

/** A kubeconfig that nothing can be added to. */
export class KubeconfigError extends Error {}

/**
 * Adds a cluster to a kubeconfig, or renews it, and makes it the current one. Everything else stays as it is, comments too.
 * Credentials are not in it: kubectl asks `aws eks get-token`.
 * @param text the file as it is; `undefined` when there is none
 */
export function mergeKubeconfig(text: string | undefined, entry: KubeconfigEntry): string {
  const { name, clusterName, region, endpoint, certificateAuthority, profile } = entry;
  const document = parseDocument(text === undefined || text.trim() === '' ? 'apiVersion: v1\nkind: Config\n' : text);
  if (document.errors.length > 0 || !isMap(document.contents)) {
    throw new KubeconfigError(
      `it is no kubeconfig: ${document.errors[0]?.message.split('\n')[0] ?? 'it holds no map'}; name another file with --kubeconfig`,
    );
  }
  const put = (key: string, value: object): void => {
    const known = document.get(key);
    if (known === undefined || known === null) {
      return document.set(key, document.createNode([value]));
    }
    if (!isSeq(known)) {
      throw new KubeconfigError(`it is no kubeconfig: its ${key} are no list; name another file with --kubeconfig`);
    }
    const list = known.items as YAMLMap[];
    const at = list.findIndex((item) => isMap(item) && item.get('name') === name);
    if (at < 0) {
      known.add(document.createNode(value));
    } else {
      known.set(at, document.createNode(value));
    }
  };
  put('clusters', { name, cluster: { server: endpoint, 'certificate-authority-data': certificateAuthority } });
  put('users', {
    name,
    user: {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1beta1',
        command: 'aws',
        args: ['eks', 'get-token', '--output', 'json', '--cluster-name', clusterName, '--region', region],
        ...(profile !== undefined && { env: [{ name: 'AWS_PROFILE', value: profile }] }),
        interactiveMode: 'IfAvailable',
      },
    },
  });
  put('contexts', { name, context: { cluster: name, user: name } });
  document.set('current-context', name);
  return document.toString({ lineWidth: 0 });
}
