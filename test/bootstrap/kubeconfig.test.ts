import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type KubeconfigEntry, mergeKubeconfig } from '../../src/bootstrap/kubeconfig';

const ENTRY: KubeconfigEntry = {
  name: 'vllm-research',
  clusterName: 'vllm-research',
  region: 'us-east-1',
  endpoint: 'https://ABC.gr7.us-east-1.eks.amazonaws.com',
  certificateAuthority: 'Q0E=',
};

interface Kubeconfig {
  clusters: { name: string; cluster: { server: string } }[];
  users: { name: string; user: { exec: { command: string; args: string[] } } }[];
  contexts: { name: string }[];
  'current-context': string;
  preferences?: object;
}
const read = (text: string): Kubeconfig => parse(text) as Kubeconfig;

describe('a kubeconfig', () => {
  test('is made where there is none', () => {
    expect(mergeKubeconfig(undefined, ENTRY)).toMatchInlineSnapshot(`
      "apiVersion: v1
      kind: Config
      clusters:
        - name: vllm-research
          cluster:
            server: https://ABC.gr7.us-east-1.eks.amazonaws.com
            certificate-authority-data: Q0E=
      users:
        - name: vllm-research
          user:
            exec:
              apiVersion: client.authentication.k8s.io/v1beta1
              command: aws
              args:
                - eks
                - get-token
                - --output
                - json
                - --cluster-name
                - vllm-research
                - --region
                - us-east-1
              interactiveMode: IfAvailable
      contexts:
        - name: vllm-research
          context:
            cluster: vllm-research
            user: vllm-research
      current-context: vllm-research
      "
    `);
  });

  test('keeps what is there, comments too', () => {
    const before = [
      'apiVersion: v1',
      'kind: Config',
      '# the old one',
      'clusters:',
      '- name: other # mine',
      '  cluster: { server: https://other }',
      'users: []',
      'contexts:',
      'current-context: other',
      'preferences: { colors: true }',
      '',
    ].join('\n');
    const merged = mergeKubeconfig(before, ENTRY);
    expect(merged).toContain('# the old one');
    expect(merged).toContain('other # mine');
    const { clusters, contexts, preferences } = read(merged);
    expect(clusters.map(({ name }) => name)).toEqual(['other', 'vllm-research']);
    expect(contexts.map(({ name }) => name)).toEqual(['vllm-research']);
    expect(preferences).toEqual({ colors: true });
  });

  test('twice is once', () => {
    const once = mergeKubeconfig(undefined, ENTRY);
    expect(mergeKubeconfig(once, ENTRY)).toBe(once);
    const renewed = read(mergeKubeconfig(once, { ...ENTRY, endpoint: 'https://new' }));
    expect(renewed.clusters).toEqual([
      { name: 'vllm-research', cluster: { server: 'https://new', 'certificate-authority-data': 'Q0E=' } },
    ]);
  });

  test('remembers the profile that it was made with', () => {
    const { users } = read(mergeKubeconfig(undefined, { ...ENTRY, profile: 'research' }));
    expect(users[0]!.user.exec).toMatchObject({ env: [{ name: 'AWS_PROFILE', value: 'research' }] });
  });

  test('written as JSON can be read', () => {
    const merged = mergeKubeconfig('{"apiVersion": "v1", "clusters": [{"name": "other"}], "users": null}', ENTRY);
    expect(read(merged).clusters.map(({ name }) => name)).toEqual(['other', 'vllm-research']);
  });

  test.each(['clusters: x', 'users: {}', 'contexts: 1', 'a: &a []\nclusters: *a'])('%s is refused', (text) => {
    expect(() => mergeKubeconfig(text, ENTRY)).toThrow(/its (clusters|users|contexts) are no list/);
  });

  test.each(['a: 1\n---\nb: 2\n', '[1]', '{', 'a: b: c', '"text"'])('%s is refused', (text) => {
    expect(() => mergeKubeconfig(text, ENTRY)).toThrow('it is no kubeconfig');
  });
});
