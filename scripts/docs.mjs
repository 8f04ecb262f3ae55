/**
 * node scripts/docs.mjs [--check]
 *
 * Writes docs/settings.md from src/engine and the reference bundle. `--check` writes nothing and fails when the file on
 * disk is not, byte for byte, what would be written.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { transformSync } from 'esbuild';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

const root = new URL('../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');

/** Loads a TypeScript file that imports nothing. */
function load(path) {
  const { code } = transformSync(read(path), { loader: 'ts', format: 'esm' });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** The doc comments of the properties in a file, by property name. */
function comments(path) {
  const found = new Map();
  const visit = (node) => {
    if (ts.isPropertyAssignment(node)) {
      const [doc] = ts.getJSDocCommentsAndTags(node);
      if (doc) found.set(node.name.text, ts.getTextOfJSDocComment(doc.comment));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true));
  return found;
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
  const { OLDEST_RELEASE, NEWEST_RELEASE, SINCE } = await load('src/engine/releases.ts');
  const reference = referenceRanks();
  const flags = Object.entries(FLAGS);
  const variables = Object.entries(ENVIRONMENT);
  const isRendered = ([, { ranks }]) => ranks !== 'none';
  const refused = [...flags, ...variables].filter((setting) => !isRendered(setting));
  const reasons = comments('src/engine/releases.ts');
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
word: \`VllmVersion.of(version, { like: '${NEWEST_RELEASE}' })\`.

${table(
  ['Since', 'What depends on it'],
  Object.entries(SINCE).map(([name, since]) => [since, reasons.get(name) ?? name]),
)}
`;
}

const pages = { 'docs/settings.md': await settingsPage() };

function onDisk(path) {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

for (const [path, content] of Object.entries(pages)) {
  if (onDisk(path) === content) continue;
  if (process.argv.includes('--check')) {
    console.error(`${path} is not what src/engine and dist make of it; run \`npm run docs\``);
    process.exitCode = 1;
  } else {
    writeFileSync(new URL(path, root), content);
    console.log(path);
  }
}
