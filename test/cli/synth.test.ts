import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'cdk8s';
import { ClusterTarget } from 'cdk8s-vllm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GemmaTwoNodes } from '../../examples/gemma-two-nodes/chart';
import { readManifests } from '../../src/cli/manifests';
import { synth } from '../../src/cli/synth';
import { summary } from '../../src/cli/summary';
import { VllmPipelineGroup } from '../../src/constructs/vllm-pipeline-group';

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
    expect(text).toContain('nothing to compare with: there was no such file');
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

  test('says what to do when the app is not built or writes nothing', async () => {
    await expect(synth(join(folder, 'main.js'), outdir)).rejects.toThrow('build first: npm run build');
    await expect(synth(appFile('exports.app = new App();'), outdir)).rejects.toThrow('does it call app.synth()?');
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

test('the summary of the reference app', () => {
  const app = reference();
  const objects = readManifests(app.synthYaml());
  const text = summary({
    file: 'dist/vllm-gemma.k8s.yaml',
    bytes: 100 * 1024,
    objects,
    previous: objects,
    groups: app.node.findAll().filter((construct) => VllmPipelineGroup.isVllmPipelineGroup(construct)),
    versions: { lws: '0.10.0', albController: '3.5.0' },
  });

  expect(text).toMatchSnapshot();
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
