import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Chart, YamlOutputType } from 'cdk8s';
import { ClusterTarget } from 'cdk8s-vllm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GemmaTwoNodes } from '../../examples/gemma-two-nodes/chart';
import { readManifests } from '../../src/cli/manifests';
import { synth } from '../../src/cli/synth';
import { summary } from '../../src/cli/summary';
import { VllmPipelineGroup } from '../../src/constructs/vllm-pipeline-group';
import type { KubernetesObject } from '../../src/rules/finding';

const CDK8S = require.resolve('cdk8s');
let folder: string;
let outdir: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'synth-test-'));
  outdir = join(folder, 'dist');
});

afterEach(() => {
  delete process.env.CDK8S_OUTDIR;
  rmSync(folder, { recursive: true, force: true });
});

let apps = 0;

/** An app as a user's compiler leaves it, with one ConfigMap. */
function appFile(body: string): string {
  const file = join(folder, `app-${apps++}.js`);
  writeFileSync(file, `const { App, Chart, ApiObject } = require(${JSON.stringify(CDK8S)});\n${body}`);
  return file;
}

const ONE_CONFIG_MAP = `
  const app = new App();
  const chart = new Chart(app, 'one');
  new ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  app.synth();
  exports.app = app;`;

describe('npm run synth', () => {
  test('writes what the app renders, and nothing else', async () => {
    mkdirSync(outdir);
    writeFileSync(join(outdir, 'gone.k8s.yaml'), 'kind: ConfigMap\nmetadata: { name: gone }\n');

    const text = await synth(appFile(ONE_CONFIG_MAP), outdir);

    expect(readdirSync(outdir)).toEqual(['one.k8s.yaml']);
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(text).toContain('ConfigMap  a');
    expect(text).toContain('ConfigMap/gone is no longer in the bundle');
  });

  test('keeps the old bundle when the app fails', async () => {
    mkdirSync(outdir);
    writeFileSync(join(outdir, 'one.k8s.yaml'), 'kept');

    await expect(synth(appFile("throw new Error('layers do not divide')"), outdir)).rejects.toThrow(
      'layers do not divide',
    );

    expect(readFileSync(join(outdir, 'one.k8s.yaml'), 'utf8')).toBe('kept');
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('compares with the previous bundle, and takes an unreadable one for none', async () => {
    await synth(appFile(ONE_CONFIG_MAP), outdir);
    expect(await synth(appFile(ONE_CONFIG_MAP), outdir)).toMatch(/restarts\n {2}nothing\n/);

    writeFileSync(join(outdir, 'one.k8s.yaml'), 'a: [1\n');
    expect(await synth(appFile(ONE_CONFIG_MAP), outdir)).toContain('nothing to compare with');
  });

  test('makes the folder like any other, with its parents', async () => {
    const deep = join(folder, 'a', 'b');
    await synth(appFile(ONE_CONFIG_MAP), deep);
    expect(statSync(deep).mode & 0o777).toBe(0o777 & ~process.umask());
  });

  test('refuses to delete what it did not write', async () => {
    mkdirSync(outdir);
    for (const name of ['notes.txt', '.gitkeep']) {
      writeFileSync(join(outdir, name), 'mine');
      await expect(synth(appFile(ONE_CONFIG_MAP), outdir)).rejects.toThrow(`holds ${name}, which would be deleted`);
      expect(readFileSync(join(outdir, name), 'utf8')).toBe('mine');
      rmSync(join(outdir, name));
    }
  });

  test('follows a link instead of replacing it', async () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), outdir);
    await synth(appFile(ONE_CONFIG_MAP), outdir);
    expect(lstatSync(outdir).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(folder, 'real'))).toEqual(['one.k8s.yaml']);
  });

  test('sums up charts that depend on each other, and says what a removed chart leaves', async () => {
    const charts = (second: string): string => `
      const app = new App();
      const [a, b] = ['a', ${JSON.stringify(second)}].map((id) => {
        const chart = new Chart(app, id);
        new ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: id } });
        return chart;
      });
      b.addDependency(a);
      app.synth();
      exports.app = app;`;
    await synth(appFile(charts('b')), outdir);
    const text = await synth(appFile(charts('c')), outdir);
    expect(text).toContain('0000-a.k8s.yaml (1 object');
    expect(text).toContain('ConfigMap/b is no longer in the bundle');
    expect(text).toContain(`kubectl apply --server-side -f ${outdir}\n`);
  });

  test('says what to do when the app is not built or writes nothing', async () => {
    await expect(synth(join(folder, 'main.js'), outdir)).rejects.toThrow('build first: npm run build');
    await expect(synth(appFile('exports.app = new App();'), outdir)).rejects.toThrow('its App must call synth()');
    expect(existsSync(outdir)).toBe(false);
  });
});

/** The reference app, as `npm run synth` has it before it prints. */
function reference(): App {
  const app = new App({ outdir });
  ClusterTarget.eks('1.36', { lws: '0.10.0', albController: '3.5.0' }).applyTo(app);
  new GemmaTwoNodes(app, 'vllm-gemma');
  return app;
}

test('the reference app renders dist/ byte for byte', () => {
  const app = reference();
  app.synth();

  const committed = readFileSync(join(__dirname, '..', '..', 'dist', 'vllm-gemma.k8s.yaml'), 'utf8');
  expect(readdirSync(join(__dirname, '..', '..', 'dist'))).toEqual(['vllm-gemma.k8s.yaml']);
  expect(readFileSync(join(outdir, 'vllm-gemma.k8s.yaml'), 'utf8')).toBe(committed);
});

test('objects that others made are listed, whatever they hold', () => {
  const named = (kind: string, spec: object): KubernetesObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name: 'x' },
    spec,
  });
  const objects = [
    named('Service', { type: 'ExternalName' }),
    named('Ingress', { defaultBackend: {} }),
    named('Ingress', { rules: [{ host: 'a' }, { http: { paths: [{ backend: { resource: {} } }] } }] }),
    named('LeaderWorkerSet', {}),
  ];
  const text = summary({
    folder: 'out',
    files: [{ path: 'out/a.k8s.yaml', text: '', objects }],
    previous: undefined,
    groups: [],
    versions: {},
  });
  expect(text).toContain('no ports');
  expect(text).toContain('/ to a resource');
  expect(text).toContain('1 group of 1 pod');
});

test.each([
  ['in a file per App', { yamlOutputType: YamlOutputType.FILE_PER_APP }],
  ['in a chart within a chart', {}],
])('groups are found %s', (_, props) => {
  const app = new App({ outdir, ...props });
  const outer = new Chart(app, 'outer');
  new GemmaTwoNodes(outer, 'inner');
  app.synth();
  const files = readdirSync(outdir).map((name) => {
    const text = readFileSync(join(outdir, name), 'utf8');
    return { path: name, text, objects: readManifests(text) };
  });
  const groups = app.node.findAll().filter((construct) => VllmPipelineGroup.isVllmPipelineGroup(construct));
  const text = summary({ folder: outdir, files, previous: undefined, groups, versions: {} });
  expect(text).toContain('rank 1  worker');
  expect(text).toContain('Accept the licence of google/gemma-3-1b-it');
});

test('the summary of the reference app', () => {
  const app = reference();
  const objects = readManifests(app.synthYaml());
  const text = summary({
    folder: 'dist',
    files: [{ path: 'dist/vllm-gemma.k8s.yaml', text: 'x'.repeat(100 * 1024), objects }],
    previous: objects,
    groups: app.node.findAll().filter((construct) => VllmPipelineGroup.isVllmPipelineGroup(construct)),
    versions: { lws: '0.10.0', albController: '3.5.0' },
  });

  expect(text).toMatchSnapshot();
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
