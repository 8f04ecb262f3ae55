import { expect, test } from 'vitest';
import { explain } from '../../../src/operate/kubectl/explain';

const LOGGED = `E1130 00:22:44.166504     521 memcache.go:265] "Unhandled Error" err="couldn't get current server API group list: Get \\"http://localhost:8080/api?timeout=32s\\": dial tcp 127.0.0.1:8080: connect: connection refused"
`;
const SEVERAL_LINES = `E1130 00:22:45.421514     577 memcache.go:265] "Unhandled Error" err=<
	couldn't get current server API group list: Get "https://127.0.0.1:1/api?timeout=32s": getting credentials: exec: executable aws not found
	
	It looks like you are trying to use a client-go credential plugin that is not installed.
 >
`;

/** What kubectl 1.36.3 wrote. */
test.each<[string, string, string]>([
  [
    `${LOGGED.repeat(5)}The connection to the server localhost:8080 was refused - did you specify the right host or port?\n`,
    'no-context',
    'kubectl is not told which cluster: there is no current context in KUBECONFIG or ~/.kube/config; --context takes one of eks, kind',
  ],
  [
    'Error in configuration: context was not found for specified context: ek\n',
    'wrong-context',
    "the kubeconfig has no context 'ek'; did you mean 'eks'?",
  ],
  [
    'error: stat /nope: no such file or directory\n',
    'kubeconfig',
    'the kubeconfig cannot be read: error: stat /nope: no such file or directory',
  ],
  [
    'error: error loading config file "bad": yaml: line 1: did not find expected node content\n',
    'kubeconfig',
    'yaml: line 1',
  ],
  [
    `${LOGGED.repeat(5)}The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n`,
    'unreachable',
    'the API server does not answer: The connection to the server 127.0.0.1:1 was refused',
  ],
  [
    'Unable to connect to the server: dial tcp: lookup no-such-host.invalid on 10.255.255.53:53: no such host\n',
    'unreachable',
    'no such host; is the cluster up, and the network (VPN) open to it?',
  ],
  [
    `${SEVERAL_LINES.repeat(5)}Unable to connect to the server: getting credentials: exec: executable aws not found

It looks like you are trying to use a client-go credential plugin that is not installed.
`,
    'credentials',
    'the cluster does not know who asks: Unable to connect to the server: getting credentials: exec: executable aws not found; log in again',
  ],
  [
    'error: You must be logged in to the server (Unauthorized)\n',
    'credentials',
    'the cluster does not know who asks: error: You must be logged in to the server (Unauthorized)',
  ],
  ['error: EOF\n', 'credentials', 'the user of the context has no credentials in the kubeconfig; write it anew'],
  [
    'Error from server (Forbidden): pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "vllm"\n',
    'forbidden',
    'jane may not list pods in the namespace vllm; it takes a Role of that namespace with the rule\n  - {apiGroups: [""], resources: ["pods"], verbs: ["list"]}',
  ],
  [
    'Error from server (Forbidden): nodes "n1" is forbidden: User "jane" cannot get resource "nodes/proxy" in API group "" at the cluster scope\n',
    'forbidden',
    'jane may not get nodes/proxy of the cluster; it takes a ClusterRole with the rule\n  - {apiGroups: [""], resources: ["nodes/proxy"], verbs: ["get"]}',
  ],
  ['Error from server (NotFound): pods "gemma-0" not found\n', 'not-found', 'pods "gemma-0" not found'],
  [
    'Error from server (NotFound): the server could not find the requested resource\n',
    'not-found',
    'the server could not find the requested resource',
  ],
  ['error: something new\n', 'other', 'kubectl failed: error: something new'],
  ['', 'other', 'kubectl failed: it said nothing'],
])('%j is %s', (stderr, kind, said) => {
  const failure = explain(stderr, { context: 'ek', contexts: ['eks', 'kind'] });
  expect(failure.message).toContain(said);
  expect(failure.kind).toBe(kind);
});
