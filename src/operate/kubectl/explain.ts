import { didYouMean } from '../../common/nearest';
import { ClusterFailure, type RefusedRight } from './failure';

/** What a call was made with. */
export interface Situation {
  readonly context: string | undefined;
  /** Contexts that the configuration has. */
  readonly contexts: readonly string[];
}

/**
 * What kubectl said on its standard error, in words that name the way out. The texts are those of kubectl 1.36, and of its
 * older releases where they differ.
 */
export function explain(stderr: string, { context, contexts }: Situation): ClusterFailure {
  const said = wordsOf(stderr);
  const right = refusedRight(said);
  if (right !== undefined) {
    return new ClusterFailure('forbidden', forbidden(right), right);
  }
  if (/context was not found for specified context|context "[^"]*" does not exist|no context exists with/.test(said)) {
    return wrongContext(context ?? '', contexts);
  }
  if (isWithoutContext(said)) {
    return noContext(contexts);
  }
  if (/error loading config file|^error: stat .*no such file|invalid configuration/m.test(said)) {
    return new ClusterFailure('kubeconfig', `the kubeconfig cannot be read: ${firstLine(said)}`);
  }
  // It asks for a name and a password, and nobody is there to type them.
  if (/^(?:Please enter \w+: )*error: EOF$/m.test(said)) {
    return new ClusterFailure(
      'credentials',
      'the cluster does not know who asks: the user of the context has no credentials in the kubeconfig; write it anew (for EKS: aws eks update-kubeconfig)',
    );
  }
  if (/getting credentials|must be logged in|Unauthorized|the server has asked for the client to provide/.test(said)) {
    return new ClusterFailure(
      'credentials',
      `the cluster does not know who asks: ${firstLine(said)}; log in again, or renew what the kubeconfig holds`,
    );
  }
  if (
    /Unable to connect to the server|The connection to the server .* was refused|i\/o timeout|TLS handshake/.test(said)
  ) {
    return new ClusterFailure(
      'unreachable',
      `the API server does not answer: ${firstLine(said)}; is the cluster up, and the network (VPN) open to it?`,
    );
  }
  if (/\(NotFound\)|not found$/m.test(said)) {
    return new ClusterFailure('not-found', firstLine(said).replace(/^Error from server \(NotFound\): /, ''));
  }
  return new ClusterFailure('other', `kubectl failed: ${firstLine(said) || 'it said nothing'}`);
}

export function noContext(contexts: readonly string[]): ClusterFailure {
  return new ClusterFailure(
    'no-context',
    'kubectl is not told which cluster: there is no current context in KUBECONFIG or ~/.kube/config; ' +
      (contexts.length > 0
        ? `--context takes one of ${listed(contexts)}`
        : 'name a file with --kubeconfig, or write one (for EKS: aws eks update-kubeconfig)'),
  );
}

export function wrongContext(name: string, contexts: readonly string[]): ClusterFailure {
  const known = contexts.length === 0 ? 'it has none' : `it has ${listed(contexts)}`;
  return new ClusterFailure(
    'wrong-context',
    `the kubeconfig has no context '${name}'${didYouMean(name, contexts) || `; ${known}`}`,
  );
}

function listed(contexts: readonly string[]): string {
  const more = contexts.length - 10;
  return `${contexts.slice(0, 10).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `yaml` of the rule that a Role has to have. */
export function ruleFor({ apiGroup, resource, verb }: Pick<RefusedRight, 'apiGroup' | 'resource' | 'verb'>): string {
  return `{apiGroups: ["${apiGroup}"], resources: ["${resource}"], verbs: ["${verb}"]}`;
}

function forbidden(right: RefusedRight): string {
  const { user, verb, resource, namespace } = right;
  const [where, role] =
    namespace === undefined
      ? ['of the cluster', 'a ClusterRole']
      : [`in the namespace ${namespace}`, `a Role of that namespace`];
  return `${user} may not ${verb} ${resource} ${where}; it takes ${role} with the rule\n  - ${ruleFor(right)}`;
}

const REFUSED =
  /User "([^"]*)" cannot (\S+) resource "([^"]*)" in API group "([^"]*)" (?:in the namespace "([^"]*)"|at the cluster scope)/;

function refusedRight(said: string): RefusedRight | undefined {
  const [, user, verb, resource, apiGroup, namespace] = REFUSED.exec(said) ?? [];
  return user === undefined
    ? undefined
    : { user, verb: verb!, resource: resource!, apiGroup: apiGroup!, ...(namespace && { namespace }) };
}

/** Without a configuration kubectl asks a port that was usual once. */
function isWithoutContext(said: string): boolean {
  return /server localhost:8080 was refused|current-context (?:is not set|must exist)|no configuration has been provided/.test(
    said,
  );
}

/** Without what its libraries log on the way, which says everything five times. */
function wordsOf(stderr: string): string {
  const lines: string[] = [];
  let isLogged = false;
  for (const line of stderr.split('\n')) {
    const starts = /^[EWI]\d{4} /.test(line);
    isLogged = starts ? line.endsWith('err=<') : isLogged && line !== ' >';
    if (!starts && !isLogged && line !== ' >') {
      lines.push(line.trimEnd());
    }
  }
  return lines.join('\n').trim();
}

function firstLine(said: string): string {
  return (said.split('\n').find((line) => line !== '') ?? '').slice(0, 400);
}
