import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { fieldTable, program, transcript } from './docs-plan.mjs';
import { bundled } from './docs-reports.mjs';
import { rightsTable } from './docs-smoke.mjs';
import { logsSchema } from './plan-schema.mjs';

const RECORDED = fileURLToPath(new URL('../test/fixtures/logs/lab.json', import.meta.url));

/** docs/logs.schema.json, byte for byte. */
export function logsSchemaFile() {
  return `${JSON.stringify(logsSchema(), undefined, 2)}\n`;
}

/** docs/logs.md: the guide to `cdk8s-vllm logs`. */
export async function logsPage() {
  const run = program();
  const { RIGHTS, LogText } = await bundled(
    `export { RIGHTS } from './src/operate/kubectl/rights'; export { LogText } from './src/cli/logs/text';`,
  );
  const text = new LogText(2, false);
  const shown = JSON.parse(readFileSync(RECORDED, 'utf8')).map((entry) => text.of(entry));
  const { $defs } = logsSchema();
  const types = Object.entries($defs).filter(([, { properties }]) => properties !== undefined);
  return `<!-- Made by \`npm run docs\` from src/cli/logs, src/operate/logs and test/fixtures/logs: edit the sources and scripts/docs-logs.mjs. -->

# cdk8s-vllm logs

The logs of all ranks of a group together, in the order of time, each rank in a colour of its own. When a rank ends by itself, its last lines come
first, with what they mean by [symptoms.md](symptoms.md).

When a container of a group ends, LeaderWorkerSet deletes all its pods and makes new ones. The logs of the old pods go with them, and with
these the reason. \`--keep\` has them written to files before that:

\`\`\`sh
cdk8s-vllm logs -n vllm --keep vllm-logs
\`\`\`

A worker of the reference bundle was stopped; this is what there is to read of it a minute later, and of the next group (the folders of Python's packages are left out):

\`\`\`console
$ cdk8s-vllm logs -n vllm --keep vllm-logs
…
${shown.join('').trimEnd()}
…
\`\`\`

## What is kept

- **A file for each life of a container**: \`<pod>_<uid>_<restarts>.log\`. The next pod of the same name has another UID, so nothing is overwritten.
- **Each line as it was written**, behind its time by the clock of the node, in RFC 3339 with nine digits. Only its owner can read a file.
- **Whole lines, at once**: what has come is in the file within a turn of the event loop, and flushed at Ctrl-C. Half a line, which a lost power
  may leave, is taken away when the file is gone on with.
- **From where it was**: started again with the same folder, it asks for what came since the last line of each file. No line is lost as long as the
  cluster gives it out, and none comes twice. Of a pod that is there, that is the newest file of its log, of 10 MiB unless the kubelet is told otherwise
  (\`containerLogMaxSize\`): what was written before it while nobody followed is not to be had,
  nor what a node whose clock went back wrote until it is where it was. What is in the files is not shown again.
- **One writer** for a folder; a second one on the same machine is refused. Of one on another machine, or in another container, it cannot be seen
  whether it still runs: give each a folder of its own.
- **Whatever the program says**: nothing is taken out, as none of it is in what is shown. vLLM writes its arguments at the start, an API key among them when it is given as
  \`--api-key\`; this library gives it by \`VLLM_API_KEY\`, which is not written.

## Which lines come when

- Without \`--follow\` and \`--keep\`: what the cluster has now, in exact order. For a container that was restarted within its pod this includes the life
  before; \`--previous\` shows that one alone.
- With them: a line waits up to half a second for older ones of other ranks. Restarts, recreations and a cluster that does not answer for a while are
  gone over. It waits for a group that is not there yet. Without the right to read logs it ends, with 2.
- Lines of one container come as it wrote them, also where their times do not: the runtime reads its two streams side by side.
- What becomes of pods is told beside it, on standard error; with \`-o json\` it is among the lines.

## What it needs

kubectl, with whatever login your cluster has, and these rights where you are not an administrator:

${rightsTable(RIGHTS.logs)}

## Flags

\`\`\`console
${transcript(run, 'logs --help')}
\`\`\`

## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | the logs were told |
| 2 | they cannot be read, or not be kept: wrong input, no kubectl, no group, no right, a disk that is full; standard error says what to do |
| 130, 143 | ended by Ctrl-C or SIGTERM, the usual end of \`--follow\` and \`--keep\` |

## JSON

\`-o json\` prints an object a line, of one of these kinds. Their form is [logs.schema.json](logs.schema.json) (JSON Schema).

${types
  .map(
    ([name, { description, properties, required = [] }]) =>
      `### ${name}\n\n${description === undefined ? '' : `${description}\n\n`}${fieldTable(properties, required, $defs)}`,
  )
  .join('\n\n')}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await logsPage());
