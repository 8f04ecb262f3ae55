import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { program, transcript } from './docs-plan.mjs';
import { bundled, jsonSection } from './docs-reports.mjs';
import { smokeSchema } from './plan-schema.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const recorded = (name) => JSON.parse(readFileSync(`${root}test/fixtures/smoke/${name}.json`, 'utf8'));

/** docs/smoke.schema.json, byte for byte. */
export function smokeSchemaFile() {
  return `${JSON.stringify(smokeSchema(), undefined, 2)}\n`;
}

/** Rules of Roles, with what each is for. */
export function rightsTable(rights) {
  const cell = (text) => text.replaceAll('|', '\\|');
  return [
    '| Rule | In | For | Without it |',
    '| --- | --- | --- | --- |',
    ...rights.map(
      ({ resources, verbs, of, why, otherwise }) =>
        `| \`${resources.join(', ')}\`: ${verbs.join(', ')} | a ${of === 'cluster' ? 'ClusterRole' : 'Role'} | ${cell(why)} | ${cell(otherwise ?? 'nothing can be done')} |`,
    ),
  ].join('\n');
}

/** docs/smoke.md: the guide to `cdk8s-vllm smoke`, with what it printed of groups in a cluster. */
export async function smokePage() {
  const run = program();
  const { textOf, RIGHTS } = await bundled(
    `export { textOf } from './src/cli/smoke/text'; export { RIGHTS } from './src/operate/kubectl/rights';`,
  );
  const shown = (command, name) =>
    `\`\`\`console\n$ cdk8s-vllm ${command}\n${textOf(recorded(name), false).trimEnd()}\n\`\`\``;
  return `<!-- Made by \`npm run docs\` from src/cli/smoke, src/operate and test/fixtures/smoke: edit the sources and scripts/docs-smoke.mjs. -->

# cdk8s-vllm smoke

Sends one real request to a vLLM that runs in a cluster, once whole and once as a stream, and says what held. A healthy server
proves nothing about the forward pass: a pipeline can be Ready, answer \`/health\` with 200, and break on the first request.

${shown('smoke -n vllm --tokens 8', 'reference')}

## What it needs

- **kubectl**, with whatever login your cluster has. \`--context\`, \`--namespace\` and \`--kubeconfig\` are passed on. The way to the server is a
  port-forward to the leader's pod, on a free port of 127.0.0.1; it ends with the command, also after \`kill -9\`.
- **Or an address**: with \`--url\` the server there is asked, a balancer's for instance, and no cluster. With a flag of the cluster beside
  it (\`-n vllm\`), its pods and logs are looked at as well.
- **The API key**, where one is set: from \`--api-key\`, \`--api-key-secret NAME/KEY\`, \`VLLM_API_KEY\` of your shell, or else from the Secret that the
  leader's pod names. It is sent, and never shown: reports, logs and answers have \`***\` in its place.
- **These rights**, where you are not an administrator:

${rightsTable(RIGHTS.smoke)}

## What is looked at

| | |
| --- | --- |
| pods | every rank of the group is there and ready; \`--wait SECONDS\` gives it time |
| health | \`/health\` is 200 |
| model | \`/v1/models\` has the name that the leader's arguments say, or \`--model\` |
| completion, stream | 200; answered by that model; ended by \`stop\`, or by \`length\` with as many tokens as were allowed; token counts that add up; the stream in parts, to its end |
| API key | 401 without it and with a wrong one on every prefix that the release guards ([releases.md](releases.md#paths-of-the-server)) |
| afterwards | two seconds later \`/health\` is 200, and every pod is the same one, not restarted |

\`?\` is said where nothing speaks against it and nothing here can show it: it does not fail.

A LeaderWorkerSet with several groups has one leader each: \`--group\` takes the name of that pod. Pods of Deployments, StatefulSets and those
without an owner are found as well, by what they run.

## When it breaks

The logs of all ranks are followed while it asks, since LWS deletes a group when one of its containers ends, and the logs with it. The report begins
with the rank where it began, its last lines, the cause and the remedy of [symptoms.md](symptoms.md). Here \`--enforce-eager\` stood in the bundle:

${shown('smoke -n vllm --tokens 8', 'eager')}

A group that is not ready is not asked: what the cluster and the logs say of it is told. Here a Service had the name of the LeaderWorkerSet:

${shown('smoke -n vllm', 'service')}

## Flags

\`\`\`console
${transcript(run, 'smoke --help')}
\`\`\`

## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | all held, or could not be shown here |
| 1 | something did not hold |
| 2 | it could not be tried: wrong input, no kubectl, no such context, namespace or group, no right, no answer; standard error says what to do |
| 130, 143 | ended by Ctrl-C or SIGTERM |

${jsonSection('smoke', smokeSchema())}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await smokePage());
