import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildBootstrap } from './build-bootstrap.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');

/** Runs something with the command and its module as the sources have them now. */
async function withProgram(use) {
  const folder = mkdtempSync(join(tmpdir(), 'docs-bootstrap-'));
  try {
    await buildBootstrap(folder);
    await build({
      absWorkingDir: root,
      entryPoints: ['src/cli/bin.ts'],
      outfile: join(folder, 'cli.cjs'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
    });
    // The command takes its module by the name of the package.
    const exports = { './bootstrap': './bootstrap.cjs' };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'cdk8s-vllm', exports }));
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(folder, command) {
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'cli.cjs'), ...command.split(' ')], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
  });
  return `$ cdk8s-vllm ${command}\n${(stdout + stderr).trimEnd()}`;
}

/** docs/cluster.schema.json, byte for byte. */
export async function clusterSchemaFile() {
  return withProgram(async (folder) => {
    const { CLUSTER_SCHEMA } = await import(pathToFileURL(join(folder, 'bootstrap.cjs')).href);
    return `${JSON.stringify(CLUSTER_SCHEMA, undefined, 2)}\n`;
  });
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}

/** What a key takes, in a few words. */
function takes(schema) {
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${word}\``).join(', ');
  if (schema.type === 'array') return `list of ${schema.items.properties === undefined ? takes(schema.items) : 'maps'}`;
  if (schema.type === 'object')
    return schema.propertyNames === undefined ? 'map' : `map by ${schema.propertyNames['x-allowed']}`;
  if (schema.type === 'integer') return `${schema.minimum} to ${schema.maximum}`;
  return schema['x-allowed'] ?? (schema.type === 'boolean' ? '`true`, `false`' : 'text');
}

function rows(schema, prefix = '') {
  return Object.entries(schema.properties).flatMap(([key, inner]) => {
    const isNeeded = schema.required?.includes(key) ?? false;
    const otherwise = isNeeded ? 'needed' : inner.default === undefined ? '–' : `\`${JSON.stringify(inner.default)}\``;
    const name = `${prefix}${key}`;
    return [
      `| \`${name}\` | ${cell(takes(inner))} | ${cell(otherwise)} | ${cell(inner.description ?? '')} |`,
      ...(inner.properties === undefined ? [] : rows(inner, `${name}.`)),
      ...(inner.items?.properties === undefined ? [] : rows(inner.items, `${name}[].`)),
    ];
  });
}

function articleTable() {
  return JSON.parse(read('test/fixtures/bootstrap-article.json'))
    .map(({ line, call, where, parameters, further }) => {
      const name = `${call.replace('.', ':')}${where === undefined ? '' : ` ${Object.values(where).join(' ')}`}`;
      const equal = parameters.map(({ option, path, value, given, instead }) => {
        const ours = instead === undefined ? `\`${path}\`` : '–';
        const verdict =
          instead ?? (given === undefined ? `equal: \`${JSON.stringify(value)}\`` : `from the file: ${given}`);
        return `| \`${cell(option)}\` | ${ours} | ${cell(verdict)} |`;
      });
      const more = Object.entries(further).map(([path, why]) => `| – | \`${path}\` | ${cell(why)} |`);
      return `### ${name}\n\n\`\`\`sh\n${line}\n\`\`\`\n\n| Article | Our call | |\n| --- | --- | --- |\n${[...equal, ...more].join('\n')}`;
    })
    .join('\n\n');
}

/** docs/bootstrap.md: the guide to `cdk8s-vllm bootstrap`. */
export async function bootstrapPage() {
  const { usage, wrong, schema } = await withProgram(async (folder) => {
    const example = read('examples/eks-cluster/cluster.yaml');
    const broken = example
      .replace('nodeGroup:', 'nodeGroup:\n  disc: 100')
      .replace('m7g.2xlarge', 'm7i.2xlarge')
      .replace('  zone: us-east-1a', '  zone: [us-east-1a, us-east-1b]');
    writeFileSync(join(folder, 'cluster.yaml'), broken);
    const { CLUSTER_SCHEMA } = await import(pathToFileURL(join(folder, 'bootstrap.cjs')).href);
    return {
      usage: run(folder, 'bootstrap --help'),
      wrong: run(folder, 'bootstrap apply -f cluster.yaml'),
      schema: CLUSTER_SCHEMA,
    };
  });
  return `<!-- Made by \`npm run docs\` from src/bootstrap, src/cli/bootstrap and test/fixtures: edit the sources and scripts/docs-bootstrap.mjs. -->

# cdk8s-vllm bootstrap

Makes an EKS cluster for vLLM from a file, and looks after it. Running it again goes on where it ended, or finds nothing to do.
It has been run against simulations of AWS that hold every call to AWS' own service models, and not yet against AWS itself.

\`\`\`sh
cdk8s-vllm bootstrap plan -f cluster.yaml
cdk8s-vllm bootstrap apply -f cluster.yaml
cdk8s-vllm bootstrap kubeconfig -f cluster.yaml
cdk8s-vllm bootstrap verify -f cluster.yaml
\`\`\`

Take [examples/eks-cluster/cluster.yaml](../examples/eks-cluster/cluster.yaml) and put your roles, subnets and tags in. It needs what exists before: a VPC with subnets in two zones, and IAM roles for the control plane, the nodes and the load balancer
controller. Roles are read and never changed. Credentials come from where the AWS CLI takes them. The program is the package's own;
neither eksctl nor Terraform is needed, and the \`aws\` CLI for kubectl's token alone.

## Flags

\`\`\`console
${usage}
\`\`\`

\`-o json\` prints one object; what cannot be answered is \`{ "error": "…" }\`, and standard error says it to people.

## plan

\`\`\`console
$ cdk8s-vllm bootstrap plan -f cluster.yaml
${read('test/fixtures/bootstrap-plan.txt').trimEnd()}
\`\`\`

| Mark | Meaning |
| --- | --- |
| \`+\` | is made |
| \`~\` | is changed, by calls that no pod notices |
| \`!\` | differs, and the change ends nodes or cannot be taken back: with \`--replace\` alone |
| \`?\` | differs, and is not changed by this program; what to do stands below it |
| \`.\` | AWS is at work on it; \`apply\` waits |
| \`x\` | failed; \`apply --replace\` deletes it and makes it again |
| \`=\` | as the file says |

An **error** among the checks keeps \`apply\` from beginning. What may not be looked at, for want of rights, is a warning.

## apply

- **Order**: launch template beside cluster; then node group, access entries and pod identity associations side by side; then add-ons,
  and tags of the network interfaces. An add-on with a Deployment would be DEGRADED without nodes.
- **Again**: each step looks before it makes. A creation carries a token that is a hash of the wish, the account and the region, so that a
  call whose answer was lost makes nothing twice. What was deleted within the last day is made with another token.
- **Waiting**: every state is printed with the time that has passed, issues as EKS words them, with what to do. A failed state, a denied
  call, or an issue that does not pass by waiting ends the step at once; DEGRADED may last five minutes. What does not depend on a
  failed step goes on.
- **Overload and broken connections**: up to six attempts in half a minute. A role that was just made is waited for.
- **Whose**: everything that is made has the tag \`cdk8s-vllm/cluster\`. What lacks it is shown, used, and never changed or deleted.
- **Differences**: \`logging\`, \`endpoint\`, \`deletionProtection\`, \`labels\`, more \`nodes\`, versions of add-ons, roles of associations, policies
  and tags are changed. Disk, tags of new nodes, instance type, image, zone, fewer nodes and \`authenticationMode\` wait for \`--replace\`.
  The Kubernetes version, subnets and security groups of the cluster are shown and left to you.

It ends with what the cluster needs next, as commands with pinned versions and this cluster's values: kubeconfig, LeaderWorkerSet
controller (100m of CPU instead of a whole core), AWS Load Balancer Controller (region and VPC given, so that it asks no metadata
service), Prometheus Operator.

## tag

Tags of a managed node group do not reach its nodes. The launch template gives them to instances and volumes; EKS drops them for
network interfaces from its copy of the template. \`apply\` and \`tag\` give them to what is live, by CreateTags: run \`tag\` after Auto Scaling
replaced a node, by a timer for instance. \`verify\` lists what lacks which tag. Clean-up jobs that know no end date of a node stop it.

## verify

Looks from AWS (states, issues, differences, tags) and from inside: nodes ready, in the zone of the file, each with the CPU, memory and
pods that \`cdk8s-vllm plan\` counts on, and whether you may create what a deployment has (as \`kubectl auth can-i\`). For the inside it speaks
to the cluster's API over TLS with the cluster's own authority, and a token that it signs itself as \`aws eks get-token\` does. A private
endpoint is reached from inside of the VPC alone; from elsewhere these checks are \`?\`, and the exit code is 1.

## destroy

Deletes add-ons, node group, associations, access entries, launch template and cluster, in this order, as far as they carry the
ownership tag. Before it deletes anything it names what is in the way: load balancers that a controller made (delete their Ingresses
while it runs), other node groups, Fargate profiles, \`deletionProtection\`. Network interfaces that the CNI left behind are listed with the
command that deletes them. Without \`--yes\` it only says what it would do.

## kubeconfig

Adds the cluster to the first file of \`$KUBECONFIG\` (\`~/.kube/config\`), or renews it, and makes it the current context. Everything else
in the file stays, comments too. The file is replaced in one step, readable for its owner alone; a read-only one stays as it is. It holds
no credentials: kubectl asks the \`aws\` CLI for its token, by the profile of \`$AWS_PROFILE\` when it is set.

## Networks and clocks

The AWS SDK takes no proxy from \`HTTPS_PROXY\`. A page that a proxy or a login of a network sends in place of AWS' answer is named as such,
whatever its status. A clock that is wrong is made up for, and warned about, since kubectl does not. Ctrl-C ends the program and not
what AWS has begun; the same command goes on from there.

## cluster.yaml

The example is [examples/eks-cluster/cluster.yaml](../examples/eks-cluster/cluster.yaml). With its first line an editor completes and checks it by
[cluster.schema.json](cluster.schema.json). What is wrong is said with line, value and what is allowed, before anything is called:

\`\`\`console
${wrong}
\`\`\`

| Key | Takes | Default | Meaning |
| --- | --- | --- | --- |
${rows(schema).join('\n')}

## As a module

\`\`\`ts
import { readFileSync } from 'node:fs';
import { applyCluster, readClusterFile } from 'cdk8s-vllm/bootstrap';

const file = readClusterFile(readFileSync('cluster.yaml', 'utf8'));
const { succeeded } = await applyCluster(file, { print: console.log });
\`\`\`

\`planCluster\`, \`tagNodes\`, \`verifyCluster\`, \`destroyCluster\`, \`clusterEntry\` and \`mergeKubeconfig\` are the other commands. The module loads the AWS SDK with
the first call, and neither \`cdk8s-vllm\` nor a synthesis ever does. A cdk8s project in plain JavaScript or TypeScript needs nothing more; the module
is not part of the jsii assembly.

## Beside the article

The calls that make the example, parameter by parameter beside the \`aws\` lines of the article that the reference deployment is after. A
test compares them.

${articleTable()}
`;
}
