import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { program, transcript } from './docs-plan.mjs';
import { bundled, jsonSection } from './docs-reports.mjs';
import { rightsTable } from './docs-smoke.mjs';
import { clusterDrillSchema } from './plan-schema.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const RECORDED = `${root}test/fixtures/drill/lab.json`;

/** docs/drill.schema.json, byte for byte. */
export function drillSchemaFile() {
  return `${JSON.stringify(clusterDrillSchema(), undefined, 2)}\n`;
}

/** docs/drill.md: the guide to `cdk8s-vllm drill`, with what it printed of a group in the lab. */
export async function drillPage() {
  const run = program();
  const { textOf, MAKERS, RIGHTS } = await bundled(
    `export { textOf } from './src/cli/drill/text'; export { MAKERS } from './src/operate/drill/faults'; export { RIGHTS } from './src/operate/kubectl/rights';`,
  );
  const recorded = JSON.parse(readFileSync(RECORDED, 'utf8'));
  const shown = (more, report) =>
    `\`\`\`console\n$ cdk8s-vllm drill -n vllm --node-shell 'ssh root@{node}'${more}\n${textOf(report, false).trimEnd()}\n\`\`\``;
  return `<!-- Made by \`npm run docs\` from src/cli/drill, src/operate/drill and test/fixtures/drill: edit the sources and scripts/docs-drill.mjs. -->

# cdk8s-vllm drill

Breaks a group that serves, fault by fault, each with a request in flight, and says how it came back: what was seen when, what became of
the request, whether the group is new as a whole, and what the recovery cost beyond the start of the containers and the load of the model.
Without \`--yes\` it touches nothing, and tells what it would do. What each default of the library costs and buys in a failure:
[failure.md](failure.md).

Without \`--yes\`, and with it:

${shown('', { ...recorded, isDryRun: true, faults: [], notMade: [] })}

${shown(' --yes', recorded)}

## Faults

| Fault | What it does |
| --- | --- |
${Object.entries(MAKERS)
  .map(([name, { does }]) => `| \`${name}\` | ${does} |`)
  .join('\n')}

- **Requests in flight are lost** unless the group drains, and those of others as well: it is a real failure of a real group. One fault at a time, and the next
  one when every pod is Ready again. Where the leader drains (\`drainTimeout\`), the request of a deletion or a drain is one that ends in less than half of that time,
  and it has to come to its end. Where a stop or a cut takes longer to be made than its request to be answered, another one is sent into it.
- **A pod without a controller** is neither deleted nor evicted, and its node is not lost: nothing would make it anew.
- **A stop** reaches all processes that the container sees but its first one, which the kernel does not let be stopped from within: those that do the work. They go on
  again at Ctrl-C, and where nothing in the manifest ends a hang, after \`--timeout\`: until then it is waited for. A pod that sees the processes of its node
  (\`hostPID\`) is not stopped.
- **A cut and a lost node** take a shell of root on the node of the last rank, with nft on it: \`--node-shell 'ssh root@{node}'\`. The script is added as the last word,
  and \`{node}\` is the name of the Node. What gets a command to a node otherwise (Session Manager, \`kubectl debug\`) is put into a script that is given both.
- **A cut** names the addresses of the two pods, so that nothing else is cut; it ends when the old pods are gone, at Ctrl-C, and by itself a minute after \`--timeout\`.
- **A drain** asks for an eviction. Where a PodDisruptionBudget refuses it (as that of the library does for a single group) it is not offered: nothing is lost, and
  whoever drains waits. The node takes pods again when the old ones are gone, so that no third node is needed. After a \`kill -9\` of this program, \`kubectl uncordon\` it.
  A node that is cordoned already is not drained: the end of the drill would undo what somebody else did.
- **A lost node** loses every pod on it, not those of the group alone: all its packets are dropped but those of SSH and of itself. Once it is not Ready,
  it gets the taint \`node.kubernetes.io/out-of-service\`, in the place of the cloud, which deletes the Node of an instance that is no more: without either the pods of a lost
  node stay, and nothing is made anew. It comes back when the old pods are gone, at Ctrl-C, and by itself after 10 minutes (the taint then stays).

## What is left behind

Nothing: whatever a fault needs is undone when the old pods are gone, at the end, and at Ctrl-C (SIGTERM, SIGHUP), which waits for it however often it is pressed. What cannot be
undone is tried once more, and then told with what to do by hand (\`stillBroken\`); the faults after it are not made. After a \`kill -9\`, cuts and lost nodes
end by themselves, as said above; a stop ends with its pod.

Of several pods of a Deployment, \`--group\` names the one that is broken; the faults after the first one are made to the pod that came in its place. Of several groups of a
LeaderWorkerSet it names the pod that leads one. One drill of a group at a time: two take each other's faults for their own.

## What is measured

| Step | Shown by |
| --- | --- |
| detected | the container of a rank ended, or a pod that the fault left alone is being deleted |
| old pods gone | the last of them has left the API server |
| recreated, scheduled | every rank has a new pod; each has a node |
| started | the container of every rank runs |
| loaded | \`/health\` of the new leader is 200, asked within its container every tenth of a second |
| ready | every pod is Ready, so that the Service leads to the leader |
| first token | of a request that is sent when the leader is Ready, as clients send it |

Times are by the clock of this machine, when the watch of the pods told it. The kubelet says the start of a container to the second: the end of that second
counts. A hang that begins at rest costs nobody anything until a request meets it: there time begins with that request.

**Cost** is the time from the fault to the first good token without that from the last container's start to the first 200. The **bound** is what the manifest allows
for it: what ends a hang, the longest grace period, a round of the startup probe, and for a lost node what the defaults of Kubernetes take to find it. A fault has held when every pod is new, a request is answered, and the cost is
within the bound and 10 s.

## What it needs

kubectl, the API key where one is set (found as [smoke](smoke.md) finds it), and these rights where you are not an administrator:

${rightsTable(RIGHTS.drill)}

## Flags

\`\`\`console
${transcript(run, 'drill --help')}
\`\`\`

\`-o markdown\` prints the report for a record of operations.

## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | all healed within their bounds; without \`--yes\`, always |
| 1 | one did not, or could not be made after all |
| 2 | it could not be tried: wrong input, no kubectl, no group, a group that is not whole, no right; standard error says what to do |
| 130, 143, 129 | ended by Ctrl-C, SIGTERM, or (as a shell counts SIGHUP) a terminal that was closed; what a fault left was put right, or what to do by hand is said |

${jsonSection('drill', clusterDrillSchema())}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await drillPage());
