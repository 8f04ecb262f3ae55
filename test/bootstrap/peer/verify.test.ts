import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { clusterEntry, mergeKubeconfig, verifyCluster } from '../../../src/bootstrap';
import { kubernetesApi } from '../../../src/bootstrap/kubernetes/api';
import { clusterToken } from '../../../src/bootstrap/kubernetes/token';
import { selfSigned } from './certificate';
import { endNodes, startNode } from './cloud/nodes';
import type { Account } from './cloud/state';
import { withCluster } from './scenarios';
import { secretsIn } from './secrets';
import { CREDENTIALS, exampleFile, HAS_MODELS, world, type World } from './world';

const file = exampleFile();
const { key, certificate } = selfSigned();

interface Kubernetes {
  readonly url: string;
  readonly authority: string;
  readonly asked: { token: string; path: string }[];
  nodes: { name: string; ready: boolean; zone: string; cpu: string }[];
  denied: string[];
  status: number;
}

let server: Server;
let kubernetes: Kubernetes;
let current: World | undefined;

/** The API of a cluster, as far as the checks ask it, over TLS with an authority of its own. */
beforeEach(async () => {
  const state: Omit<Kubernetes, 'url' | 'authority'> = {
    asked: [],
    nodes: ['a', 'b'].map((name) => ({ name, ready: true, zone: 'us-east-1a', cpu: '7910m' })),
    denied: [],
    status: 200,
  };
  server = createServer(
    { key: key.export({ type: 'pkcs8', format: 'pem' }), cert: certificate },
    (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        kubernetes.asked.push({ token: request.headers.authorization ?? '', path: request.url! });
        const answer =
          kubernetes.status !== 200
            ? { kind: 'Status', message: 'Unauthorized' }
            : request.method === 'GET'
              ? {
                  items: kubernetes.nodes.map(({ name, ready, zone, cpu }) => ({
                    metadata: { name, labels: { 'topology.kubernetes.io/zone': zone } },
                    status: {
                      allocatable: { cpu, memory: '31296000Ki', pods: '58' },
                      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
                    },
                  })),
                }
              : {
                  status: {
                    allowed: !kubernetes.denied.includes(
                      (JSON.parse(body) as { spec: { resourceAttributes: { resource: string } } }).spec
                        .resourceAttributes.resource,
                    ),
                  },
                };
        response.writeHead(kubernetes.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  kubernetes = { ...state, url: `https://127.0.0.1:${port}`, authority: Buffer.from(certificate).toString('base64') };
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await current?.peer.close();
  current = undefined;
});

async function verified(
  spoil: (account: Account) => void = () => undefined,
): Promise<{ isGood: boolean; lines: string[] }> {
  const account = await withCluster();
  account.endpoint = { url: kubernetes.url, authority: kubernetes.authority };
  spoil(account);
  current = await world({ account });
  const { isGood, checks } = await verifyCluster(file, current.options);
  expect(current.peer.violations).toEqual([]);
  expect(secretsIn(JSON.stringify(checks))).toEqual([]);
  return {
    isGood,
    lines: checks
      .filter(({ result }) => result !== 'good')
      .map(({ result, about, message }) => `${result} ${about}: ${message}`),
  };
}

describe.skipIf(!HAS_MODELS)('verify', () => {
  test('a cluster that is as it should be', async () => {
    expect(await verified()).toEqual({ isGood: true, lines: [] });
    const [first] = kubernetes.asked;
    expect(first!.path).toBe('/api/v1/nodes?labelSelector=eks.amazonaws.com%2Fnodegroup%3Dllm-arm');
    expect(first!.token).toMatch(/^Bearer k8s-aws-v1\./);
    const url = new URL(Buffer.from(first!.token.slice('Bearer k8s-aws-v1.'.length), 'base64url').toString());
    expect([url.host, url.searchParams.get('Action')]).toEqual(['sts.us-east-1.amazonaws.com', 'GetCallerIdentity']);
    // It asks, and changes nothing.
    expect(current!.peer.calls.every(({ name }) => /\.(Describe|List|Get)/.test(name))).toBe(true);
  });

  test('nodes without tags, a node that is not ready, a right that is missing', async () => {
    kubernetes.nodes[1]!.ready = false;
    kubernetes.denied = ['secrets'];
    const { isGood, lines } = await verified((account) => {
      endNodes(account, 'llm-arm', 1);
      startNode(account, 'vllm-research', account.nodeGroups.get('llm-arm')!);
    });
    expect(isGood).toBe(false);
    expect(lines).toEqual([
      expect.stringMatching(
        /^bad tags of the nodes: network interface eni-\S+ of i-\S+ lacks owner, end-date, cdk8s-vllm\/cluster; /,
      ),
      'bad nodes: 1 of 2 ready; not: b',
      expect.stringContaining('bad rights: you may not create secrets'),
    ]);
  });

  test('an add-on, an association and a cluster that are amiss', async () => {
    const { lines } = await verified((account) => {
      account.manners.addOns = 'DEGRADED';
      account.addOns.get('metrics-server')!.status = 'DEGRADED';
      account.associations.clear();
      account.clusters.get('vllm-research')!.vpc.endpointPublicAccess = true;
    });
    expect(lines).toEqual([
      'bad cluster vllm-research: ACTIVE; endpoint is private true, public true, and the file says private true, public false',
      'bad pod identity kube-system/aws-load-balancer-controller: it is not there; apply makes it',
      expect.stringContaining('bad add-on metrics-server: DEGRADED; InsufficientNumberOfReplicas'),
    ]);
  });

  test('who is not let in is told', async () => {
    kubernetes.status = 401;
    const { isGood, lines } = await verified();
    expect(isGood).toBe(false);
    expect(lines.join()).toContain('401 means that no access entry lets you in');
  });

  test('an endpoint that is not reached is no verdict', async () => {
    const { lines } = await verified((account) => {
      account.endpoint = { url: 'https://127.0.0.1:9', authority: kubernetes.authority };
    });
    expect(lines.join()).toContain('unknown inside of the cluster: its API gave no answer');
  });

  test('a cluster that is not there', async () => {
    const { lines } = await verified((account) => account.clusters.clear());
    expect(lines[0]).toBe('bad cluster vllm-research: it is not there; apply makes it');
    expect(lines[1]).toContain('unknown');
  });
});

describe('the API of a cluster', () => {
  test('the token goes to the authority of the cluster alone', async () => {
    const other = Buffer.from(selfSigned().certificate).toString('base64');
    const api = kubernetesApi({ endpoint: kubernetes.url, certificateAuthority: other, token: 'k8s-aws-v1.secret' });
    await expect(api('GET', '/api/v1/nodes')).rejects.toThrow(
      /self.signed|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_VERIFY|CERT/i,
    );
    expect(kubernetes.asked).toEqual([]);
    const plain = kubernetesApi({
      endpoint: kubernetes.url.replace('https', 'http'),
      certificateAuthority: other,
      token: 'k8s-aws-v1.secret',
    });
    await expect(plain('GET', '/api/v1/nodes')).rejects.toThrow('over https: alone');
  });
});

describe.skipIf(!HAS_MODELS)('the token', () => {
  test('is, byte for byte, the one that botocore signs', () => {
    const now = Date.parse('2026-11-29T12:00:00Z');
    const { accessKeyId, secretAccessKey, sessionToken } = CREDENTIALS;
    const script = `${__dirname}/token_of_botocore.py`;
    const args = [script, 'vllm-research', 'us-east-1', accessKeyId, secretAccessKey, sessionToken, String(now)];
    const theirs = new URL(execFileSync(inject('python'), args, { encoding: 'utf8' }).trim());
    const token = clusterToken(CREDENTIALS, { cluster: 'vllm-research', region: 'us-east-1', now });
    const ours = new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString());
    const sorted = (url: URL): [string, string][] => [...url.searchParams].sort(([a], [b]) => (a < b ? -1 : 1));
    expect(ours.host).toBe(theirs.host);
    expect(sorted(ours)).toEqual(sorted(theirs));
  });
});

describe.skipIf(!HAS_MODELS)('kubeconfig', () => {
  test('is made of what EKS says', async () => {
    const account = await withCluster();
    account.endpoint = { url: kubernetes.url, authority: kubernetes.authority };
    current = await world({ account });
    const entry = await clusterEntry(file, 'research', current.options);
    expect(entry).toEqual({
      name: 'research',
      clusterName: 'vllm-research',
      region: 'us-east-1',
      endpoint: kubernetes.url,
      certificateAuthority: kubernetes.authority,
    });
    expect(secretsIn(mergeKubeconfig(undefined, entry))).toEqual([]);
  });

  test('of a cluster that is not there', async () => {
    current = await world();
    await expect(clusterEntry(file, 'x', current.options)).rejects.toThrow(
      'there is no cluster vllm-research in us-east-1; apply makes it',
    );
  });
});
