import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VllmValidation } from '../../src/constructs/validation';
import { acceptAnnotation } from '../../src/rules/accepted';
import { CPU_POD, CPU_POD_BEHIND_BALANCER, edit, INGRESS, POD_SERVICE, together } from '../../src/rules/examples';
import { objectsOf } from '../rules/manifests';

const ROOT = join(__dirname, '../..');
const NO_PATH = edit(INGRESS, ['    alb.ingress.kubernetes.io/healthcheck-path: /health\n', '']);
const FAULTY = together(NO_PATH, POD_SERVICE, CPU_POD_BEHIND_BALANCER);
const WARNED = together(INGRESS, POD_SERVICE, CPU_POD);

interface Violation {
  readonly ruleName: string;
  readonly recommendation: string;
  readonly fix: string;
  readonly violatingResources: readonly { resourceName: string; locations: string[]; manifestPath: string }[];
}

/** Runs the plugin as cdk8s-cli does, on the objects of some manifests. */
async function validate(validation: VllmValidation, ...manifests: string[]) {
  const violations: Violation[] = [];
  const submitted: unknown[] = [];
  await validation.validate({
    manifests: manifests.map((_, i) => `dist/${i}.yaml`),
    parseManifest: (path: string): unknown[] => [...objectsOf(manifests[Number(/\d/.exec(path)![0])]!), null],
    report: {
      addViolation: (violation: Violation) => violations.push(violation),
      submit: (...submission: unknown[]) => submitted.push(...submission),
    },
  });
  return { violations, status: submitted[0], counts: submitted[1] };
}

describe('VllmValidation', () => {
  test('an error fails, with the place of what is wrong', async () => {
    const { violations, status, counts } = await validate(new VllmValidation(), FAULTY);
    expect(status).toBe('failure');
    expect(counts).toMatchObject({ Errors: '1', Warnings: '0', Accepted: '0' });
    expect(violations).toHaveLength(1);
    const [{ ruleName, recommendation, violatingResources }] = violations as [Violation];
    expect(ruleName).toBe('alb/healthcheck-path');
    expect(recommendation).toMatch(/^error: the health check .* 404/);
    expect(violatingResources).toEqual([
      { resourceName: 'api', locations: ['Ingress/api metadata.annotations'], manifestPath: 'dist/0.yaml' },
    ]);
  });

  test.each([
    ['error', 'success'],
    ['warning', 'failure'],
  ])('a warning under failOn %s is a %s', async (failOn, expected) => {
    const { violations, status } = await validate(new VllmValidation({ failOn }), WARNED);
    expect(violations.map(({ ruleName }) => ruleName)).toEqual(['alb/keep-alive-below-idle']);
    expect(status).toBe(expected);
  });

  test('rules see all manifests at once', async () => {
    const { violations } = await validate(new VllmValidation(), NO_PATH, POD_SERVICE, CPU_POD_BEHIND_BALANCER);
    expect(violations.map(({ ruleName }) => ruleName)).toEqual(['alb/healthcheck-path']);
  });

  test('what is accepted is counted, what is ignored is not', async () => {
    const annotation = `    ${acceptAnnotation('alb/healthcheck-path')}: "shown in a talk"\n`;
    const accepted = edit(FAULTY, ['  annotations:\n', `  annotations:\n${annotation}`]);
    const { violations, status, counts } = await validate(new VllmValidation(), accepted);
    expect([violations, status, counts]).toMatchObject([[], 'success', { Accepted: '1' }]);
    const ignored = await validate(new VllmValidation({ ignore: ['alb/healthcheck-path'] }), FAULTY);
    expect(ignored).toMatchObject({ violations: [], status: 'success', counts: { Accepted: '0' } });
  });

  test('the versions of the cluster are judged', async () => {
    const group = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: g }
spec: { leaderWorkerTemplate: { size: 2, workerTemplate: { spec: { containers: [{ name: a, image: registry.example/a:1 }] } } } }
`;
    const { violations } = await validate(new VllmValidation({ lws: '0.5.0' }), group);
    expect(violations.map(({ ruleName }) => ruleName)).toContain('lws/controller-too-old');
  });

  test.each([
    [{ failOn: 'note' }, "failOn is 'note'; it takes 'error' or 'warning'"],
    [{ ignore: ['alb/idle-timeot'] }, "did you mean 'alb/idle-timeout'"],
    [{ ignore: 'alb/idle-timeout' }, 'ignore is no list'],
    [{ lws: 'v0.10.0' }, 'lws is "v0.10.0"'],
    [{ kubernetes: 1.36 }, "kubernetes is 1.36; it takes a version such as '1.36', in quotes"],
    [{ failon: 'warning' }, "no property 'failon'"],
  ])('%j is refused', (props, message) => {
    expect(() => new VllmValidation(props as never)).toThrow(message);
  });

  test('anything but the context of cdk8s-cli is refused', async () => {
    for (const context of [undefined, null, 1, {}, { manifests: [] }]) {
      await expect(new VllmValidation().validate(context)).rejects.toThrow('cdk8s-cli');
    }
  });
});

describe('cdk8s synth with VllmValidation in cdk8s.yaml', () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cdk8s-vllm-plugin-'));
    mkdirSync(join(folder, 'plugin'));
    await build({
      entryPoints: [join(ROOT, 'src/constructs/validation.ts')],
      outfile: join(folder, 'plugin/index.js'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['cdk8s', 'constructs'],
    });
    writeFileSync(
      join(folder, 'main.js'),
      `const { App, Chart, Include } = require('cdk8s');
const app = new App();
new Include(new Chart(app, 'serving'), 'engine', { url: process.env.MANIFEST });
app.synth();
`,
    );
    writeFileSync(
      join(folder, 'cdk8s.yaml'),
      `language: typescript
app: node main.js
output: dist
validations:
  - package: ./plugin
    version: 0.1.0
    class: VllmValidation
`,
    );
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function cdk8s(manifest: string, ...args: string[]) {
    writeFileSync(join(folder, 'input.yaml'), manifest);
    return spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/cdk8s-cli/bin/cdk8s'), 'synth', '--no-check-upgrade', ...args],
      {
        cwd: folder,
        encoding: 'utf8',
        env: {
          ...process.env,
          MANIFEST: 'input.yaml',
          NODE_PATH: join(ROOT, 'node_modules'),
          CDK8S_DISABLE_UPGRADE: '1',
        },
      },
    );
  }

  test('a fault ends it, with rule, object, place and construct', () => {
    const { status, stdout, stderr } = cdk8s(FAULTY, '--validation-reports-output-file', 'report.json');
    expect([status, stderr]).toEqual([2, expect.stringContaining('Validation failed')]);
    expect(stdout).toContain('alb/healthcheck-path (1 occurrences)');
    expect(stdout).toContain('Ingress/api metadata.annotations');
    expect(stdout).toMatch(/Construct Path: serving\/engine\/\S*api/);
    const { reports } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as {
      reports: { violations: { violatingConstructs: { constructPath: string }[] }[] }[];
    };
    expect(reports[0]!.violations[0]!.violatingConstructs[0]!.constructPath).toMatch(/^serving\/engine\/\S*api/);
  });

  test('a warning is shown and lets it pass', () => {
    const { status, stdout } = cdk8s(WARNED);
    expect([status, stdout]).toEqual([0, expect.stringContaining('alb/keep-alive-below-idle (1 occurrences)')]);
  });
});
