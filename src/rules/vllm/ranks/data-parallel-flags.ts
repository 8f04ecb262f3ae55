import type { Report, Rule, RuleInput } from '../../rule';
import { type Rank, ranksOf, once } from './engines';

const HYBRID = '--data-parallel-hybrid-lb';
const EXTERNAL = '--data-parallel-external-lb';
const MULTI_PORT = '--data-parallel-multi-port-external-lb';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    for (const { path, what } of problemsOf(rank)) {
      yield { object: rank.group.object, path, what };
    }
  }
}

function* problemsOf({ settings, command }: Rank): Iterable<Pick<Report, 'path' | 'what'>> {
  const {
    dataParallelSize: size,
    dataParallelSizeLocal: local,
    dataParallelRank: number,
    dataParallelStartRank: start,
    nnodes,
    headless,
  } = settings;
  const on = [HYBRID, EXTERNAL, MULTI_PORT].filter((name) => command.isOn(name) === true);
  if (on.length > 1) {
    yield { path: command.flag(on[1]!)!.path, what: `${on.join(' and ')} are given together` };
    return;
  }
  const [mode] = on;
  const modePath = mode === undefined ? '' : command.flag(mode)!.path;
  const isOneNode = nnodes.value === 1;
  if (mode === HYBRID && headless.value === true) {
    yield { path: modePath, what: `${HYBRID} and --headless are given together` };
  }
  // With several nodes, ranks are counted by --node-rank.
  if (mode === HYBRID && isOneNode && command.isSet('--data-parallel-size-local') === false) {
    yield { path: modePath, what: `${HYBRID} is given without --data-parallel-size-local` };
  }
  if (mode === EXTERNAL && isOneNode && command.isSet('--data-parallel-rank') === false) {
    yield { path: modePath, what: `${EXTERNAL} is given without --data-parallel-rank` };
  }
  if (size.value === undefined) {
    return;
  }
  if (local.value !== undefined && local.value > size.value) {
    yield {
      path: local.path,
      what: `--data-parallel-size-local is ${local.value} and --data-parallel-size ${size.value}`,
    };
  }
  for (const [name, each] of [
    ['--data-parallel-rank', number],
    ['--data-parallel-start-rank', start],
  ] as const) {
    if (each.value !== undefined && each.value >= size.value) {
      yield { path: each.path, what: `${name} is ${each.value} and --data-parallel-size ${size.value}` };
    }
  }
}

const POD = (flags: string): string => `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: wide, namespace: serving }
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 2
    restartPolicy: RecreateGroupOnPodRestart
    workerTemplate:
      metadata:
        labels: { app: wide }
      spec:
        enableServiceLinks: false
        containers:
          - name: vllm
            image: vllm/vllm-openai:v0.31.0
            command: [sh, -c]
            args:
              - |
                exec vllm serve Qwen/Qwen3-235B-A22B --port 8000 --enable-expert-parallel \\
                  --data-parallel-size 16 --data-parallel-start-rank $((LWS_WORKER_INDEX * 8)) \\
                  --data-parallel-address "$LWS_LEADER_ADDRESS" ${flags}
            env:
              - { name: VLLM_HOST_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
            ports: [{ name: http, containerPort: 8000 }]
            startupProbe: { httpGet: { path: /health, port: http }, periodSeconds: 10, failureThreshold: 180 }
            readinessProbe: { httpGet: { path: /health, port: http } }
            resources:
              requests: { cpu: "64", memory: 512Gi, nvidia.com/gpu: "8" }
              limits: { memory: 512Gi, nvidia.com/gpu: "8" }
            volumeMounts: [{ name: shm, mountPath: /dev/shm }]
        volumes: [{ name: shm, emptyDir: { medium: Memory, sizeLimit: 16Gi } }]
`;

export const dataParallelFlags: Rule = {
  id: 'vllm/data-parallel-flags',
  severity: 'error',
  title: 'data-parallel flags that exclude each other',
  why: 'vLLM refuses to start',
  fix: 'take one kind of load balancing: hybrid with --data-parallel-size-local, or external with --data-parallel-rank; ranks are below the size',
  source: 'vllm/engine/arg_utils.py, vllm/entrypoints/cli/serve.py, vllm/config/parallel.py of 0.28.0',
  get bad() {
    return POD('--data-parallel-hybrid-lb');
  },
  get good() {
    return POD('--data-parallel-hybrid-lb --data-parallel-size-local 8');
  },
  check: once(check),
};
