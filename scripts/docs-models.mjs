/** Makes docs/models.md from src/model; scripts/docs.mjs writes it. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const GIBI = 1024 ** 3;

async function load() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/model/catalogue.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

function table(headings, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

const number = (value) => value.toLocaleString('en-GB');
const billions = (count) => (count / 1e9).toPrecision(3);

/** Keys and values of a token: heads by size, or the latent. */
function keyValue({ latentSize, keyValue: full, slidingKeyValue: sliding }) {
  const text = ({ heads, headSize }) => `${heads} × ${headSize}`;
  if (latentSize !== undefined) return `latent ${latentSize}`;
  return sliding === undefined ? text(full) : `${text(full)}, ${text(sliding)}`;
}

/** Layers, and how many of them keep less than every token. */
function layers({ layers: all, layerKinds, window }) {
  const count = (kind) => layerKinds.filter((each) => each === kind).length;
  const parts = [
    [count('sliding'), `of ${window}`],
    [count('chunked'), `in chunks of ${window}`],
    [count('state'), 'with a state'],
  ].filter(([n]) => n > 0);
  return [String(all), ...parts.map(([n, what]) => `${n} ${what}`)].join(', ');
}

const format = ({ weights: { name, quantized } }) =>
  ({ none: name, linear: name, experts: `${name} experts` })[quantized];

function row(shape) {
  const { name, gated, multimodal, parameters, activeParameters, weightsBytes, contextLength, provenance } = shape;
  return [
    `\`${name}\`${gated ? ' (gated)' : ''}${multimodal ? ' (images)' : ''}`,
    `${billions(parameters.total)}${shape.experts ? `, ${billions(activeParameters)} active` : ''}`,
    `${format(shape)}, ${(weightsBytes / GIBI).toFixed(2)}`,
    layers(shape),
    keyValue(shape),
    number(contextLength),
    shape.noPipeline ? 'no' : 'yes',
    provenance.verified ? 'yes' : '–',
  ];
}

export async function modelsPage() {
  const { modelNames, shapeOf } = await load();
  const shapes = modelNames().map(shapeOf);
  const organisations = new Map();
  for (const shape of shapes) {
    const organisation = shape.name.slice(0, shape.name.indexOf('/'));
    organisations.set(organisation, [...(organisations.get(organisation) ?? []), shape]);
  }
  const verified = shapes.filter(({ provenance }) => provenance.verified).length;
  const notes = shapes
    .map(({ name, noPipeline, provenance }) => [
      name,
      [
        ...provenance.notes.filter((note) => !note.includes('not compared with')),
        ...(noPipeline ? [`no pipeline: ${noPipeline}`] : []),
      ],
    ])
    .filter(([, list]) => list.length > 0);
  return `<!-- Made by \`npm run docs\` from src/model: edit the catalogue there. -->

# Models

The catalogue has ${shapes.length} models: \`Model.of('google/gemma-3-1b-it')\`. Any other is read from its config.json:

\`\`\`ts
Model.fromConfigJson('acme/llama', readFileSync('config.json', 'utf8'));
\`\`\`

- **Parameters** are derived from config.json, in billions; **active** ones are those that a token passes through.
- **Weights** are the format and the size of the files in GiB.
- **Layers** that keep fewer than all tokens are counted apart: those with a window, with chunks, or with a state in place of
  tokens.
- **Keys and values** are heads by their size, in each layer. Where two are given, the second is that of layers with a window.
- **Pipeline**: whether vLLM can split the model into stages.
- **Compared**: whether the size of the weights agrees within 1 % with one that others publish. That is so for ${verified}. Of the
  rest the parameters are counted in the same way, and nothing else vouches for them.

What the library counts is what transformers counts, to the last parameter, for the models that
test/fixtures/model-parameters.json lists.

${[...organisations]
  .map(
    ([organisation, list]) => `## ${organisation}

${table(['Model', 'Parameters', 'Weights', 'Layers', 'Keys and values', 'Context', 'Pipeline', 'Compared'], list.map(row))}
`,
  )
  .join('\n')}
## What is not certain

${notes.map(([name, list]) => `- \`${name}\`: ${list.join('; ')}.`).join('\n')}
`;
}
