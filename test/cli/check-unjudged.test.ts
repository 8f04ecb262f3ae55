import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { check, checked, Folder, thing } from './check-runner';

let folder: Folder;

beforeAll(() => {
  folder = new Folder();
});

afterAll(() => folder.remove());

const CONTAINERS = '{containers: [{name: vllm, image: vllm/vllm-openai:v0.26.0}]}';
const object = (apiVersion: string, kind: string, spec: string): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x, namespace: ns}\nspec: ${spec}\n`;

describe('an image of vLLM in a kind that is not judged', () => {
  test.each([
    [
      'orchestration.aibrix.ai/v1alpha1',
      'RayClusterFleet',
      `{template: {spec: {headGroupSpec: {template: {spec: ${CONTAINERS}}}}}}`,
    ],
    ['ray.io/v1', 'RayService', `{rayClusterConfig: {workerGroupSpecs: [{template: {spec: ${CONTAINERS}}}]}}`],
    ['serving.kserve.io/v1alpha1', 'LLMInferenceService', `{template: ${CONTAINERS}}`],
    ['serving.knative.dev/v1', 'Service', `{template: {spec: ${CONTAINERS}}}`],
    ['batch.volcano.sh/v1alpha1', 'Job', `{tasks: [{template: {spec: ${CONTAINERS}}}]}`],
    ['helm.toolkit.fluxcd.io/v2', 'HelmRelease', '{values: {image: {repository: vllm/vllm-openai, tag: v0.26.0}}}'],
    ['example.org/v1', 'Engine', '{runtimeImage: "vllm/vllm-openai:v0.26.0"}'],
  ])('is said: %s %s', async (apiVersion, kind, spec) => {
    const file = folder.file('other.yaml', `${thing('a')}---\n${object(apiVersion, kind, spec)}`);
    const { code, out } = await check(file);
    expect({ code, out: out.replace(/\s+/g, ' ') }).toEqual({
      code: 0,
      out:
        'no findings in 2 objects of 1 file ' +
        `1 object names an image of vLLM in a kind that is not judged: ${kind}/x in ns `,
    });
    expect(await checked(file)).toMatchObject({
      counts: { unjudged: 1, passedBy: 0 },
      findings: [],
      unjudged: [{ apiVersion, kind, name: 'x', namespace: 'ns', file, line: 9, image: /vllm/ as unknown }].map(
        ({ image, ...rest }) => ({ ...rest, image: expect.stringMatching(image as RegExp) as string }),
      ),
    });
    expect((await check('-q', file)).out).toBe('');
    expect((await check('-o', 'github', file)).out).toContain('in a kind that is not judged');
    expect((await check('-o', 'sarif', file)).out).toContain(`${kind}/x in ns`);
  });

  test.each([
    ['v1', 'Pod', CONTAINERS],
    [
      'apps/v1',
      'Deployment',
      `{selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: ${CONTAINERS}}}`,
    ],
    [
      'leaderworkerset.x-k8s.io/v1',
      'LeaderWorkerSet',
      `{leaderWorkerTemplate: {workerTemplate: {spec: ${CONTAINERS}}}}`,
    ],
    ['ray.io/v1', 'RayCluster', '{headGroupSpec: {template: {spec: {containers: [{image: "rayproject/ray:2.9"}]}}}}'],
    ['ray.io/v1', 'RayCluster', '{description: vllm/vllm-openai, image: vllm/vllm-router:1}'],
  ])('is not said of %s %s %s', async (apiVersion, kind, spec) => {
    const file = folder.file('own.yaml', object(apiVersion, kind, spec));
    expect(await checked(file)).toMatchObject({ counts: { unjudged: 0 }, unjudged: [] });
  });

  test('is not said of texts', async () => {
    const file = folder.file(
      'map.yaml',
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {image: "vllm/vllm-openai:v0.26.0"}\n`,
    );
    expect((await checked(file)).counts.unjudged).toBe(0);
  });

  test('in many objects the first are named, with the places of a List', async () => {
    const item = `- {apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: NAME}, spec: ${CONTAINERS}}\n`;
    const items = Array.from({ length: 1200 }, (_, i) => item.replace('NAME', `r${i}`)).join('');
    const file = folder.file('list.yaml', `apiVersion: v1\nkind: List\nitems:\n${items}`);
    const { counts, unjudged } = await checked(file);
    expect(counts.unjudged).toBe(1200);
    expect(unjudged).toHaveLength(1000);
    expect(unjudged[4]).toMatchObject({ name: 'r4', line: 8 });
    expect((await check(file)).out.replace(/\s+/g, ' ')).toContain(
      '1200 objects name an image of vLLM in a kind that is not judged: RayCluster/r0, RayCluster/r1, RayCluster/r2, ' +
        'RayCluster/r3, RayCluster/r4 and 1195 more',
    );
  });
});
