import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

interface Documented {
  readonly docs?: { readonly summary?: string; readonly default?: string; readonly example?: string };
}
interface Member extends Documented {
  readonly name?: string;
  readonly optional?: boolean;
}
interface Type extends Documented {
  readonly name: string;
  readonly kind: 'class' | 'interface' | 'enum';
  readonly datatype?: boolean;
  readonly locationInModule: { readonly filename: string };
  readonly properties?: Member[];
  readonly methods?: Member[];
  readonly members?: Member[];
}

const file = join(__dirname, '../../.jsii');
const missing = !existsSync(file);
if (missing && process.env.CI !== 'true') {
  console.warn('SKIPPED: there is no .jsii at the root of the package; `npm ci` builds it');
}

/** What other languages and library users see. A new name belongs here, and in the documentation. */
const EXPECTED = {
  class: [
    'AlbIngress',
    'AlbIngressClass',
    'AlbRoute',
    'ChatApp',
    'ClusterTarget',
    'Cpu',
    'CpuArchitecture',
    'Findings',
    'GroupPlan',
    'LeaderService',
    'Model',
    'NodeShape',
    'PodMonitor',
    'SecretKey',
    'Toleration',
    'VllmImage',
    'VllmPipelineGroup',
    'VllmValidation',
    'VllmVersion',
    'WeightsCache',
  ],
  interface: [
    'AlbAttributes',
    'AlbIngressProps',
    'AlbTargetGroupAttributes',
    'AlbTls',
    'ChatAppProps',
    'ClusterTargetOptions',
    'IVllmGroup',
    'LeaderServiceProps',
    'ModelConfigOptions',
    'ModelProps',
    'NodeShapeProps',
    'PodMonitorProps',
    'SystemPod',
    'VllmEngineProps',
    'VllmGroupAttributes',
    'VllmImageOptions',
    'VllmPipelineGroupProps',
    'VllmValidationProps',
    'VllmVersionOptions',
  ],
  enum: [
    'AlbAlgorithm',
    'AlbScheme',
    'CapacityType',
    'Compilation',
    'DType',
    'NamespacePolicy',
    'NumaPolicy',
    'TaintEffect',
  ],
};

describe.skipIf(missing && process.env.CI !== 'true')('the jsii assembly', () => {
  const text = missing ? '{"types":{}}' : readFileSync(file, 'utf8');
  const assembly = JSON.parse(text) as { types: Record<string, Type>; dependencies?: Record<string, string> };
  const types = Object.values(assembly.types);
  const classes = types.filter(({ kind }) => kind === 'class');

  test('is there', () => {
    expect(missing).toBe(false);
  });

  test.each(['class', 'interface', 'enum'] as const)('exports exactly the expected names: %s', (kind) => {
    expect(
      types
        .filter((type) => type.kind === kind)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(EXPECTED[kind]);
  });

  test('names no type of cdk8s-plus and none that is generated', () => {
    const named = [...text.matchAll(/"fqn":\s*"([^"]+)"/g)].map((match) => match[1]!);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((fqn) => !/^(cdk8s-vllm|cdk8s|constructs)\./.test(fqn))).toEqual([]);
    expect(types.filter((type) => !type.locationInModule.filename.startsWith('src/')).map(({ name }) => name)).toEqual(
      [],
    );
    expect(Object.keys(assembly.dependencies ?? {}).sort()).toEqual(['cdk8s', 'constructs']);
    expect(JSON.stringify(assembly.types)).not.toContain('cdk8s-plus');
  });

  test('every type and every member says what it is', () => {
    const silent = types.flatMap((type) =>
      [type, ...(type.properties ?? []), ...(type.methods ?? []), ...(type.members ?? [])]
        .filter((thing) => !thing.docs?.summary)
        .map((thing) => `${type.name}.${thing.name ?? '?'}`),
    );
    expect(silent).toEqual([]);
  });

  test('every optional prop says its default', () => {
    const silent = types
      .filter(({ datatype }) => datatype === true)
      .flatMap((type) => (type.properties ?? []).map((prop) => ({ type, prop })))
      .filter(({ prop }) => prop.optional && !prop.docs?.default)
      .map(({ type, prop }) => `${type.name}.${prop.name}`);
    expect(silent).toEqual([]);
  });

  test('every class shows how it is used, itself or in a method', () => {
    const without = classes.filter(
      (type) => ![type, ...(type.methods ?? [])].some((thing) => thing.docs?.example !== undefined),
    );
    expect(without.map(({ name }) => name)).toEqual([]);
  });
});
