import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { planSchema } from './plan-schema.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** docs/plan.schema.json, byte for byte. */
export function planSchemaFile() {
  return `${JSON.stringify(planSchema(), undefined, 2)}\n`;
}

/** docs/plan.md: the guide to `cdk8s-vllm plan`, with what the command prints and the fields of its JSON. */
export function planPage() {
  const run = program();
  const { properties, required, $defs } = planSchema();
  const types = Object.entries($defs).filter(([, { properties: fields }]) => fields !== undefined);
  return `<!-- Made by \`npm run docs\` from src/cli/plan and src/fit: edit the sources and scripts/docs-plan.mjs. -->

# cdk8s-vllm plan

Says what a model needs on given nodes, and what it does there: memory of every rank, KV cache, speed, start, disk. It asks
nobody: no network, no cluster, no GPU. What it prints is what a \`VllmPipelineGroup\` would be rendered with.

\`\`\`console
${transcript(run, 'plan google/gemma-3-1b-it --node m7g.2xlarge --nodes 2')}
\`\`\`

When it does not fit, it says why, and what would:

\`\`\`console
${transcript(run, 'plan google/gemma-3-27b-it --node m7g.2xlarge --nodes 2', (text) => text.split('\n\n').slice(0, 3).join('\n\n'))}
…
\`\`\`

## Flags

\`\`\`console
${transcript(run, 'plan --help')}
\`\`\`

- **The model** is a name of the catalogue, or its config.json: \`--config ./config.json\`. With both, the name is yours and
  the numbers are those of the file. Without a name, it is \`_name_or_path\` of the file, or the folder that it lies in.
- **Flags of \`vllm serve\`** are read as vLLM reads them: \`-pp 2\`, \`-pp=2\`, \`--pipeline-parallel-size 2\`, underscores
  for hyphens, names cut short; \`4k\` is 4000 and \`4K\` is 4096 where vLLM takes that. \`4Gi\` is taken as well.
  A flag that changes nothing of the plan, such as \`--port\`, is refused with those words, and so is one that the plan does not
  count with, such as \`--gpu-memory-utilization\`.
- **Sizes that are not given**: with \`-pp\` or \`-tp\` the other one is 1, and there are as many nodes as the ranks need. With
  \`--nodes\` alone each node is a pipeline stage, and the GPUs of a node share its layers as far as the heads of the model go;
  a model that vLLM cannot split into stages is shared by tensor parallelism. With neither there is one node.
- **\`--max-model-len auto\`** (or \`-1\`) is the longest request that the cache serves, which vLLM then finds by itself. With
  \`--kv-cache-memory-bytes\` and without \`--max-num-batched-tokens\` it is reckoned with vLLM's own number of these.
- **\`--system-cpu\`, \`--system-memory\`**: what pods request that run on the node already. Without them it is what
  [nodes.md](nodes.md) lists as pods of the system.

## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | it fits |
| 1 | it does not: vLLM or Kubernetes would refuse it, or the kernel would end it; the nearest configurations that fit follow |
| 2 | wrong input: one line on standard error, nothing on standard output. With \`-o json\` also \`{ "error": "…" }\` there |

## Reading it

- The bar is the memory limit of a pod, or what vLLM takes of a GPU, and what fills it at the highest point. Ranks that are
  filled alike share one.
- Speeds are estimates; the band stands behind them. Cache numbers are exact for the releases that the formula was measured
  on, and missing for others.
- **Extrapolated** names what nobody measured about such ranks.
- \`--explain\` adds each formula, its numbers and its source:

\`\`\`console
${transcript(run, 'plan google/gemma-3-1b-it --node m7g.2xlarge --nodes 2 --explain', (text) =>
  text.slice(text.indexOf('How the numbers')).split('\n').slice(0, 14).join('\n'),
)}
…
\`\`\`

## JSON

\`-o json\` prints one object. Its form is [plan.schema.json](plan.schema.json) (JSON Schema); fields may be added while
\`schemaVersion\` stays 1. With \`--explain\` it has \`explanation\` as well. Sizes are bytes unless their name says otherwise.

\`\`\`console
$ cdk8s-vllm plan google/gemma-3-1b-it --node m7g.2xlarge --nodes 2 -o json | jq .kvCache
${JSON.stringify(JSON.parse(run('plan google/gemma-3-1b-it --node m7g.2xlarge --nodes 2 -o json')).kvCache, undefined, 2)}
\`\`\`

### Plan

${fieldTable(properties, required, $defs)}

${types.map(([name, { description, properties: fields, required: needed }]) => `### ${name}\n\n${description === undefined ? '' : `${description}\n\n`}${fieldTable(fields, needed ?? [], $defs)}`).join('\n\n')}
`;
}

/** The command as the sources have it now; gives what a run prints. */
export function program(cwd = root) {
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: ['src/cli/bin.ts'],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
  });
  return (command) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-', ...command.split(' ')], {
      cwd,
      input: outputFiles[0].text,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });
    if (status !== 0 && status !== 1) throw new Error(`cdk8s-vllm ${command} ended with ${status}: ${stderr}`);
    return stdout;
  };
}

export function transcript(run, command, part = (text) => text) {
  return `$ cdk8s-vllm ${command}\n${part(run(command)).trimEnd()}`;
}

export function fieldTable(fields, required, definitions) {
  const isOptional = ([name]) => !required.includes(name);
  const sorted = Object.entries(fields).sort((a, b) => Number(isOptional(a)) - Number(isOptional(b)));
  const rows = sorted.map(([name, schema]) => {
    const meaning = schema.description ?? definitions[schema.$ref?.split('/').at(-1)]?.description ?? '';
    const optional = required.includes(name) ? '' : ', optional';
    return `| \`${name}\` | ${typeName(schema)}${optional} | ${cell(meaning)} |`;
  });
  return ['| Field | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function typeName(schema) {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.anyOf !== undefined)
    return schema.anyOf
      .map(typeName)
      .sort((a, b) => Number(a === 'null') - Number(b === 'null'))
      .join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  return schema.type === 'array' ? `list of ${typeName(schema.items)}` : schema.type;
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}
