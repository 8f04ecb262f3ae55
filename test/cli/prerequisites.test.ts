import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { nextSteps, readClusterFile } from '../../src/bootstrap';
import { prerequisites } from '../../src/cli/prerequisites';
import type { KubernetesObject } from '../../src/rules/finding';

function deployment(namespace: string, env: object[]): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: { template: { spec: { containers: [{ name: 'web', env }] } } },
  };
}

function fromSecret(variable: string, secret: string, key: string): object {
  return { name: variable, valueFrom: { secretKeyRef: { name: secret, key } } };
}

function commands(objects: KubernetesObject[]): string[] {
  return prerequisites(objects, [], {}).flatMap((step) => step.commands);
}

describe('what must exist first', () => {
  test('nothing for objects that need nothing', () => {
    expect(prerequisites([deployment('shop', [{ name: 'A', value: 'b' }])], [], {})).toEqual([]);
  });

  test('one command for a Secret with several keys, each key once', () => {
    const env = [fromSecret('A', 'keys', 'one'), fromSecret('B', 'keys', 'two'), fromSecret('C', 'keys', 'one')];

    expect(commands([deployment('shop', env)])).toEqual([
      'kubectl -n shop create secret generic keys \\',
      '  --from-literal=one="$(openssl rand -hex 24)" \\',
      '  --from-literal=two="$(openssl rand -hex 24)"',
    ]);
  });

  test('a token is brought by the person, never made up', () => {
    expect(commands([deployment('shop', [fromSecret('HF_TOKEN', 'hf-token', 'token')])])).toContain(
      '  --from-literal=token="${HF_TOKEN:?}"',
    );
  });

  test('the namespace is made first when the bundle owns it, and left alone when it does not', () => {
    const use = deployment('shop', [fromSecret('A', 'keys', 'one')]);
    const namespace: KubernetesObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };

    expect(commands([namespace, use])[0]).toBe('kubectl create namespace shop');
    expect(commands([use])[0]).toBe('kubectl -n shop create secret generic keys \\');
  });

  test('the same Secret name in two namespaces is two Secrets', () => {
    const env = [fromSecret('A', 'keys', 'one')];

    expect(
      commands([deployment('shop', env), deployment('bank', env)]).filter((c) => c.includes('create secret')),
    ).toEqual(['kubectl -n shop create secret generic keys \\', 'kubectl -n bank create secret generic keys \\']);
  });

  test('controllers by the kinds in the bundle, with the versions of the target', () => {
    const kinds = ['LeaderWorkerSet', 'Ingress', 'PodMonitor'].map((kind) => ({
      apiVersion: 'v1',
      kind,
      metadata: { name: 'x', labels: { release: 'prom' } },
    }));
    const steps = prerequisites(kinds, [], { lws: '0.9.0', albController: '3.4.0' });
    const text = steps.flatMap((step) => step.commands).join('\n');

    expect(text).toContain('--version 0.9.0 --namespace lws-system');
    expect(text).toContain('--set resources.requests.cpu=100m');
    expect(text).toContain('--version 3.4.0');
    expect(text).toContain('helm upgrade --install prom kube-prometheus-stack');
    // What a variable in a command is stands above it.
    expect(steps.find(({ commands }) => commands.join().includes('CONTROLLER_ROLE_ARN'))?.title).toMatch(
      /CONTROLLER_ROLE_ARN trusts pods\.eks\.amazonaws\.com/,
    );
  });

  test('the controllers as a cluster that was just made is told to install them', () => {
    const kinds = ['LeaderWorkerSet', 'Ingress', 'PodMonitor'].map((kind) => ({
      apiVersion: 'v1',
      kind,
      metadata: { name: 'x', labels: { release: 'kube-prometheus-stack' } },
    }));
    const values = { '"${CLUSTER:?}"': 'vllm-research', '"${AWS_REGION:?}"': 'us-east-1', '"${VPC_ID:?}"': 'vpc-0' };
    const ofBundle = commands(kinds)
      .filter((line) => !/pod-identity|--service-account|--role-arn/.test(line))
      .map((line) => Object.entries(values).reduce((text, [from, to]) => text.replaceAll(from, to), line));
    const file = readClusterFile(readFileSync('examples/eks-cluster/cluster.yaml', 'utf8'));
    const ofCluster = nextSteps(file, 'cluster.yaml', 'vpc-0').flatMap((step) => step.commands);

    expect(ofBundle.filter((line) => line.startsWith('helm '))).toHaveLength(3);
    expect(ofCluster.filter((line) => !line.startsWith('cdk8s-vllm '))).toEqual(ofBundle);
  });

  test('the licence page of a gated model comes first', () => {
    const [first] = prerequisites(
      [],
      [{ name: 'google/gemma-3-1b-it', licencePage: 'https://example.test/gemma' }],
      {},
    );

    expect(first).toEqual({
      title: expect.stringContaining('google/gemma-3-1b-it') as string,
      commands: ['https://example.test/gemma'],
    });
  });

  test('credentials of a registry, and a claim for the weights, each once', () => {
    const pods = (name: string): KubernetesObject => ({
      ...deployment('shop', []),
      metadata: { name, namespace: 'shop' },
      spec: {
        template: {
          spec: {
            imagePullSecrets: [{ name: 'regcred' }],
            volumes: [{ name: 'weights', persistentVolumeClaim: { claimName: 'weights' } }],
          },
        },
      },
    });
    const text = commands([pods('a'), pods('b')]);

    expect(text.filter((line) => line.includes('create secret docker-registry regcred'))).toHaveLength(1);
    expect(text.at(-1)).toBe('kubectl -n shop get pvc weights');
  });
});
