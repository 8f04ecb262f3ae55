// Plays a kubectl that a group of two pods answers to. STAND_IN says how it differs from a sound one:
// { port, drops: ends the port-forward as soon as a completion is asked for }
import { connect, createServer } from 'node:net';
import { setInterval } from 'node:timers';

const { port, drops = false } = JSON.parse(process.env.STAND_IN);
const LWS = 'leaderworkerset.sigs.k8s.io/';
const args = process.argv.slice(2).filter((each) => !/^--(context|namespace|request-timeout)=/.test(each));
const say = (value) => process.stdout.write(JSON.stringify(value));

function pod(rank) {
  const name = rank === 0 ? 'g-0' : `g-0-${rank}`;
  return {
    metadata: {
      name,
      namespace: 'vllm',
      uid: `uid of ${name}`,
      labels: { [`${LWS}name`]: 'g', [`${LWS}group-index`]: '0', [`${LWS}worker-index`]: String(rank) },
      annotations: { [`${LWS}size`]: '2' },
    },
    spec: {
      nodeName: `n${rank}`,
      containers: [{ name: 'vllm', image: 'vllm/vllm-openai-cpu:v0.31.0-arm64', args: ['google/gemma-3-1b-it'] }],
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

/** The kubelet counts anew for each who asks, and nothing goes on. */
function summary() {
  const time = new Date().toISOString();
  const network = { time, interfaces: [{ name: 'eth0', rxBytes: 1, txBytes: 1 }] };
  return {
    pods: [0, 1].map((rank) => ({
      podRef: { uid: pod(rank).metadata.uid },
      cpu: { time, usageCoreNanoSeconds: 1 },
      network,
    })),
  };
}

function get(path) {
  if (path.endsWith('/pods')) {
    say({ items: [pod(0), pod(1)] });
  } else if (path.endsWith('/stats/summary')) {
    say(summary());
  } else if (path.includes('/events')) {
    say({ items: [] });
  } else {
    process.stderr.write('Error from server (NotFound): services "g" not found\n');
    process.exitCode = 1;
  }
}

function forward() {
  const server = createServer((here) => {
    const there = connect(port, '127.0.0.1');
    here.on('error', () => there.destroy()).pipe(there);
    there.on('error', () => here.destroy()).pipe(here);
    here.on('data', (data) => {
      if (drops && data.includes('/chat/completions')) {
        process.stderr.write('error: lost connection to pod\n', () => process.exit(1));
      }
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`Forwarding from 127.0.0.1:${server.address().port} -> 8000\n`);
  });
}

if (args[0] === 'config') {
  say({ 'current-context': 'c', contexts: [{ name: 'c', context: { namespace: 'vllm' } }] });
} else if (args[0] === 'get') {
  get(args[2]);
} else if (args[0] === 'logs') {
  process.stdout.write('a line\n');
  setInterval(() => undefined, 1000);
} else if (args[0] === 'port-forward') {
  forward();
} else {
  process.exitCode = 1;
}
