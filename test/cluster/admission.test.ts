import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { get } from '../../src/manifest/json';
import type { KubernetesObject } from '../../src/manifest/object';
import { describe as describeFinding, runRules } from '../../src/rules/index';
import { objectsOf } from '../rules/manifests';
import { admissionFaults, securityLevel } from './admission';
import { examples, only, reference } from './bundles';
import { clusterFacts, describeOnCluster } from './harness/given';
import { Place } from './harness/place';
import { LOCATION, writeSchemas } from './schemas';

const bundles = [reference, ...examples];
const EXAMPLES = join(__dirname, '../../examples');
const LEVELS = ['restricted', 'baseline', 'privileged'];

let place: Place | undefined;
const newPlace = async (labels = {}): Promise<Place> => (place = await Place.make(labels));
afterEach(async () => {
  await place?.leave();
  place = undefined;
});

describeOnCluster.each(bundles)('$name', ({ objects }) => {
  const level = only(objects, 'Namespace').metadata.labels!['pod-security.kubernetes.io/enforce']!;

  test('no rule has an error for it', () => {
    const errors = runRules(objects).filter(({ severity }) => severity === 'error');
    expect(errors.map(describeFinding)).toEqual([]);
  });

  test('is taken by the API server without a word, object by object', async () => {
    const faults = await admissionFaults(objects, await newPlace(securityLevel(level)), { dryRun: false });
    expect(faults).toEqual([]);
  });

  test('needs the Pod Security level that its Namespace has, and no higher one', async () => {
    const lws = objects.filter(({ kind }) => kind === 'LeaderWorkerSet');
    const stricter = LEVELS[LEVELS.indexOf(level) - 1];
    if (stricter !== undefined) {
      const faults = await admissionFaults(lws, await newPlace(securityLevel(stricter)));
      expect(faults).not.toEqual([]);
      const words = new RegExp(`violates? PodSecurity "${stricter}:latest"`);
      expect(faults.filter((fault) => !words.test(fault))).toEqual([]);
    }
  });

  test('its other workloads meet the level restricted', async () => {
    const others = objects.filter(({ kind }) => kind === 'Deployment');
    expect(await admissionFaults(others, await newPlace(securityLevel('restricted')))).toEqual([]);
  });

  test('kubectl finds nothing to warn of, and after it nothing to change', async () => {
    const moved = (await newPlace()).move(objects);
    const input = moved.map((object) => stringify(object)).join('---\n');
    const applied = kubectl(input, 'apply', '--server-side', '--force-conflicts', '--warnings-as-errors');
    expect(applied.stderr).toBe('');
    expect(applied.stdout.trim().split('\n')).toHaveLength(objects.length);
    expect(applied.status).toBe(0);
    // It asks twice, and LWS may write a status in between, which is a difference of versions then: what is ours would stay one.
    await vi.waitFor(
      () => expect(kubectl(input, 'diff', '--server-side')).toMatchObject({ status: 0, stdout: '', stderr: '' }),
      { timeout: 30_000, interval: 500 },
    );
  });
});

function kubectl(input: string, ...args: string[]) {
  const { programs, kubeconfig } = clusterFacts();
  const all = ['kubectl', '--kubeconfig', kubeconfig, ...args, '-f', '-'];
  return spawnSync(join(programs, 'control-plane'), all, { input, encoding: 'utf8' });
}

describeOnCluster('kubeconform, with the schemas of this very API server', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'schemas-'));
    expect(await writeSchemas(folder)).toBeGreaterThan(60);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  interface Result {
    readonly kind: string;
    readonly status: string;
    readonly msg: string;
  }
  const verdicts = (objects: readonly KubernetesObject[]): Result[] => {
    const input = objects.map((object) => stringify(object)).join('---\n');
    const program = join(clusterFacts().programs, 'kubeconform');
    const args = ['-strict', '-n', '1', '-output', 'json', '-verbose', '-schema-location', join(folder, LOCATION), '-'];
    const { stdout } = spawnSync(program, args, { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
    return (JSON.parse(stdout) as { resources: Result[] }).resources;
  };

  test.each(bundles)('finds $name valid', ({ objects }) => {
    const results = verdicts(objects);
    expect(results.map(({ kind, status, msg }) => `${kind} ${status} ${msg}`)).toEqual(
      objects.map(({ kind }) => `${kind} statusValid `),
    );
  });

  test('finds a field that is misspelt, and one of the wrong type, in every object of the reference', () => {
    const spelt = reference.objects.map((object) => ({ ...object, metdata: {} }));
    expect(verdicts(spelt).map(({ status }) => status)).toEqual(spelt.map(() => 'statusInvalid'));
    const group = only(reference.objects, 'LeaderWorkerSet');
    const typed = { ...group, spec: { ...(group.spec as object), replicas: 'one' } };
    const deep = {
      ...group,
      spec: { ...(group.spec as object), leaderWorkerTemplate: { sizee: 2, workerTemplate: {} } },
    };
    expect(verdicts([typed, deep]).map(({ status }) => status)).toEqual(['statusInvalid', 'statusInvalid']);
  });
});

describe('what is asked about', () => {
  test('is every example, and every object of each bundle', () => {
    const folders = readdirSync(EXAMPLES).sort();
    const isApp = (folder: string): boolean => existsSync(join(EXAMPLES, folder, 'main.ts'));
    expect(examples.map(({ name }) => name)).toEqual(folders.filter(isApp));
    // What renders nothing holds nothing for an API server either, such as the file of a cluster.
    for (const folder of folders.filter((each) => !isApp(each))) {
      for (const file of readdirSync(join(EXAMPLES, folder)).filter((each) => /\.(ya?ml|json)$/.test(each))) {
        const found = objectsOf(readFileSync(join(EXAMPLES, folder, file), 'utf8'));
        expect(found.filter((object) => get(object, 'kind') !== undefined)).toEqual([]);
      }
    }
    for (const { objects } of bundles) {
      expect(objects.length).toBeGreaterThan(4);
      expect(objects.every((object) => get(object, 'kind') !== undefined)).toBe(true);
    }
  });
});
