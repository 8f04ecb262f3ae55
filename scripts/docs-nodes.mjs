/** Makes docs/nodes.md from src/hardware; scripts/docs.mjs writes it. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const MEBI = 1024 ** 2;
const GIBI = 1024 ** 3;

/** Loads the tables of src/hardware, all of which are plain data and functions. */
async function load() {
  const { outputFiles } = await build({
    stdin: {
      contents: ['nodes', 'processors', 'system-pods'].map((name) => `export * from './${name}';`).join('\n'),
      resolveDir: fileURLToPath(new URL('../src/hardware', import.meta.url)),
    },
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

const number = (value, digits = 0) => Number(value.toFixed(digits)).toLocaleString('en-GB');
const gibibytes = (bytes) => number(bytes / GIBI, 1);
const mebibytes = (bytes) => number(bytes / MEBI);
const gigabytes = (bytes) => number(bytes / 1e9, 1);
const yes = (value) => (value ? 'yes' : '–');

function instructions({ architecture, isa }) {
  const names = Object.entries({ 'AVX-512': isa.avx512, bf16: isa.bf16, AMX: isa.amx });
  const found = names.filter(([, has]) => has).map(([name]) => name);
  return [architecture, ...found].join(', ');
}

function gpu({ accelerator }) {
  return accelerator ? `${accelerator.count} × ${accelerator.name}, ${gibibytes(accelerator.memory)} GiB` : '';
}

/** The text of docs/nodes.md. */
export async function nodesPage() {
  const {
    instanceTypes,
    nodeOf,
    PROCESSORS,
    DEFAULT_SYSTEM_PODS,
    LWS_CONTROLLER_OF_CHART,
    freeOn,
    bestNode,
    worstNode,
  } = await load();
  const nodes = instanceTypes().map(nodeOf);
  const processors = Object.values(PROCESSORS);
  const accelerators = new Map(
    nodes
      .filter(({ accelerator }) => accelerator)
      .map(({ accelerator }) => [`${accelerator.name} ${accelerator.memory}`, accelerator]),
  );

  const section = (processor) => {
    const own = nodes.filter((node) => node.processor === processor);
    const hasGpus = own.some(({ accelerator }) => accelerator);
    return `### ${processor.name}

${table(
  [
    'Type',
    'vCPU',
    'Memory GiB',
    'CPU for pods',
    'Memory for pods MiB',
    'Pods',
    'NUMA nodes',
    'GB/s',
    'CPU free',
    'Memory free MiB',
    ...(hasGpus ? ['GPUs'] : []),
  ],
  own.map((node) => {
    const free = freeOn(node, DEFAULT_SYSTEM_PODS);
    return [
      node.name,
      node.cpus,
      gibibytes(node.memory),
      `${node.allocatable.cpuMillis}m`,
      mebibytes(node.allocatable.memory),
      node.allocatable.pods,
      node.numaNodes,
      gigabytes(node.bandwidth),
      free.cpuMillis > 0 ? `${free.cpuMillis}m` : 'none',
      free.memory > 0 ? mebibytes(free.memory) : 'none',
      ...(hasGpus ? [gpu(node)] : []),
    ];
  }),
)}`;
  };

  return `<!-- Made by \`npm run docs\` from src/hardware: edit the tables there. -->

# Nodes

What the library knows of ${nodes.length} EC2 instance types: \`NodeShape.of('m7g.2xlarge')\`. Any other machine is described
with \`NodeShape.custom\`.

- **CPU for pods** is what the kubelet of an EKS node (AL2023) makes allocatable. It is exact.
- **Memory for pods** is a floor: 7.5 % are counted off, where 2.7 % to 3.5 % were seen to be missing, and what the kubelet
  keeps back for that many pods. Read \`kubectl get node -o jsonpath='{.items[*].status.allocatable.memory}'\` for the truth.
- **Pods** counts the addresses that the VPC CNI has without prefix delegation.
- **NUMA nodes** is one for each socket that the type needs, from how the processors are built. Firmware can cut a socket
  into several; \`lscpu\` on the instance tells.
- **GB/s** is the part of its sockets' memory bandwidth that the type has vCPUs for, by the published memory channels.
- **CPU free** and **Memory free** are left for ranks when all [pods of the system](#pods-of-the-system) land on that node.
- \`-flex\` types promise 40 % of their CPU at all times, and all of it for 95 % of a day.

## Processors

Instruction sets decide which kernels vLLM has: without AVX-512 on x86 its features are limited, and without bf16 on Arm
the published image may not start. Operations and weights a second are those of one thread that has a core for itself.
They were measured with vLLM where it says so; all others take the nearest that was, or a share of it.

${table(
  [
    'Processor',
    'Instructions',
    'vCPU a socket',
    'Threads a core',
    'GB/s a socket',
    'Prefill GFLOP/s a thread',
    'Decode GB/s a thread',
    'Measured',
  ],
  processors.map((processor) => [
    processor.name,
    instructions(processor),
    processor.socketCpus,
    processor.threadsPerCore,
    gigabytes(processor.socketBandwidth),
    gigabytes(processor.flopsPerThread),
    gigabytes(processor.decodeBandwidthPerThread),
    yes(processor.measured),
  ]),
)}

## GPUs

Bandwidth and dense operations by NVIDIA's data sheets; memory as EC2 reports it.

${table(
  ['GPU', 'Memory GiB', 'GB/s', 'TFLOP/s', 'bf16'],
  [...accelerators.values()].map(({ name, memory, bandwidth, flops, bf16 }) => [
    name,
    gibibytes(memory),
    gigabytes(bandwidth),
    number(flops / 1e12),
    yes(bf16),
  ]),
)}

## Pods of the system

What runs beside the ranks unless it is said otherwise. All together they request ${worstNode(DEFAULT_SYSTEM_PODS).cpuMillis}m and
${mebibytes(worstNode(DEFAULT_SYSTEM_PODS).memory)} MiB; those that every node has, ${bestNode(DEFAULT_SYSTEM_PODS).cpuMillis}m and ${mebibytes(bestNode(DEFAULT_SYSTEM_PODS).memory)} MiB.

${table(
  ['Pod', 'CPU', 'Memory MiB', 'On every node'],
  DEFAULT_SYSTEM_PODS.map(({ name, cpuMillis, memory, everyNode }) => [
    name,
    cpuMillis > 0 ? `${cpuMillis}m` : '–',
    memory > 0 ? mebibytes(memory) : '–',
    yes(everyNode),
  ]),
)}

The chart of LeaderWorkerSet requests ${LWS_CONTROLLER_OF_CHART.cpuMillis}m for its controller. Beside monitoring that leaves an m7g.2xlarge
with 5.9 vCPUs, and a rank that asks for 6 stays Pending. Install it with \`--set resources.requests.cpu=100m\`.

## Instance types

${processors.map(section).join('\n\n')}
`;
}
