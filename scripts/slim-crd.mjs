/**
 * node scripts/slim-crd.mjs FULL.yaml... OUTDIR
 *
 * Cuts upstream CustomResourceDefinitions down to the interface data that imports/ is generated from: field names,
 * types, enums, bounds, defaults, patterns. Upstream prose stays upstream, and a 1.3 MB CRD becomes a readable file.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parse, stringify } from 'yaml';

/** `version` is what nothing in the file says; where an annotation says it, the annotation is the truth. */
const sources = {
  'leaderworkerset.x-k8s.io': { project: 'kubernetes-sigs/lws', version: 'v0.10.0' },
  'monitoring.coreos.com': {
    project: 'prometheus-operator/prometheus-operator',
    versionAnnotation: 'operator.prometheus.io/version',
  },
  'elbv2.k8s.aws': { project: 'kubernetes-sigs/aws-load-balancer-controller', version: 'v3.5.0' },
};

const template = '.spec.leaderWorkerTemplate';
const claim = `${template}.volumeClaimTemplates[]`;
const opaque = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/**
 * What to cut, by the path that the walk gives (`[]` is an array or map item).
 *
 * Pod specs: a pod is the same type in every cluster, is 99 % of this CRD, and the generator would write it out twice
 * as two unrelated type trees.
 *
 * Claims: a cache volume is new and empty, so its mode, class and size are all that anyone sets; the fields that
 * bind a claim to an existing volume or a snapshot are cut, and the spec stays open for them. `resources` is opaque
 * because the generator turns a quantity into a class, which a caller that imports types only cannot make.
 */
const cuts = {
  [`${template}.leaderTemplate.spec`]: () => opaque,
  [`${template}.workerTemplate.spec`]: () => opaque,
  [`${claim}.spec`]: (schema) => ({
    ...schema,
    properties: pick(schema.properties, ['accessModes', 'resources', 'storageClassName', 'volumeMode']),
    'x-kubernetes-preserve-unknown-fields': true,
  }),
  [`${claim}.spec.resources`]: () => opaque,
  [`${claim}.status`]: () => undefined,
  // The constructs write objects and never read one back; the generator leaves the status out as well, so keeping it
  // would only let upstream changes touch a file that they cannot change anything in.
  '.status': () => undefined,
};

/** The keywords that hold one schema, a list of schemas, or a map of names to schemas. */
const single = new Set(['items', 'additionalProperties', 'not']);
const lists = new Set(['allOf', 'anyOf', 'oneOf']);
/** Only as keywords: a field may be called `description` too, and then it stays. */
const prose = new Set(['description', 'title', 'example', 'externalDocs']);

function pick(object, names) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}

function slimSchema(full, path) {
  const cut = cuts[path];
  const schema = cut ? cut(full) : full;
  if (schema === undefined) return undefined;
  const entries = Object.entries(schema).filter(([keyword]) => !prose.has(keyword));
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, slimKeyword(keyword, value, path)]));
}

function slimKeyword(keyword, value, path) {
  if (keyword === 'properties') {
    const fields = Object.entries(value).map(([name, schema]) => [name, slimSchema(schema, `${path}.${name}`)]);
    return Object.fromEntries(fields.filter(([, schema]) => schema !== undefined));
  }
  // `additionalProperties` may also be a plain boolean.
  if (single.has(keyword) && typeof value === 'object') {
    return slimSchema(value, keyword === 'not' ? path : `${path}[]`);
  }
  if (lists.has(keyword)) return value.map((schema) => slimSchema(schema, path));
  if (keyword === 'x-kubernetes-validations') return value.map(({ rule }) => ({ rule }));
  return value;
}

/** Labels, generator annotations and printer columns say nothing about the interface, so they are not carried over. */
export function slimCrd(full) {
  if (full?.kind !== 'CustomResourceDefinition') throw new Error(`not a CustomResourceDefinition: ${full?.kind}`);
  // The generator gives the bare class name to the first version listed, and upstream lists old ones first.
  const version = full.spec.versions.find(({ storage }) => storage);
  if (!version) throw new Error(`${full.metadata.name} has no storage version`);
  const { name, schema, served, storage, subresources } = version;
  return {
    apiVersion: full.apiVersion,
    kind: full.kind,
    metadata: { name: full.metadata.name },
    spec: {
      group: full.spec.group,
      names: full.spec.names,
      scope: full.spec.scope,
      versions: [
        {
          name,
          schema: { openAPIV3Schema: slimSchema(schema.openAPIV3Schema, '') },
          served,
          storage,
          ...(subresources && { subresources }),
        },
      ],
    },
  };
}

export function slimYaml(text) {
  const full = parse(text);
  const slim = slimCrd(full);
  const source = sources[full.spec.group];
  if (!source) throw new Error(`${full.spec.group}: name its project in scripts/slim-crd.mjs first`);
  const version = source.version ?? full.metadata.annotations[source.versionAnnotation];
  if (!version) throw new Error(`${full.metadata.name} has no annotation ${source.versionAnnotation}`);
  return [
    `# Interface data of ${full.spec.names.kind}, from ${source.project} ${version}, Apache-2.0.`,
    '# Made by scripts/slim-crd.mjs. Parts that a cluster needs are cut away, so this is not for installing.',
    stringify(slim, { aliasDuplicateObjects: false, indentSeq: false, lineWidth: 0, singleQuote: true }),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const files = process.argv.slice(2, -1);
  const outdir = process.argv.at(-1);
  if (files.length === 0) {
    console.error('usage: node scripts/slim-crd.mjs FULL.yaml... OUTDIR');
    process.exit(2);
  }
  mkdirSync(outdir, { recursive: true });
  for (const file of files) {
    // Named by the plural, not by the input: upstream projects name these files in three different ways.
    const slim = slimYaml(readFileSync(file, 'utf8'));
    const out = join(outdir, `${parse(slim).spec.names.plural}.yaml`);
    writeFileSync(out, slim);
    console.log(`${basename(file)} -> ${out}`);
  }
}
