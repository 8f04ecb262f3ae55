/**
 * node scripts/docs.mjs [--check]
 *
 * Writes the generated pages of docs/ from the tables in src and the reference bundle. `--check`
 * writes nothing and fails when a file on disk is not, byte for byte, what would be written.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { parseAllDocuments } from 'yaml';
import { bootstrapPage, clusterSchemaFile } from './docs-bootstrap.mjs';
import { checkPage, checkSchemaFile } from './docs-check.mjs';
import { modelsPage } from './docs-models.mjs';
import { nodesPage } from './docs-nodes.mjs';
import { planPage, planSchemaFile } from './docs-plan.mjs';
import { provePage, proveSchemaFile } from './docs-prove.mjs';
import { rehearsePage, rehearseSchemaFile } from './docs-rehearse.mjs';
import { rulePages } from './docs-rules.mjs';
import { smokePage, smokeSchemaFile } from './docs-smoke.mjs';

const root = new URL('../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');

/** Loads a TypeScript file of src/engine, with what it imports. */
function load(path) {
  const { outputFiles } = buildSync({
    absWorkingDir: fileURLToPath(root),
    entryPoints: [path],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    tsconfigRaw: '{}',
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

/** What the ranks of the reference deployment are given, by flag and by variable. */
function referenceRanks() {
  const objects = parseAllDocuments(read('dist/vllm-gemma.k8s.yaml')).map((document) => document.toJS());
  const group = objects.find(({ kind }) => kind === 'LeaderWorkerSet').spec.leaderWorkerTemplate;
  const [leader, worker] = [group.leaderTemplate, group.workerTemplate].map(({ spec }) => {
    const { args, env } = spec.containers[0];
    return new Map([...args.filter((argument) => argument.startsWith('-')).map(flagValue), ...env.map(variableValue)]);
  });
  return { leader, worker };
}

function flagValue(argument) {
  const [name, ...value] = argument.split('=');
  return [name, value.length === 0 ? 'on' : code(value.join('='))];
}

function variableValue({ name, value, valueFrom }) {
  const { secretKeyRef, fieldRef } = valueFrom ?? {};
  if (secretKeyRef) return [name, `Secret ${code(`${secretKeyRef.name}/${secretKeyRef.key}`)}`];
  return [name, code(fieldRef?.fieldPath ?? value)];
}

function code(text) {
  return `\`${text}\``;
}

function referenceValue(name, { leader, worker }) {
  const [ofLeader, ofWorker] = [leader.get(name), worker.get(name)];
  if (ofLeader === undefined || ofWorker === undefined || ofLeader === ofWorker) return ofLeader ?? ofWorker ?? '–';
  return `leader ${ofLeader}, workers ${ofWorker}`;
}

function table(headings, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

const RANKS = { all: 'all', leader: 'leader', worker: 'workers' };

function settingsTable(heading, settings, reference) {
  const rows = settings.map(([name, { ranks, prop, aliases = [], why }]) => [
    [name, ...aliases].map(code).join(', '),
    RANKS[ranks],
    prop === undefined ? '–' : code(prop),
    referenceValue(name, reference),
    why,
  ]);
  return table([heading, 'Ranks', 'Prop', 'Reference', 'What and why'], rows);
}

async function settingsPage() {
  const { FLAGS, ENVIRONMENT } = await load('src/engine/settings.ts');
  const { OLDEST_RELEASE, NEWEST_RELEASE } = await load('src/engine/releases.ts');
  const reference = referenceRanks();
  const flags = Object.entries(FLAGS);
  const variables = Object.entries(ENVIRONMENT);
  const isRendered = ([, { ranks }]) => ranks !== 'none';
  const refused = [...flags, ...variables].filter((setting) => !isRendered(setting));
  return `<!-- Made by \`npm run docs\` from src/engine and dist: edit the tables there. -->

# Settings

What a \`VllmPipelineGroup\` renders into the command line and the environment of vLLM, and why.

Each rank is a pod. All ranks get what shapes the engine, from one description, since vLLM hangs without a word when ranks
disagree. The leader alone gets what serves HTTP, and the API key; a worker gets \`--headless\` in its place. A group of one
pod has a leader alone and none of the flags that join ranks.

**Prop** is the property that sets a value; where there is none, the group decides. **Reference** is what the reference
deployment, [examples/gemma-two-nodes](../examples/gemma-two-nodes/chart.ts), is rendered with; – means that it does
without. Other spellings of a flag stand behind it.

To add more:

- \`extraArgs\`: arguments for every rank, one word each (\`--name=value\`);
- \`extraServerArgs\`: arguments for the leader alone; only flags of the HTTP server may stand there;
- \`environment\`: variables for every rank.

A setting of the tables below is refused there, under every name it has, with the prop that sets it.

## Flags

${settingsTable('Flag', flags.filter(isRendered), reference)}

The model itself is the first argument of \`vllm serve\`.

## Never rendered

${table(
  ['Flag or variable', 'Prop', 'Why not'],
  refused.map(([name, { prop, aliases = [], why }]) => [
    [name, ...aliases].map(code).join(', '),
    prop === undefined ? '–' : code(prop),
    why,
  ]),
)}

## Environment

${settingsTable('Variable', variables.filter(isRendered), reference)}

## Releases

The settings were judged for vLLM ${OLDEST_RELEASE} to ${NEWEST_RELEASE}. An older release is an error. A newer one is taken on your
word: \`VllmVersion.of(version, { like: '${NEWEST_RELEASE}' })\`. [releases.md](releases.md) tells what each of them can do and
breaks on.
`;
}

/** The releases that something is there for, or holds in. */
function span({ since, until }) {
  if (since !== undefined && until !== undefined) return `${since} to ${until}`;
  if (since !== undefined) return `since ${since}`;
  return until === undefined ? 'all' : `up to ${until}`;
}

async function releasesPage() {
  const { OLDEST_RELEASE, NEWEST_RELEASE } = await load('src/engine/releases.ts');
  const { READ_RELEASES } = await load('src/engine/flag-table.ts');
  const { GATES } = await load('src/engine/gates.ts');
  const { serveFlags } = await load('src/engine/flags.ts');
  const { metrics } = await load('src/engine/metrics.ts');
  const { guardedPrefixes, OPEN_PATHS } = await load('src/engine/paths.ts');
  const { GROUP_PORTS, DEFAULT_PORT } = await load('src/engine/server.ts');
  const { CPU_IMAGES, CUDA_IMAGE } = await load('src/engine/images.ts');

  const gates = (kind) =>
    table(
      ['Releases', 'What', 'So', 'Known'],
      Object.values(GATES)
        .filter((gate) => gate.kind === kind)
        .map((gate) => [span(gate), gate.what, gate.so, `${gate.known}: ${gate.source}`]),
    );
  const hasChanged = ({ since, until }) => since !== undefined || until !== undefined;
  const flags = [...new Set(serveFlags().values())].filter(hasChanged);
  const guarded = READ_RELEASES.filter(
    (release, index) =>
      index === 0 || guardedPrefixes(release).length !== guardedPrefixes(READ_RELEASES[index - 1]).length,
  );
  return `<!-- Made by \`npm run docs\` from src/engine: edit the tables there. -->

# Releases of vLLM

What the CPU build of vLLM ${OLDEST_RELEASE} to ${NEWEST_RELEASE} can do, and what breaks. The code of these releases was read:

> ${READ_RELEASES.join(', ')}

The bounds below are theirs: what is there since 0.22.1 may be there in 0.22.0 too. **measured** was run and seen, **read**
follows from the code alone.

## What works

${gates('can')}

## What breaks

${gates('breaks')}

## What differs

${gates('behaves')}

## Paths of the server

\`VLLM_API_KEY\` guards:

${table(
  ['Since', 'Prefixes'],
  guarded.map((release) => [release, guardedPrefixes(release).map(code).join(', ')]),
)}

Everything else answers anyone who reaches the port:

${table(
  ['Path', 'Gives', 'There', 'Releases'],
  OPEN_PATHS.map((open) => [
    open.isHarmful ? `**${code(open.path)}**` : code(open.path),
    open.gives,
    open.when.startsWith('--') ? `with ${code(open.when)}` : open.when,
    span(open),
  ]),
)}

Those in bold run the model or change the server. \`VLLM_SERVER_DEV_MODE\` adds many more.

## Ports

The leader serves HTTP on ${DEFAULT_PORT}. Between the pods of a group:

${table(
  ['Port', 'Who listens', 'What'],
  GROUP_PORTS.map(({ port, listens, what }) => [String(port), listens, what]),
)}

Nothing of it is encrypted or asks for a key. A network policy has to open all of TCP within a group, and a service mesh has to
leave it alone.

## Images

${table(
  ['Image', 'Instruction sets'],
  [...Object.values(CPU_IMAGES), CUDA_IMAGE].map(({ registry, repository, tag, architectures }) => [
    code(`${registry}/${repository}:${tag.replace('{version}', 'X.Y.Z').replace('{suffix}', 'arm64')}`) +
      (tag.includes('{suffix}') ? `, ${code('x86_64')}` : ''),
    architectures.join(', '),
  ]),
)}

## Flags that came or went

All other flags of \`vllm serve\` are there throughout. \`extraArgs\` and \`extraServerArgs\` refuse a flag that the release in the
image does not have.

${table(
  ['Flag', 'Releases'],
  flags.map((flag) => [flag.names.map(code).join(', '), span(flag)]),
)}

## Metrics that came or went

${table(
  ['Metric', 'Kind', 'Releases'],
  [...metrics().values()].filter(hasChanged).map((metric) => [code(metric.name), metric.kind, span(metric)]),
)}
`;
}

/** What a pattern looks for, one alternative a line: … stands for what varies. Knows what src/engine/symptoms uses. */
function readable({ source }) {
  const tokens = source.matchAll(/(\\.|\[(?:\\.|[^\]])*\]|\(\?[:!]|.)(\{[\d,]+\}|\?)?/g);
  let text = '';
  let depth = 0;
  let skipped = 0;
  for (const [, token, repeated] of tokens) {
    if (token.startsWith('(?')) depth += 1;
    if (token === '(?!') skipped = depth;
    if (skipped === 0) text += readableToken(token, repeated, depth);
    if (token === ')') {
      if (depth === skipped) skipped = 0;
      depth -= 1;
    }
  }
  return text.replace(/…+/g, '…');
}

function readableToken(token, repeated, depth) {
  if (token === '\\b' || (token === '"' && repeated === '?')) return '';
  if (token === '\\s' || token === '[ _]') return ' ';
  if (/^\\[dwS]$|^\[\^|^\.$/.test(token)) return '…';
  if (token.startsWith('[')) return token[1];
  if (token === '(?:') return '(';
  if (token === '|' && depth === 0) return '\n';
  return token.replace('\\', '');
}

const WHERE = {
  leader: 'the leader',
  worker: 'a worker',
  'any rank': 'any rank',
  cluster: 'events and status in the cluster',
  client: 'who sent the request',
};
const LOOK = {
  this: 'there',
  leader: 'on the leader',
  workers: 'on the workers',
  others: 'on the other ranks',
  cluster: 'in the cluster',
};
const ROLE = {
  cause: 'It names the cause.',
  consequence: 'It follows from another failure.',
  end: 'It comes with many failures and tells nothing of its own.',
  hint: 'It may be harmless.',
};

async function symptomsPage() {
  const { SYMPTOMS_BY_PART } = await load('src/engine/symptoms/index.ts');
  const entry = (symptom) => `### ${symptom.id}

\`\`\`text
${readable(symptom.pattern)}
\`\`\`

- Shown by ${WHERE[symptom.where]}${span(symptom) === 'all' ? '' : `, ${span(symptom)}`}. ${ROLE[symptom.role]}
- Cause: ${symptom.cause}
- Look ${LOOK[symptom.look.rank]}, for ${symptom.look.for}.
- Remedy: ${symptom.remedy}
- Source: ${symptom.source}
`;
  return `<!-- Made by \`npm run docs\` from src/engine/symptoms: edit the tables there. -->

# Symptoms

Lines of logs, events and answers, and what stands behind them. **The error you see is usually on another rank**: each entry
says who shows the line, and where to look next. LWS recreates a group whose pod failed, and the old logs go with the pods:
ship logs to a central place before you need them. \`kubectl logs --previous\` helps only where the pod itself was kept.

${Object.entries(SYMPTOMS_BY_PART)
  .map(([part, symptoms]) => `## ${part}\n\n${symptoms.map(entry).join('\n')}`)
  .join('\n')}`;
}

const pages = {
  'docs/settings.md': await settingsPage(),
  'docs/releases.md': await releasesPage(),
  'docs/symptoms.md': await symptomsPage(),
  'docs/nodes.md': await nodesPage(),
  'docs/models.md': await modelsPage(),
  'docs/plan.md': await planPage(),
  'docs/plan.schema.json': await planSchemaFile(),
  ...(await rulePages()),
  'docs/check.md': await checkPage(),
  'docs/check.schema.json': await checkSchemaFile(),
  'docs/rehearse.md': await rehearsePage(),
  'docs/rehearse.schema.json': rehearseSchemaFile(),
  'docs/smoke.md': await smokePage(),
  'docs/smoke.schema.json': smokeSchemaFile(),
  'docs/prove.md': await provePage(),
  'docs/prove.schema.json': proveSchemaFile(),
  'docs/bootstrap.md': await bootstrapPage(),
  'docs/cluster.schema.json': await clusterSchemaFile(),
};

function onDisk(path) {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

mkdirSync(new URL('docs/rules/', root), { recursive: true });
// A page of a rule that is no more would stay for good.
for (const path of readdirSync(new URL('docs/rules/', root)).map((name) => `docs/rules/${name}`)) {
  if (path in pages) continue;
  if (process.argv.includes('--check')) {
    console.error(`${path} belongs to no rule; run \`npm run docs\``);
    process.exitCode = 1;
  } else {
    rmSync(new URL(path, root));
    console.log(`${path} removed`);
  }
}

for (const [path, content] of Object.entries(pages)) {
  if (onDisk(path) === content) continue;
  if (process.argv.includes('--check')) {
    console.error(`${path} is not what src and dist make of it; run \`npm run docs\``);
    process.exitCode = 1;
  } else {
    writeFileSync(new URL(path, root), content);
    console.log(path);
  }
}
