import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { program, transcript } from './docs-plan.mjs';
import { bundled, jsonSection } from './docs-reports.mjs';
import { rightsTable } from './docs-smoke.mjs';
import { proveSchema } from './plan-schema.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const recorded = (name) => JSON.parse(readFileSync(`${root}test/fixtures/prove/${name}.json`, 'utf8'));

/** docs/prove.schema.json, byte for byte. */
export function proveSchemaFile() {
  return `${JSON.stringify(proveSchema(), undefined, 2)}\n`;
}

/** docs/prove.md: the guide to `cdk8s-vllm prove`, with what it printed of a group in a cluster. */
export async function provePage() {
  const run = program();
  const { textOf, RIGHTS, CONTROL_BYTES, BACKWARD_BYTES, BACKWARD_BYTES_PER_REQUEST } = await bundled(
    `export { textOf } from './src/cli/prove/text'; export { RIGHTS } from './src/operate/kubectl/rights';
     export { CONTROL_BYTES, BACKWARD_BYTES, BACKWARD_BYTES_PER_REQUEST } from './src/fit/wire';`,
  );
  const number = (value) => value.toLocaleString('en-US');
  return `<!-- Made by \`npm run docs\` from src/cli/prove, src/operate and test/fixtures/prove: edit the sources and scripts/docs-prove.mjs. -->

# cdk8s-vllm prove

"Both pods are Running" is no proof that a request works on both. This reads the CPU and the network counters of each pod over a time at rest
and across one request, and compares them with the bytes that the model's hidden states have to bring.

\`\`\`console
$ cdk8s-vllm prove -n vllm --tokens 32
${textOf(recorded('reference'), false).trimEnd()}
\`\`\`

## What it rests on

- **The null hypothesis** is that the request does not touch the worker. Then the worker gets what it gets at rest, which is nothing: probes and
  scrapes go to the leader. It is rejected when more came than hidden states alone make, and ten times what comes at rest.
- **What has to come**: two bytes for each number of hidden state and residual, for each computed token of the prompt and each generated one:
  \`4 · hidden size · (prompt − cached + generated)\`. The hidden size is that of \`--config\`, else of the config.json which the leader has
  loaded, else of the catalogue.
- **What is predicted** on top, measured between two stages: ${number(CONTROL_BYTES)} bytes of orders for each generated token, and back ${number(BACKWARD_BYTES)} for each and
  ${number(BACKWARD_BYTES_PER_REQUEST)} once. With more stages, or with tensor parallelism, nothing is predicted, and the least has to come all the same.
- **The request** begins with random characters, so that no prefix cache has it, and has exactly \`--tokens\` tokens to generate.
- **The nodes**: pods that share all one node send their bytes through no network; then it did not cross.
- CPU is shown and not judged: a small model computes less than the noise.

## When it does not judge

- Others use the server meanwhile, by its own count of tokens, or what comes at rest is a tenth of what has to come: the verdict is \`not judged\`, and
  the exit code 2. Try again when nobody asks, or make the request stand out by \`--tokens\`.
- A pod with \`hostNetwork\` has the counters of its node. Engines side by side (\`--data-parallel-size\`) share no request. A group that is not ready, or does not stay
  as it was, is not judged either. Nor are counters that went back.
- A group of one pod has nothing to cross: exit code 1.

## Whose counters

The kubelet's summary (\`/stats/summary\` through the API server) counts every pod, whatever is in its image, and every interface but the loopback. It is ten to
fifteen seconds old at times: what has been counted before the moment that matters is waited out. Without the right to read it, \`kubectl exec\` reads
\`/proc/net/dev\` and the CPU of the cgroup, version 2 or 1, within the containers. \`--counters\` takes one of them alone.

The request comes in by a port-forward, on the loopback interface of the leader's pod, so it is in nobody's count.

It needs kubectl, the API key as [smoke](smoke.md#what-it-needs) does, and these rights:

${rightsTable(RIGHTS.prove)}

## Flags

\`\`\`console
${transcript(run, 'prove --help')}
\`\`\`

## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | the request crossed every pod, and a network between nodes |
| 1 | it did not |
| 2 | it was not judged, or could not be tried; the report or standard error says why |
| 130, 143 | ended by Ctrl-C or SIGTERM |

${jsonSection('prove', proveSchema())}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await provePage());
