import { Duration, Size } from 'cdk8s';
import fc from 'fast-check';
import {
  CapacityType,
  Compilation,
  Cpu,
  DType,
  NumaPolicy,
  SecretKey,
  TaintEffect,
  Toleration,
  type VllmPipelineGroupProps,
  WeightsCache,
} from '../../src/index';
import type { KubernetesObject } from '../../src/manifest/object';

type Props = Partial<VllmPipelineGroupProps>;
type Template = { metadata: Record<string, unknown>; spec: Record<string, unknown> };

/** A prop whose values the API server has a say in. */
export interface Field<T = unknown> {
  readonly values: fc.Arbitrary<T>;
  /** One that passes and one that does not, so that both are met whatever the seed. */
  readonly right: T;
  readonly wrong: T;
  readonly props: (value: T) => Props;
  /** The same value by hand, in the objects that the prop shapes, or in one of its own. */
  readonly put: (value: T, group: Group) => void;
  /** Refusals that are not the API server's: what they say. */
  readonly own?: RegExp;
}

/** Objects of a group that is right, to put values into. */
export interface Group {
  readonly objects: KubernetesObject[];
  readonly lws: { metadata: Record<string, unknown>; spec: Record<string, unknown> };
  readonly budget: { metadata: Record<string, unknown>; spec: Record<string, unknown> };
  readonly leader: Template;
  readonly worker: Template;
}

const letters = (alphabet: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: 0, maxLength });
const long = (...lengths: number[]) => fc.constantFrom(...lengths).map((length) => 'a'.repeat(length));
const prefix = (...lengths: number[]) => fc.constantFrom(...lengths).map((length) => `${'a'.repeat(length)}/b`);

/** Names of objects: some right, some wrong in one of the ways that there are. */
const name = fc.oneof(
  { weight: 4, arbitrary: letters('ab0-', 8) },
  { weight: 2, arbitrary: letters('aB1-._ é', 8) },
  { weight: 1, arbitrary: long(63, 64, 253, 254) },
);
const groupName = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z]([-a-z0-9]{0,6}[a-z0-9])?$/) },
  { weight: 4, arbitrary: letters('ab0-', 8) },
  { weight: 2, arbitrary: letters('aB1-._ é', 8) },
  { weight: 3, arbitrary: long(49, 50, 51, 52, 63, 64) },
);
const labelKey = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.stringMatching(
      /^([a-z0-9]{1,3}([-.][a-z0-9]{1,2})?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,4}[A-Za-z0-9])?$/,
    ),
  },
  { weight: 3, arbitrary: letters('aB1-._', 6) },
  { weight: 3, arbitrary: letters('aB1-._ /é', 6) },
  { weight: 2, arbitrary: fc.tuple(letters('aB1-.', 6), letters('aB1-._', 6)).map((parts) => parts.join('/')) },
  { weight: 1, arbitrary: fc.oneof(long(63, 64), prefix(253, 254)) },
);
const labelValue = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,4}[A-Za-z0-9])?)?$/) },
  { weight: 3, arbitrary: letters('aB1-._', 6) },
  { weight: 1, arbitrary: letters('aB1-._ /é', 6) },
  { weight: 1, arbitrary: long(63, 64) },
);
const label = fc.tuple(labelKey, labelValue).map(([key, value]) => ({ [key]: value }));
const count = (most: number) =>
  fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom(most, 0.5, 1.5, -0.5), fc.integer({ min: 0, max: most }));
const port = fc.oneof(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom(-1, 0, 1, 65_535, 65_536, 80.5));

const object = (apiVersion: string, kind: string, named: string, more: object = {}): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name: named },
  ...more,
});
const secret = (named: string, key = 'a') =>
  object('v1', 'Secret', named, { data: Object.fromEntries([[key, 'eA==']]) });
const rollout = ({ lws }: Group) =>
  (lws.spec.rolloutStrategy as { rollingUpdateConfiguration: Record<string, unknown> }).rollingUpdateConfiguration;

function field<T>(all: Field<T>): Field {
  return all as unknown as Field;
}

/** Where the API server and the constructs may differ, and how to ask each. */
export const FIELDS: Readonly<Record<string, Field>> = {
  name: field({
    right: 'b',
    wrong: '1b',
    values: groupName,
    props: (value) => ({ name: value }),
    put: (value, { lws, budget }) => {
      lws.metadata.name = value;
      budget.metadata.name = value;
    },
  }),
  replicas: field({
    right: 3,
    wrong: -1,
    values: count(1_000_000),
    props: (value) => ({ replicas: value }),
    put: (value, { lws }) => (lws.spec.replicas = value),
  }),
  rolloutMaxSurge: field({
    right: 2,
    wrong: -1,
    values: count(1_000_000),
    props: (value) => ({ rolloutMaxSurge: value }),
    put: (value, group) => (rollout(group).maxSurge = value),
  }),
  rolloutMaxUnavailable: field({
    right: 2,
    wrong: 0,
    values: count(1_000_000),
    props: (value) => ({ rolloutMaxUnavailable: value }),
    put: (value, group) => (rollout(group).maxUnavailable = value),
  }),
  rolloutPartition: field({
    right: 7,
    wrong: -1,
    values: count(1_000_000),
    props: (value) => ({ rolloutPartition: value }),
    put: (value, group) => (rollout(group).partition = value),
  }),
  disruptionMaxUnavailable: field({
    right: 2,
    wrong: -1,
    values: count(1_000_000),
    props: (value) => ({ disruptionMaxUnavailable: value }),
    put: (value, { budget }) => (budget.spec.maxUnavailable = value),
  }),
  port: field({
    right: 8080,
    wrong: 65_536,
    values: port,
    props: (value) => ({ port: value }),
    put: (value, { leader }) => {
      const [container] = leader.spec.containers as [{ ports: [Record<string, unknown>] }];
      container.ports[0].containerPort = value;
    },
  }),
  podLabels: field({
    right: { 'a.b/c': 'D' },
    wrong: { a: 'b c' },
    values: label,
    props: (value) => ({ podLabels: value }),
    put: (value, { leader }) => (leader.metadata.labels = { ...(leader.metadata.labels as object), ...value }),
  }),
  podAnnotations: field({
    right: 'A.b/c',
    wrong: 'a b',
    values: labelKey,
    props: (value) => ({ podAnnotations: { [value]: 'x y' } }),
    put: (value, { worker }) => (worker.metadata.annotations = { [value]: 'x y' }),
  }),
  nodeSelector: field({
    right: { 'a.b/c': 'D' },
    wrong: { a: '-' },
    values: label,
    props: (value) => ({ nodeSelector: value }),
    put: (value, { worker }) => (worker.spec.nodeSelector = value),
  }),
  tolerations: field({
    right: { key: 'a', value: 'b', effect: undefined },
    wrong: { key: 'a b', value: undefined, effect: undefined },
    values: fc.record({
      key: labelKey,
      value: fc.option(labelValue, { nil: undefined }),
      effect: fc.option(fc.constantFrom(...Object.values(TaintEffect)), { nil: undefined }),
    }),
    props: ({ key, value, effect }) => ({
      tolerations: [value === undefined ? Toleration.exists(key, effect) : Toleration.equal(key, value, effect)],
    }),
    put: ({ key, value, effect }, { leader }) => {
      // What is not said is not there: as `null` it would be refused whatever the key.
      const said = { ...(value !== undefined && { value }), ...(effect !== undefined && { effect }) };
      leader.spec.tolerations = [{ key, operator: value === undefined ? 'Exists' : 'Equal', ...said }];
    },
    // Without a key every taint is accepted, which is no slip of the pen that should pass.
    own: /key of the taint is ''/,
  }),
  imagePullSecrets: field({
    right: 'a.b',
    wrong: 'A',
    values: name,
    props: (value) => ({ imagePullSecrets: [value] }),
    // A pod may name what cannot exist; such a Secret is refused.
    put: (value, { objects }) => objects.push(secret(value)),
  }),
  apiKey: field<[string, string]>({
    right: ['a', 'b'],
    wrong: ['a', '..'],
    values: fc.tuple(
      fc.oneof(fc.constant('a'), name),
      fc.oneof(name, fc.constantFrom('.', '..', '..a', '.a', 'A_b.c-', '')),
    ),
    props: ([named, key]) => ({ apiKey: SecretKey.of(named, key) }),
    put: ([named, key], { objects }) => objects.push(secret(named, key)),
    own: /looks like the secret itself/,
  }),
  environment: field({
    right: 'A_1',
    wrong: 'A=B',
    values: fc.oneof(letters('aB_1', 8), letters('aB_1-. =é', 8)),
    props: (value) => ({ environment: { [value]: 'x' } }),
    put: (value, { leader }) => {
      const [container] = leader.spec.containers as [{ env: object[] }];
      container.env.push({ name: value, value: 'x' });
    },
    // Kubernetes takes nearly everything; no shell and no Python reads it.
    own: /^name in environment is '[^=]+'; it takes letters, digits and underscores|looks like a secret/,
  }),
  weightsCache: field({
    right: 'a',
    wrong: 'a_b',
    values: name,
    props: (value) => ({ weightsCache: WeightsCache.persistentVolumeClaim(value) }),
    put: (value, { objects }) =>
      objects.push(
        object('v1', 'PersistentVolumeClaim', value, {
          spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
        }),
      ),
  }),
};

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const word = fc.string({ unit: fc.constantFrom(...'aZ0-_./:$(){}%"\'\\é\n\t '), maxLength: 12 });

/** Whole sets of props: many of them right, and all of them together. */
export const PROPS: fc.Arbitrary<Props> = fc.record(
  {
    name: some(letters('ab0-', 6)),
    pipelineParallelSize: fc.constantFrom(1, 2, 2, 2, 13),
    tensorParallelSize: fc.constantFrom(undefined, undefined, undefined, 2),
    replicas: some(fc.integer({ min: 0, max: 12 })),
    rolloutMaxSurge: some(fc.integer({ min: 0, max: 3 })),
    rolloutMaxUnavailable: some(fc.integer({ min: 0, max: 3 })),
    rolloutPartition: some(fc.integer({ min: 0, max: 20 })),
    disruptionMaxUnavailable: some(fc.integer({ min: 0, max: 3 })),
    port: some(fc.integer({ min: 1, max: 65_535 })),
    masterPort: fc.constantFrom(undefined, undefined, 29_999),
    servedModelName: some(word),
    modelRevision: some(letters('aB1._/-', 8)),
    dtype: some(fc.constantFrom(DType.BFLOAT16, DType.FLOAT32)),
    compilation: some(fc.constantFrom(...Object.values(Compilation))),
    maxModelLen: some(fc.integer({ min: 256, max: 8192 })),
    maxNumBatchedTokens: fc.constantFrom(undefined, 384, 1024),
    cpu: some(fc.integer({ min: 1500, max: 7500 }).map((millis) => Cpu.millis(millis))),
    memory: some(fc.integer({ min: 6 * 1024, max: 27 * 1024 }).map((mebibytes) => Size.mebibytes(mebibytes))),
    kvCacheMemory: some(fc.integer({ min: 256, max: 6 * 1024 }).map((mebibytes) => Size.mebibytes(mebibytes))),
    ephemeralStorage: some(fc.integer({ min: 18, max: 70 }).map((gibibytes) => Size.gibibytes(gibibytes))),
    threads: some(fc.integer({ min: 1, max: 7 })),
    numaPolicy: some(fc.constantFrom(...Object.values(NumaPolicy))),
    weightsCache: some(
      fc.constantFrom(
        WeightsCache.emptyDir(Size.gibibytes(30)),
        WeightsCache.hostPath('/mnt/models'),
        WeightsCache.persistentVolumeClaim('weights'),
      ),
    ),
    apiKey: some(fc.constant(SecretKey.of('vllm-api-key', 'key'))),
    keepAliveTimeout: some(fc.integer({ min: 1, max: 4000 }).map((seconds) => Duration.seconds(seconds))),
    startupBudget: some(fc.integer({ min: 60, max: 40_000 }).map((seconds) => Duration.seconds(seconds))),
    stepTimeout: some(fc.integer({ min: 30, max: 3600 }).map((seconds) => Duration.seconds(seconds))),
    progressLiveness: some(fc.boolean()),
    drainTimeout: some(fc.integer({ min: 0, max: 3600 }).map((seconds) => Duration.seconds(seconds))),
    environment: some(fc.dictionary(letters('ABC_', 5), word, { maxKeys: 3 })),
    nodeSelector: some(fc.dictionary(letters('ab/', 3), letters('a1', 3), { maxKeys: 2 })),
    podLabels: some(fc.dictionary(letters('ab/', 3), letters('a1', 3), { maxKeys: 2 })),
    podAnnotations: some(fc.dictionary(letters('ab/', 3), word, { maxKeys: 2 })),
    imagePullSecrets: some(fc.uniqueArray(letters('ab.', 4), { maxLength: 3 })),
    zone: fc.constantFrom(undefined, 'us-east-1a'),
    capacityType: some(fc.constantFrom(...Object.values(CapacityType))),
  },
  { requiredKeys: ['pipelineParallelSize'] },
);
