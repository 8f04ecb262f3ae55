import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { check, checked, Folder, thing } from './check-runner';

let folder: Folder;
const folders: Folder[] = [];

beforeEach(() => {
  folder = new Folder();
  folders.push(folder);
});

afterAll(() => folders.forEach((each) => each.remove()));

/** The path of a file of the tree. */
const at = (...names: string[]): string => join(folder.path, ...names);
const duplicates = async (...paths: string[]) =>
  (await checked('--rule', 'k8s/duplicate-name', ...paths)).findings.map(({ severity, file, what }) => ({
    severity,
    file,
    what,
  }));

describe('a tree of kustomize', () => {
  beforeEach(() => {
    folder.file('base/kustomization.yaml', 'resources: [thing.yaml]\nconfigurations: [names.yaml]\n');
    folder.file('base/thing.yaml', thing('a'));
    folder.file('base/names.yaml', thing('a'));
    folder.file(
      'overlays/prod/kustomization.yml',
      `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../../base, https://example.org/more.yaml]
patches:
  - path: patch.yaml
  - patch: |-
      - op: remove
        path: /spec
    target: {kind: Thing}
patchesStrategicMerge:
  - old.yaml
  - |-
    apiVersion: example.org/v1
    kind: Thing
    metadata: {name: a}
patchesJson6902: [{target: {kind: Thing}, path: ../json.yaml}]
replacements: [{path: replacement.yaml}]
configMapGenerator: [{name: c, files: [data=data.yaml]}]
`,
    );
    for (const name of ['prod/patch', 'prod/old', 'json', 'prod/replacement', 'prod/data']) {
      folder.file(`overlays/${name}.yaml`, thing('a'));
    }
  });

  test('is read without what is not applied as it is, and the way to check it is said once', async () => {
    const { counts, findings, passedBy } = await checked(folder.path);
    expect(findings).toEqual([]);
    expect(counts).toMatchObject({ files: 3, objects: 2, passedBy: 2 });
    expect(passedBy[0]).toEqual({
      file: at('overlays/prod/kustomization.yml'),
      line: 1,
      column: 1,
      message: `6 files that kustomize reads and does not apply are left out; what it builds is checked with: kustomize build ${at('overlays/prod')} | cdk8s-vllm check -`,
    });
    const { code, out } = await check(folder.path);
    expect(code).toBe(0);
    expect(out.match(/kustomize build/g)).toHaveLength(1);
  });

  test('a patch that is named is read all the same', async () => {
    expect((await checked(folder.path, at('overlays/prod/patch.yaml'))).counts.files).toBe(4);
    expect((await checked(at('overlays/prod/patch.yaml'), folder.path)).counts.files).toBe(4);
  });

  test.each(['kind: [', '3', '[a]', 'patches: 3\nresources: {a: b}\nconfigMapGenerator: [x, {files: 3}]\n'])(
    'a kustomization that is none: %j',
    async (text) => {
      folder.file('odd/Kustomization', text);
      folder.file('odd/it is.yaml', thing('b'));
      const { counts, unread, passedBy } = await checked(at('odd'));
      expect([counts.objects, unread]).toEqual([1, []]);
      expect(passedBy.map(({ message }) => message)).toEqual([
        `what it builds is checked with: kustomize build ${at('odd')} | cdk8s-vllm check -`,
      ]);
    },
  );

  test('a folder name with a blank is quoted', async () => {
    folder.file('two words/kustomization.yaml', 'resources: []\n');
    folder.file('two words/a.yaml', thing('b'));
    expect((await checked(at('two words'))).passedBy[0]!.message).toContain(`build '${at('two words')}' |`);
  });
});

describe('two objects of one name', () => {
  test('in different folders are a warning that names both places', async () => {
    const first = folder.file('a/x.yaml', `\n# one\n${thing('other')}---\n${thing('a')}`);
    const second = folder.file('b/y.yaml', thing('a'));
    expect(await duplicates(folder.path)).toEqual([
      { severity: 'warning', file: second, what: `two objects are called Thing/a: at ${first}:8, and at ${second}:1` },
    ]);
    expect(await duplicates(first, second)).toHaveLength(1);
  });

  test('in one folder or one file are an error, wherever else there is one', async () => {
    folder.file('a/x.yaml', thing('a'));
    folder.file('b/y.yaml', `${thing('a')}---\n${thing('a')}`);
    folder.file('b/z.yaml', thing('a'));
    expect((await duplicates(folder.path)).map(({ severity, file }) => [severity, file])).toEqual([
      ['warning', at('b/y.yaml')],
      ['error', at('b/y.yaml')],
      ['error', at('b/z.yaml')],
    ]);
  });
});

describe('a Helm chart', () => {
  const template = `apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: "{{ .Release.Name }}"}\n`;

  test('has templates that are not read, which is said once', async () => {
    folder.file('chart/Chart.yaml', 'apiVersion: v2\nname: c\nversion: 0.1.0\n');
    folder.file('chart/values.yaml', 'a: 1\n');
    folder.file('chart/templates/a.yaml', template);
    folder.file('chart/templates/more/b.yaml', `{{- if .x }}\n${template}{{- end }}\n`);
    folder.file('chart/templates/plain.yaml', thing('plain'));
    folder.file('chart/charts/sub/Chart.yaml', 'apiVersion: v2\nname: s\nversion: 0.1.0\n');
    folder.file('chart/charts/sub/templates/c.yaml', template);
    folder.file('other/templates/d.yaml', thing('{{x}}'));
    const { counts, findings, unread } = await checked(folder.path);
    expect(counts).toMatchObject({ objects: 1, unread: 2 });
    expect(findings).toEqual([]);
    expect(unread.map(({ file, message }) => [file, message])).toEqual([
      [
        at('chart/charts/sub/templates/c.yaml'),
        `the first of 3 templates of a Helm chart that were not rendered; check what it renders: helm template ${at('chart')} | cdk8s-vllm check -`,
      ],
      [at('other/templates/d.yaml'), expect.stringContaining('helm template … |') as string],
    ]);
    expect((await check(at('chart'))).code).toBe(2);
  });
});
