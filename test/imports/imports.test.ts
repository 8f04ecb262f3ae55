import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { compareSchemas, type Schema } from './schema-drift';

interface Crd {
  readonly spec: {
    readonly group: string;
    readonly names: Record<string, unknown>;
    readonly scope: string;
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly subresources?: unknown;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

const root = join(__dirname, '../..');
const imports = join(root, 'imports');
const crds = join(imports, 'crds');
const slimFiles = readdirSync(crds);

function node(...args: string[]) {
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'cdk8s-vllm-imports-test-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('npm run import', () => {
  test('imports/ is byte for byte what imports/crds/ generate', () => {
    const { status, stderr } = node(join(root, 'scripts/import.mjs'), '--check');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }, 120_000);

  test('--check names every file that differs, and leaves it alone', () => {
    const copy = join(scratch, 'copy');
    mkdirSync(join(copy, 'scripts'), { recursive: true });
    cpSync(join(root, 'scripts/import.mjs'), join(copy, 'scripts/import.mjs'));
    cpSync(imports, join(copy, 'imports'), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
    const edited = join(copy, 'imports/elbv2.k8s.aws.ts');
    appendFileSync(edited, ' ');
    rmSync(join(copy, 'imports/monitoring.coreos.com.ts'));
    writeFileSync(join(copy, 'imports/stale.ts'), '');
    const before = readFileSync(edited, 'utf8');

    const { status, stderr } = node(join(copy, 'scripts/import.mjs'), '--check');

    expect(status).toBe(1);
    expect(stderr).toContain('imports/elbv2.k8s.aws.ts differs');
    expect(stderr).toContain('imports/monitoring.coreos.com.ts is missing');
    expect(stderr).toContain('imports/stale.ts is made of nothing');
    expect(stderr).not.toContain('leaderworkerset');
    expect(readFileSync(edited, 'utf8')).toBe(before);
  }, 120_000);

  test('every kind is there under its plain name', () => {
    const kinds = readdirSync(imports)
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [
        ...readFileSync(join(imports, name), 'utf8').matchAll(/^export class (\w+) extends ApiObject/gm),
      ])
      .map(([, kind]) => kind);
    expect(kinds.sort()).toEqual([
      'IngressClassParams',
      'LeaderWorkerSet',
      'PodMonitor',
      'PrometheusRule',
      'TargetGroupBinding',
    ]);
  });

  // The generated toJson() would undo the renaming, but the constructs take the types only. Whoever sets one of these
  // must write the API's spelling, which the type does not know.
  test('the fields that the generator spells differently from the API', () => {
    const renamed: string[] = [];
    for (const name of readdirSync(imports).filter((file) => file.endsWith('.ts'))) {
      const fields = readFileSync(join(imports, name), 'utf8').matchAll(/^ {4}'([^']+)': .*?\bobj\.(\w+)/gm);
      for (const [, api, generated] of fields) if (api !== generated) renamed.push(`${api} -> ${generated}`);
    }
    expect(renamed.sort()).toEqual([
      'PrefixListsIDs -> prefixListsIDs',
      'convertClassicHistogramsToNHCB -> convertClassicHistogramsToNhcb',
      'groupID -> groupId',
      'inboundCIDRs -> inboundCidRs',
      'ipv4IPAMPoolId -> ipv4IpamPoolId',
      'keep_firing_for -> keepFiringFor',
      'partial_response_strategy -> partialResponseStrategy',
      'query_offset -> queryOffset',
      'targetGroupARN -> targetGroupArn',
      'vpcID -> vpcId',
    ]);
  });
});

describe('slim inputs', () => {
  test.each(slimFiles)('%s is small, has no prose and names its source', (name) => {
    const text = readFileSync(join(crds, name), 'utf8');
    expect(text.length).toBeLessThan(40 * 1024);
    expect(keysOf(parse(text))).not.toContain('description');
    const source = /^# Interface data of \w+, from ([\w-]+\/[\w-]+) (v?\d+\.\d+\.\d+), Apache-2\.0\.\n/.exec(text);
    expect(source).not.toBeNull();
    const [, project, version] = source!;
    expect(readFileSync(join(root, 'NOTICE'), 'utf8')).toContain(` ${version} (${project})\n`);
  });

  test('slim-crd.mjs cuts prose, old versions and labels, but no field that is called description', () => {
    const version = (name: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      additionalPrinterColumns: [{ name: 'A', description: 'prose' }],
      schema: {
        openAPIV3Schema: {
          description: 'prose',
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              required: ['description'],
              properties: { description: { description: 'prose', type: 'string', maxLength: 3, default: 'abc' } },
              'x-kubernetes-validations': [{ rule: 'true', message: 'prose' }],
            },
            status: { type: 'object' },
          },
        },
      },
    });
    const full = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.elbv2.k8s.aws', labels: { a: 'b' }, annotations: { c: 'd' } },
      spec: {
        group: 'elbv2.k8s.aws',
        names: { kind: 'Thing', plural: 'things' },
        scope: 'Cluster',
        versions: [version('v1alpha1', false), version('v1', true)],
      },
    };
    writeFileSync(join(scratch, 'full.yaml'), stringify(full));

    expect(node(join(root, 'scripts/slim-crd.mjs'), join(scratch, 'full.yaml'), join(scratch, 'slim')).stderr).toBe('');

    expect(parse(readFileSync(join(scratch, 'slim/things.yaml'), 'utf8'))).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.elbv2.k8s.aws' },
      spec: {
        group: 'elbv2.k8s.aws',
        names: { kind: 'Thing', plural: 'things' },
        scope: 'Cluster',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    required: ['description'],
                    properties: { description: { type: 'string', maxLength: 3, default: 'abc' } },
                    'x-kubernetes-validations': [{ rule: 'true' }],
                  },
                },
              },
            },
          },
        ],
      },
    });
  });
});

describe('the LWS schema against the Go module', () => {
  const goModule = 'sigs.k8s.io/lws@v0.9.0';
  const howToGet = `go mod download ${goModule} (in a scratch module: go mod init scratch)`;
  const reference = findInModuleCache(`${goModule}/config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml`);
  const optional = process.env.CI !== 'true';
  if (reference === undefined && optional) console.warn(`SKIPPED: the LWS drift test needs ${howToGet}`);

  const template = '.spec.leaderWorkerTemplate';
  const claim = `${template}.volumeClaimTemplates[]`;
  const cutAway = [
    '.status',
    `${template}.leaderTemplate.spec`,
    `${template}.workerTemplate.spec`,
    `${claim}.spec x-kubernetes-preserve-unknown-fields`,
    `${claim}.spec.dataSource`,
    `${claim}.spec.dataSourceRef`,
    `${claim}.spec.resources`,
    `${claim}.spec.selector`,
    `${claim}.spec.volumeAttributesClassName`,
    `${claim}.spec.volumeName`,
    `${claim}.status`,
  ];
  // The slim file is of v0.10.0, one release after the module.
  const newInV0_10_0 = [
    { at: '.spec.replicas maximum', slim: 1_000_000, reference: undefined },
    { at: '.spec.replicas minimum', slim: 0, reference: undefined },
  ];

  test.skipIf(reference === undefined && optional)(`differs only as known (needs ${howToGet})`, () => {
    if (reference === undefined) throw new Error(`${goModule} is not in the Go module cache: ${howToGet}`);
    const slim = readCrd(join(crds, 'leaderworkersets.yaml'));
    const full = readCrd(reference);
    expect({ ...slim, schema: undefined }).toEqual({ ...full, schema: undefined });
    expect(compareSchemas(slim.schema, full.schema, cutAway)).toEqual(newInV0_10_0);
  });
});

describe('compareSchemas', () => {
  const reference = {
    type: 'object',
    description: 'prose',
    required: ['a', 'b'],
    properties: {
      a: { type: 'integer', minimum: 1, default: 1 },
      b: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
      c: { type: 'object', additionalProperties: { type: 'object', properties: { d: { type: 'string' } } } },
    },
  };

  test('finds nothing between equals, whatever the prose and the order of sets', () => {
    const slim = structuredClone(reference);
    slim.description = 'other prose';
    slim.required.reverse();
    slim.properties.b.items.enum.reverse();
    expect(compareSchemas(slim, reference)).toEqual([]);
  });

  test('finds a changed type, enum, required list, default and bound, and a field on one side only', () => {
    const slim = {
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'integer', maximum: 9, default: 2 },
        b: { type: 'array', items: { type: 'integer', enum: ['x'] } },
        c: { type: 'object', additionalProperties: { type: 'object', properties: { e: { type: 'string' } } } },
      },
    };
    expect(compareSchemas(slim, reference)).toEqual([
      { at: '.a default', slim: 2, reference: 1 },
      { at: '.a maximum', slim: 9, reference: undefined },
      { at: '.a minimum', slim: undefined, reference: 1 },
      { at: '.b[] enum', slim: ['x'], reference: ['x', 'y'] },
      { at: '.b[] type', slim: 'integer', reference: 'string' },
      { at: '.c[].d', slim: undefined, reference: 'a field' },
      { at: '.c[].e', slim: 'a field', reference: undefined },
      { at: ' required', slim: ['a'], reference: ['a', 'b'] },
    ]);
  });

  test('a cut hides its own path only, and one that hides nothing is a difference', () => {
    const slim = { ...reference, properties: { a: { type: 'string' }, b: reference.properties.b } };
    expect(compareSchemas(slim, reference, ['.a type', '.c', '.gone'])).toEqual([
      { at: '.a default', slim: undefined, reference: 1 },
      { at: '.a minimum', slim: undefined, reference: 1 },
      { at: '.gone', slim: 'cut away', reference: undefined },
    ]);
  });
});

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysOf)];
}

function findInModuleCache(path: string): string | undefined {
  const { status, stdout } = spawnSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' });
  const file = join(stdout?.trim() ?? '', path);
  return status === 0 && existsSync(file) ? file : undefined;
}

function readCrd(file: string) {
  const { group, names, scope, versions } = (parse(readFileSync(file, 'utf8')) as Crd).spec;
  const { name, subresources, schema } = versions.find(({ storage }) => storage)!;
  return { group, names, scope, version: name, subresources, schema: schema.openAPIV3Schema };
}
